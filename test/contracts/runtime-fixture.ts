import { randomBytes } from 'node:crypto';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ReleaseRequest } from '../../src/adapters/runtimes/runtime.ts';

/** The tenant application of the contract suite: no dependencies, controlled by its environment and by requests. */
const server = `
import { createServer } from 'node:http';
import { readFileSync, writeFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';

const version = readFileSync(new URL('VERSION', import.meta.url), 'utf8').trim();
const instance = randomUUID();
if (process.env.CRASH) {
  console.error('refusing to start');
  process.exit(3);
}
process.on('SIGTERM', () => { if (!process.env.IGNORE_SIGTERM) process.exit(0); });

const answers = {
  '/': () => ({ version, instance, cwd: process.cwd() }),
  '/env': () => ({ ...process.env }),
  '/say': ({ text, times, stream }) => {
    const lines = Array.from({ length: Number(times ?? 1) }, (_, at) => text + '-' + (at + 1) + '\\n').join('');
    process[stream === 'stderr' ? 'stderr' : 'stdout'].write(lines);
    return {};
  },
  '/read': ({ path }) => ({ content: readFileSync(path, 'utf8') }),
  '/write': ({ path, text }) => { writeFileSync(path, text); return {}; },
  '/burn': ({ ms }) => { const end = Date.now() + Number(ms); while (Date.now() < end); return {}; },
  '/exit': ({ code }) => { setTimeout(() => process.exit(Number(code)), 20); return {}; },
};

createServer((request, response) => {
  const url = new URL(request.url, 'http://unit');
  try {
    const answer = answers[url.pathname](Object.fromEntries(url.searchParams));
    response.setHeader('Connection', 'close').end(JSON.stringify(answer));
  } catch (error) {
    response.writeHead(404, { Connection: 'close' }).end(String(error));
  }
}).listen(Number(process.env.PORT), process.env.HOST, () => console.log('listening ' + version + ' ' + instance));
`;

/** The install command and the image build: print a unique number, so that two runs can be distinguished. */
const build = `
import { existsSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
console.log('BUILD ' + process.argv[2] + ' ' + randomUUID());
if (existsSync('fail')) {
  console.error('the build fails on purpose');
  process.exit(4);
}
await new Promise((resolve) => setTimeout(resolve, existsSync('slow') ? 600_000 : 500));
`;

const job = `
const [what, value] = process.argv.slice(2);
if (what === 'exit') process.exit(Number(value));
if (what === 'env') console.log(value + '=' + JSON.stringify(process.env[value] ?? null));
if (what === 'lines') for (let at = 1; at <= Number(value); at += 1) console.log('line ' + at);
if (what === 'sleep') {
  console.log('sleeping');
  setInterval(() => {}, 1_000);
}
`;

const dockerfile = `FROM node:24-bookworm-slim AS base
WORKDIR /app
COPY . .
LABEL traefik.enable=true org.tenantry.tenant=another
FROM base AS api
RUN node build.mjs api
USER node
CMD ["node", "server.mjs"]
FROM base AS frontend
RUN node build.mjs frontend
USER node
CMD ["node", "server.mjs"]
`;

/** Writes a checkout of the application and describes it as a release with both parts: start commands and images. */
export async function writeRelease(
  directory: string,
  version: string,
  flaw?: 'slow' | 'fail',
): Promise<ReleaseRequest> {
  const commit = randomBytes(20).toString('hex');
  const checkout = join(directory, commit);
  await mkdir(checkout, { recursive: true });
  // Images run as their own user, who must be able to read the copied files.
  await chmod(checkout, 0o755);
  const files = {
    VERSION: version,
    // Makes each checkout unique: an image build must not find its steps in the engine's cache.
    COMMIT: commit,
    Dockerfile: dockerfile,
    'server.mjs': server,
    'build.mjs': build,
    'job.mjs': job,
  };
  for (const [name, content] of Object.entries(files)) await writeFile(join(checkout, name), content, { mode: 0o644 });
  if (flaw) await writeFile(join(checkout, flaw), '');
  return {
    key: `contract-${commit}`,
    commit,
    checkout,
    install: 'node build.mjs all',
    units: {
      api: { start: 'node server.mjs', port: 8000, image: { dockerfile: 'Dockerfile', target: 'api' } },
      frontend: { start: 'node server.mjs', port: 3000, image: { dockerfile: 'Dockerfile', target: 'frontend' } },
    },
  };
}
