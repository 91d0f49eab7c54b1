import type { RuntimeJobs, UnitSpec } from '../../../adapters/runtimes/runtime.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import type { Manifest } from '../manifest.ts';
import { explaining } from './explain-failure.ts';

const timeoutMs = 30 * 60_000;

/**
 * Runs a version's migration scripts in order, as one job in the api unit's environment, and stops at the first failure. The
 * job is prepared while `ready` is pending: a new database server takes seconds to start.
 * @throws Error naming the script that failed; the rejection of `ready`
 */
export async function runMigrations(
  units: readonly UnitSpec[],
  migrations: NonNullable<Manifest['migrations']>,
  { runtime, ready, onScript }: { runtime: RuntimeJobs; ready: Promise<unknown>; onScript?: (name: string) => void },
  work: Work,
): Promise<void> {
  const api = units.find((unit) => unit.role === 'api');
  if (!api) throw new Error('There is no api unit to run migrations in');
  const { hostPort: _hostPort, ...job } = api;
  await explaining(work, (recorded) =>
    runtime.runJob(job, recorded, async (run) => {
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

/** The scripts' paths in the repository, taken from the command that runs them (`node scripts/{name}.js`). */
export function scriptPaths({ run, scripts }: NonNullable<Manifest['migrations']>): string[] {
  const word = run.split(/\s+/).find((part) => part.includes('{name}')) ?? '{name}';
  return scripts.map((name) => word.replaceAll('{name}', name));
}
