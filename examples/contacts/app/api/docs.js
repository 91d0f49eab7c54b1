import { createReadStream } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { Hono } from 'hono';
import { html } from 'hono/html';

const ASSETS = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const TYPES = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const START = `SwaggerUIBundle({ url: '/openapi.json', dom_id: '#docs', deepLinking: true });`;

/** The interactive description of this API. All of it comes from here: it works without the internet. */
export function docs(environment) {
  const routes = new Hono();
  routes.get('/', (c) => c.html(page(environment.APP_NAME)));
  routes.get('/start.js', (c) => c.body(START, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }));
  routes.get('/:file', (c) => {
    const file = c.req.param('file');
    if (!Object.hasOwn(TYPES, file)) return c.notFound();
    const content = Readable.toWeb(createReadStream(join(ASSETS, file)));
    return c.body(content, 200, { 'Content-Type': TYPES[file], 'Cache-Control': 'public, max-age=86400' });
  });
  return routes;
}

const page = (name) => html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <title>${name}: API</title>
    <link rel="icon" href="/docs/favicon-32x32.png" />
    <link rel="stylesheet" href="/docs/swagger-ui.css" />
  </head>
  <body>
    <div id="docs"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>`;
