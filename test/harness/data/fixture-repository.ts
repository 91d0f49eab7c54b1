import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { addRelease } from '../../../examples/contacts/make-repository.ts';

/**
 * A tenant application without dependencies, for tests of failures: `custom_env` sets its behaviour. MODE: ok | crash
 * | unhealthy | frontend-down; MIGRATION: ok | fail | slow; the default of both is ok. A file in IMPORT_DIR makes it
 * unhealthy (`failing`), or the health page hang (`hanging`).
 */
const server = `
const fs = require('node:fs');
const http = require('node:http');
const role = process.argv[2];
const mode = process.env.MODE ?? 'ok';
if (mode === 'crash') { console.error('cannot reach the moon'); process.exit(3); }
const json = (response, status, body) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
http.createServer((request, response) => {
  const path = request.url.split('?')[0];
  if (role === 'frontend') return mode === 'frontend-down' ? json(response, 500, {}) : response.end('<h1>' + process.env.APP_NAME + ' ' + process.env.APP_VERSION + '</h1>');
  if (path === '/api/health' && fs.existsSync(process.env.IMPORT_DIR + '/hanging')) return;
  if (path === '/api/health') return mode === 'unhealthy' || fs.existsSync(process.env.IMPORT_DIR + '/failing') ? json(response, 503, { status: 'unhealthy' }) : json(response, 200, { status: 'healthy' });
  if (path === '/docs') return response.end('docs');
  if (path === '/env') return json(response, 200, { ...process.env });
  const keys = (process.env.API_KEYS ?? '').split(',');
  if (!keys.includes(request.headers['x-api-key'] ?? '')) return json(response, 401, { detail: 'wrong key' });
  if (path === '/api/stats') return json(response, 200, { persons: 3, events: 1, tags: 2, segments: 0, communications: 5, database_size_mb: 1 });
  if (path === '/api/persons/count') return json(response, 200, { total: 3, by_status: { active: 2, inactive: 1 } });
  json(response, 404, { detail: 'nothing here' });
}).listen(Number(process.env.PORT), process.env.HOST, () => console.log(role + ' of ' + process.env.APP_VERSION + ' listens'));
process.on('SIGTERM', () => process.exit(0));
`;

const migrate = `
const { DatabaseSync } = require('node:sqlite');
const mode = process.env.MIGRATION ?? 'ok';
new DatabaseSync(process.env.DATABASE_URL.replace('sqlite:', '')).exec('CREATE TABLE IF NOT EXISTS persons (id INTEGER)');
console.log('migrating ' + process.argv[2] + ' (' + mode + ')');
if (mode === 'fail') { console.error('table is locked'); process.exit(7); }
setTimeout(() => process.exit(0), mode === 'slow' ? 60_000 : 50);
`;

const manifest = `
version: 1
units:
  api:
    start: node server.js api
    port: 8000
    health: /api/health
    probe: /docs
    image: { dockerfile: Dockerfile, target: api }
  frontend:
    start: node server.js frontend
    port: 3000
    health: /
    image: { dockerfile: Dockerfile, target: frontend }
install: node install.js
database:
  engines: [sqlite]
migrations:
  run: node migrate.js {name}
  scripts: [first, second]
`;

const dockerfile = `
FROM node:24-bookworm-slim AS base
WORKDIR /app
RUN mkdir -p /data && chown node:node /data
COPY . .
USER node
FROM base AS api
CMD ["node", "server.js", "api"]
FROM base AS frontend
CMD ["node", "server.js", "frontend"]
`;

export interface FixtureRepository {
  path: string;
  /** Adds a version; files by path, null removes. Returns the commit. */
  release(version: string, files: Record<string, string | null>): Promise<string>;
  commits: Record<string, string>;
  manifest: string;
}

/** A repository of the fixture application with the versions v1.0.0 and v1.1.0. */
export async function makeFixtureRepository(path: string): Promise<FixtureRepository> {
  await mkdir(path, { recursive: true });
  await promisify(execFile)('git', ['init', '--quiet', '--initial-branch=main', '--', path]);
  const repository: FixtureRepository = {
    path,
    manifest,
    commits: {},
    async release(version, files) {
      const commit = await addRelease(path, version, files);
      repository.commits[version] = commit;
      return commit;
    },
  };
  await repository.release('v1.0.0', {
    'tenant.yaml': manifest,
    'server.js': server,
    'migrate.js': migrate,
    'install.js': "console.log('installed');\n",
    Dockerfile: dockerfile,
  });
  await repository.release('v1.1.0', { 'NEWS.md': 'Version 1.1.0\n' });
  return repository;
}

/** Runs git without the configuration of the machine or its user. Returns its output. */
export async function git(directory: string, ...parameters: string[]): Promise<string> {
  const person = { NAME: 'Ada', EMAIL: 'ada@example.org', DATE: '1700000000 +0000' };
  const people = ['AUTHOR', 'COMMITTER'].flatMap((role) =>
    Object.entries(person).map(([field, value]) => [`GIT_${role}_${field}`, value]),
  );
  const settings = {
    PATH: process.env.PATH,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    HOME: directory,
  };
  const { stdout } = await promisify(execFile)('git', ['-c', 'protocol.file.allow=always', ...parameters], {
    cwd: directory,
    env: { ...settings, ...Object.fromEntries(people) },
  });
  return stdout.trim();
}

/**
 * Commits to a repository, which is created if it is missing.
 * @param files contents by path; null removes a file
 * @param submodules commits by path
 * @returns the commit
 */
export async function commitFiles(
  directory: string,
  files: Record<string, string | Buffer | null>,
  submodules: Record<string, string> = {},
): Promise<string> {
  await mkdir(directory, { recursive: true });
  await git(directory, 'init', '--quiet', '--initial-branch=main');
  for (const [name, content] of Object.entries(files)) {
    const path = join(directory, name);
    if (content === null) await rm(path, { recursive: true });
    else {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, content);
    }
  }
  await git(directory, 'add', '--all');
  for (const [path, commit] of Object.entries(submodules))
    await git(directory, 'update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
  await git(directory, 'commit', '--quiet', '--allow-empty', '--message', 'Change');
  return git(directory, 'rev-parse', 'HEAD');
}
