import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type StreamedProgram, streamProgram } from '../../../../lib/spawn.ts';
import { sizeOfFiles } from '../../file-sizes.ts';
import type { TenantData, TenantSpace } from '../../runtime.ts';
import type { TenantPaths } from './paths.ts';
import { whileStill } from './pause.ts';
import { programEnvironment } from './programs.ts';
import type { SystemUser } from './users.ts';

/**
 * Tenants can change their data directories at any moment: programs in them run as the tenant's user, so that a malicious link
 * leads nowhere the tenant could not go.
 */
export function createDataFiles(paths: TenantPaths): TenantData {
  const namesIn = (tenant: TenantSpace): Promise<string[]> => readdir(paths.data(tenant)).catch((): string[] => []);

  function runIn(
    tenant: TenantSpace,
    user: SystemUser,
    argv: readonly string[],
    signal: AbortSignal,
    input?: AsyncIterable<Uint8Array>,
  ): StreamedProgram {
    // The directory is entered before the privileges are dropped: its parents are closed to the user.
    const identity = [`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups', '--no-new-privs'];
    const args = [`--chdir=${paths.data(tenant)}`, 'setpriv', ...identity, '--', ...argv];
    return streamProgram('env', args, { env: programEnvironment, signal, input });
  }

  async function* read(tenant: TenantSpace, names: readonly string[], signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const user = await paths.ensure(tenant);
    const argv = ['tar', '--create', '--file=-', '--format=posix', ...fromList];
    const program = runIn(tenant, user, argv, signal, listed(names));
    yield* program.output;
    const { exitCode, errors } = await program.ended;
    // 1: a file changed or disappeared during the read; no failure.
    if (exitCode !== 0 && exitCode !== 1 && !onlyGone(errors))
      throw new Error(`The data of ${tenant.slug} could not be read: ${errors || exitCode}`);
  }

  return {
    size: (tenant, names) => sizeOfFiles(names.map((name) => join(paths.data(tenant), name))),
    async *read(tenant, { only, except, still, signal }) {
      const there = await namesIn(tenant);
      const names = there.filter((name) => (only ? only.includes(name) : !except?.includes(name)));
      const reading = () => read(tenant, names, signal);
      yield* still ? whileStill(tenant, reading) : reading();
    },
    async remove(tenant, which, signal) {
      const chosen = (await namesIn(tenant)).filter((name) =>
        'only' in which ? which.only.includes(name) : !which.except.includes(name),
      );
      if (chosen.length === 0) return;
      const user = await paths.ensure(tenant);
      const program = runIn(tenant, user, ['xargs', '--null', 'rm', '-rf', '--'], signal, listed(chosen));
      await finished(program, `The data of ${tenant.slug} could not be removed`);
    },
    async write(tenant, content, signal) {
      const user = await paths.ensure(tenant);
      const argv = ['tar', '--extract', '--file=-', '--no-same-owner', '--preserve-permissions', '--no-overwrite-dir'];
      await finished(runIn(tenant, user, argv, signal, content), `The data of ${tenant.slug} could not be written`);
    },
  };
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
