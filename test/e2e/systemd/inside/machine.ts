import { execFile } from 'node:child_process';
import { mkdtemp, readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The output of a program on the machine. @throws Error if it fails */
export const output = async (program: string, ...args: string[]): Promise<string> =>
  (await run(program, args, { maxBuffer: 16 * 1024 * 1024 })).stdout;

export const scratchDirectory = (name: string): Promise<string> => mkdtemp(join(tmpdir(), `tenantry-${name}-`));

/** All files of a tenant's units where systemd looks for units, links included. */
export async function unitsOnDisk(slug: string): Promise<string[]> {
  const names = await readdir('/etc/systemd/system', { recursive: true });
  return names.filter((name) => name.includes(`${slug}-`));
}

/** Users (and their groups) that a manager has created. */
export async function usersOf(instance: string): Promise<string[]> {
  const users = (await output('getent', 'passwd'))
    .split('\n')
    .filter((line) => line.includes(`:Tenantry ${instance} `));
  return users.map((line) => line.split(':')[0] ?? '');
}
