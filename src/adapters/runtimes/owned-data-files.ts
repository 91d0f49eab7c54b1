import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type StreamedProgram, streamProgram } from '../../lib/spawn.ts';
import { missingDirectories, sizeOfFiles, type TenantData, type TenantSpace } from './tenant-data.ts';

/** A directory on a disk of the manager's machine, and the user to whom it belongs. */
export interface OwnedDirectory {
  path: string;
  uid: number;
  gid: number;
}

const environment = { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C.UTF-8' };

/**
 * Tenants can change their data directories at any moment: programs in them run as the tenant's user, so that a malicious link
 * leads nowhere the tenant could not go.
 * @param options.pathOf where a tenant's directory is or would be
 * @param options.directoryOf the directory and its user, which are created if necessary. @throws when there can't be one
 * @param options.missing which of the directories do not exist
 * @param options.whileStill reads while no unit of the tenant runs, if the runtime can
 */
export function createOwnedDataFiles(options: {
  pathOf(tenant: TenantSpace): string;
  directoryOf(tenant: TenantSpace): Promise<OwnedDirectory>;
  whileStill?(tenant: TenantSpace, read: () => AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array>;
  missing?: typeof missingDirectories;
}): TenantData {
  const { pathOf, directoryOf, whileStill, missing = missingDirectories } = options;
  const namesIn = (tenant: TenantSpace): Promise<string[]> => readdir(pathOf(tenant)).catch((): string[] => []);

  async function* read(tenant: TenantSpace, names: readonly string[], signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const directory = await directoryOf(tenant);
    const argv = ['tar', '--create', '--file=-', '--format=posix', ...fromList];
    const program = runIn(directory, argv, signal, listed(names));
    yield* program.output;
    const { exitCode, errors } = await program.ended;
    // 1: a file changed or disappeared during the read; no failure.
    if (exitCode !== 0 && exitCode !== 1 && !onlyGone(errors))
      throw new Error(`The data of ${tenant.slug} could not be read: ${errors || exitCode}`);
  }

  return {
    size: (tenant, names) => sizeOfFiles(names.map((name) => join(pathOf(tenant), name))),
    async *read(tenant, { only, except, still, signal }) {
      const there = await namesIn(tenant);
      const names = there.filter((name) => (only ? only.includes(name) : !except?.includes(name)));
      const reading = () => read(tenant, names, signal);
      yield* still && whileStill ? whileStill(tenant, reading) : reading();
    },
    async remove(tenant, which, signal) {
      const chosen = (await namesIn(tenant)).filter((name) =>
        'only' in which ? which.only.includes(name) : !which.except.includes(name),
      );
      if (chosen.length > 0) await removeIn(await directoryOf(tenant), chosen, signal);
    },
    missing: (tenants) => missing(tenants, pathOf),
    async move(tenant, where, signal) {
      const directory = await directoryOf(tenant);
      const path = pathOf(tenant);
      const [from, to, except] =
        'into' in where ? ['.', where.into, [where.into, ...where.except]] : [where.from, '.', []];
      const names = await readdir(join(path, from)).catch((): string[] => []);
      const moved = names.filter((name) => !except.includes(name)).map((name) => `./${from}/${name}`);
      await makeIn(directory, to, signal);
      const argv = ['xargs', '--null', '--no-run-if-empty', 'mv', '-f', `--target-directory=${to}`, '--'];
      await finished(runIn(directory, argv, signal, listed(moved)), `The data of ${tenant.slug} could not be moved`);
    },
    async write(tenant, content, signal, { into = '.' } = { into: '.' }) {
      const directory = await directoryOf(tenant);
      await makeIn(directory, into, signal);
      const argv = ['tar', '--extract', '--file=-', '--no-same-owner', '--preserve-permissions', '--no-overwrite-dir'];
      const program = runIn(directory, [...argv, `--directory=${into}`], signal, content);
      await finished(program, `The data of ${tenant.slug} could not be written`);
    },
  };
}

/**
 * Removes entries of a directory, as its user, also where that user has closed directories to itself: rm follows no link and leaves
 * the directory by none.
 */
export async function removeIn(
  directory: OwnedDirectory,
  names: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const argv = ['xargs', '--null', '--no-run-if-empty', 'rm', '-rf', '--'];
  const anyMode = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override'];
  const program = runIn(directory, argv, signal, listed(names), anyMode);
  await finished(program, `${directory.path} could not be emptied`);
}

async function makeIn(directory: OwnedDirectory, name: string, signal: AbortSignal): Promise<void> {
  const program = runIn(directory, ['mkdir', '--parents', '--', name], signal, listed([]));
  await finished(program, `${directory.path} could not be written`);
}

/** The directory is entered before the privileges are dropped: its parents are closed to the user. */
function runIn(
  { path, uid, gid }: OwnedDirectory,
  argv: readonly string[],
  signal: AbortSignal,
  input: AsyncIterable<Uint8Array>,
  privileges: readonly string[] = [],
): StreamedProgram {
  const identity = [`--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--no-new-privs'];
  const args = [`--chdir=${path}`, 'setpriv', ...identity, ...privileges, '--', ...argv];
  return streamProgram('env', args, { env: environment, signal, input });
}

const fromList = ['--null', '--verbatim-files-from', '--files-from=-'];

async function* listed(names: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const name of names) yield Buffer.from(`${name}\0`);
}

function onlyGone(errors: string): boolean {
  const lines = errors.split('\n').filter((line) => line !== '');
  return lines.every((line) => /No such file or directory|Exiting with failure status/.test(line)) && lines.length > 0;
}

async function finished(program: StreamedProgram, failure: string): Promise<void> {
  for await (const _ of program.output);
  const { exitCode, errors } = await program.ended;
  if (exitCode !== 0) throw new Error(`${failure}: ${errors || exitCode}`);
}
