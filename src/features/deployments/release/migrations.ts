import type { Runtime, UnitSpec } from '../../../adapters/runtimes/runtime.ts';
import type { Work } from '../dependencies.ts';
import type { Manifest } from '../manifest.ts';
import { explaining } from './explain-failure.ts';

const timeoutMs = 30 * 60_000;

/**
 * Runs a version's migration scripts, in order, as one job in the api unit's environment. The first that fails ends it. The
 * job's place is made while what the scripts need is getting ready (a new database server takes seconds).
 * @throws Error naming the script that failed; what `ready` is rejected with
 */
export async function runMigrations(
  units: readonly UnitSpec[],
  migrations: NonNullable<Manifest['migrations']>,
  { runtime, ready, onScript }: { runtime: Runtime; ready: Promise<unknown>; onScript?: (name: string) => void },
  work: Work,
): Promise<void> {
  const api = units.find((unit) => unit.role === 'api');
  if (!api) throw new Error('There is no api unit to run migrations in');
  const { hostPort: _hostPort, ...job } = api;
  await explaining(work, (heard) =>
    runtime.runJob(job, heard, async (run) => {
      await ready;
      for (const script of migrations.scripts) {
        onScript?.(script);
        work.log(`Migration ${script}`);
        const { exitCode, timedOut } = await run(migrations.run.replaceAll('{name}', script), { timeoutMs });
        if (timedOut) throw new Error(`Migration ${script} did not finish within ${timeoutMs / 60_000} minutes`);
        if (exitCode !== 0) throw new Error(`Migration ${script} ended with exit code ${exitCode ?? 'none (killed)'}`);
      }
    }),
  );
}

/** The scripts' paths within the repository, as the line that runs them names them (`node scripts/{name}.js`). */
export function scriptPaths({ run, scripts }: NonNullable<Manifest['migrations']>): string[] {
  const word = run.split(/\s+/).find((part) => part.includes('{name}')) ?? '{name}';
  return scripts.map((name) => word.replaceAll('{name}', name));
}
