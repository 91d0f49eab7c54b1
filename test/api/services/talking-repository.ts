import { type FixtureRepository, makeFixtureRepository } from '../../harness/data/fixture-repository.ts';

/** Prints what it is asked to, and dies when it is asked to. */
const server = `
const http = require('node:http');
const role = process.argv[2];
http.createServer((request, response) => {
  const url = new URL(request.url, 'http://unit');
  if (url.pathname === '/say') return process.stdout.write(url.searchParams.get('text') + '\\n', () => response.end());
  if (url.pathname === '/die') return process.stdout.write('about to die\\nTypeError: moon is undefined\\n    at reach (moon.js:7)\\n', () => process.kill(process.pid, 'SIGKILL'));
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ status: 'healthy' }));
}).listen(Number(process.env.PORT), process.env.HOST, () => console.log(role + ' of ' + process.env.APP_VERSION + ' listens'));
process.on('SIGTERM', () => process.stdout.write(role + ' says goodbye\\n', () => process.exit(0)));
`;

/** A repository whose application prints what its path `/say` is asked for. */
export async function makeTalkingRepository(path: string): Promise<FixtureRepository> {
  const repository = await makeFixtureRepository(path);
  await repository.release('v7.0.0', { 'server.js': server });
  await repository.release('v7.1.0', { 'notes.txt': 'a change' });
  return repository;
}

export interface SearchAnswer {
  hits: {
    id: string;
    message: string;
    unit: string;
    generation: string;
    level: string | null;
    before: { message: string }[];
    after: { message: string }[];
  }[];
  next_cursor: string | null;
}

export interface ArchiveAnswer {
  generations: {
    unit: string;
    generation: string;
    state: string;
    commit: string;
    reason: string | null;
    lines: number;
  }[];
}
