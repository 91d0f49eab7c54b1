import { readFile } from 'node:fs/promises';
import { Hono } from 'hono';
import { secureHeaders } from 'hono/secure-headers';
import { personStore } from '../shared/persons/person-store.js';
import { requestLog } from '../shared/request-log.js';
import { readStats } from '../shared/stats.js';
import { readLogos } from './logo.js';
import { page } from './page.js';
import { themeStyle } from './theme.js';

const PAGE_ROWS = 25;
const STYLE = await readFile(new URL('./style.css', import.meta.url), 'utf8');
const CSS = { 'Content-Type': 'text/css; charset=utf-8' };

/**
 * Pages made on the server, read straight from the database: no key leaves the server, and the frontend needs
 * nothing of the other unit.
 * @param {object} options
 * @param {import('../shared/database/database.js').Database} options.database
 * @param {import('../shared/environment.js').Environment} options.environment
 * @param {(line: string) => void} options.log
 */
export function createFrontend({ database, environment, log }) {
  const app = new Hono();
  const logos = readLogos(environment);
  app.use(requestLog(log));
  app.use(
    secureHeaders({
      contentSecurityPolicy: {
        defaultSrc: ["'none'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'"],
        formAction: ["'self'"],
      },
      // Whether everything is served over TLS is the proxy's to say.
      strictTransportSecurity: false,
    }),
  );
  app.get('/style.css', (c) => c.body(STYLE, 200, CSS));
  app.get('/theme.css', (c) => c.body(themeStyle(environment), 200, { ...CSS, 'Cache-Control': 'no-cache' }));
  const logo = (picture) => (c) =>
    picture
      ? c.body(picture.content, 200, { 'Content-Type': picture.type, 'Cache-Control': 'no-cache' })
      : c.text('There is no logo', 404);
  app.get('/logo', logo(logos.full));
  app.get('/logo-icon', logo(logos.icon));
  app.get('/', async (c) => {
    const search = (c.req.query('search') ?? '').slice(0, 200);
    const number = Math.max(1, Math.min(1_000_000, Number.parseInt(c.req.query('page') ?? '', 10) || 1));
    const contents = await readContents(database, search, number).catch(() => undefined);
    return c.html(page({ environment, logos, search, number, contents, rows: PAGE_ROWS }));
  });
  return app;
}

/** Both at once; fails when the database does not answer. */
async function readContents(database, search, number) {
  const [stats, list] = await Promise.all([
    readStats(database),
    personStore(database).list({ search, limit: PAGE_ROWS, offset: (number - 1) * PAGE_ROWS }),
  ]);
  return { stats, persons: list.items, total: list.total };
}
