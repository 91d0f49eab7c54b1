import type { FixtureRepository } from './fixture-repository.ts';

/**
 * An application with a sign-in and notes for tests of checks with a user's steps. It keeps notes in memory. A file `broken` in
 * IMPORT_DIR makes its search fail, one `blocked` never answer; its health page stays healthy.
 */
const server = `
const fs = require('node:fs');
const http = require('node:http');
const role = process.argv[2];
const notes = new Map();
const json = (response, status, body, headers = {}) => response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
http.createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const path = request.url.split('?')[0];
  if (role === 'frontend') return response.end('<h1>' + process.env.APP_NAME + '</h1>');
  if (path === '/api/health') return json(response, 200, { status: 'healthy' });
  if (path === '/docs') return response.end('docs');
  if (path === '/api/stats') return json(response, 200, { persons: 3, events: 1, tags: 2, segments: 0, communications: 5, database_size_mb: 1 });
  if (path === '/api/notes/count') return json(response, 200, { count: notes.size });
  if (path === '/api/login') {
    const { password } = JSON.parse(text);
    if (password !== process.env.CHECK_PASSWORD) return json(response, 401, { detail: 'wrong password ' + password });
    return json(response, 200, { token: 'token-of-' + process.env.TENANT_SLUG }, { 'set-cookie': 'sid=1; Path=/; HttpOnly' });
  }
  if (request.headers.authorization !== 'Bearer token-of-' + process.env.TENANT_SLUG || request.headers.cookie !== 'sid=1') return json(response, 401, { detail: 'sign in first' });
  if (path === '/api/search' && fs.existsSync(process.env.IMPORT_DIR + '/blocked')) return fs.writeFileSync(process.env.IMPORT_DIR + '/waiting', '');
  if (path === '/api/search') return SEARCH_BROKEN || fs.existsSync(process.env.IMPORT_DIR + '/broken') ? json(response, 500, { detail: 'no such table: people ' + process.env.CHECK_PASSWORD }) : json(response, 200, { items: [{ name: 'Ada' }] });
  if (path === '/api/notes') { const id = notes.size + 1; notes.set(String(id), text); return json(response, 201, { id }); }
  if (path.startsWith('/api/notes/') && request.method === 'DELETE') { notes.delete(path.split('/')[3]); return response.writeHead(204).end(); }
  json(response, 404, { detail: 'nothing here' });
}).listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit(0));
`;

/** What a user does: signs in, finds a person, saves a note and removes it. */
export const userSteps = `
checks:
  - name: Find a person
    steps:
      - { name: Open the page, unit: frontend, path: /, expect: { text: "<h1>" } }
      - name: Sign in
        unit: api
        method: POST
        path: /api/login
        json: { password: "\${env.CHECK_PASSWORD}" }
        capture: { token: { json: token } }
      - name: Search
        unit: api
        path: /api/search?name=Ada
        headers: { authorization: "Bearer \${token}" }
        expect: { json: { items.0.name: Ada } }
      - name: Save a note
        unit: api
        method: POST
        path: /api/notes
        headers: { authorization: "Bearer \${token}" }
        json: { text: "Check \${run}" }
        expect: { status: 201 }
        capture: { note: { json: id } }
    cleanup:
      - name: Remove the note
        unit: api
        method: DELETE
        path: /api/notes/\${note}
        headers: { authorization: "Bearer \${token}" }
        expect: { status: 204 }
`;

/** When its search fails, as JavaScript. */
const breaks = { never: 'false', always: 'true', proxied: "request.headers['x-forwarded-for'] !== undefined" };

/** The application's files, to release. @param options.broken when its search fails */
export const noteApplication = (
  { manifest }: Pick<FixtureRepository, 'manifest'>,
  { broken = 'never', checks = userSteps }: { broken?: keyof typeof breaks; checks?: string } = {},
): Record<string, string> => ({
  'tenant.yaml': `${manifest}${checks}`,
  'server.js': server.replace('SEARCH_BROKEN', breaks[broken]),
});
