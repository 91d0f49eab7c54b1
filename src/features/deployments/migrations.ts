import type { Runtime, UnitSpec } from '../../platform/runtime/runtime.ts';
import type { Work } from './dependencies.ts';
import type { Manifest } from './manifest.ts';

const timeoutMs = 30 * 60_000;

/**
 * Runs a version's migration scripts, in order, in the api unit's environment.
 * @returns the scripts' command lines
 * @throws Error naming the script that failed
 */
export async function runMigrations(
  units: readonly UnitSpec[],
  migrations: NonNullable<Manifest['migrations']>,
  runtime: Runtime,
  work: Work,
): Promise<string[]> {
  const api = units.find((unit) => unit.role === 'api');
  if (!api) throw new Error('There is no api unit to run migrations in');
  const { hostPort: _hostPort, ...place } = api;
  const commands: string[] = [];
  for (const script of migrations.scripts) {
    const command = migrations.run.replaceAll('{name}', script);
    work.log(`Migration ${script}`);
    const { exitCode, timedOut } = await runtime.run({ ...place, command, timeoutMs }, work);
    if (timedOut) throw new Error(`Migration ${script} did not finish within ${timeoutMs / 60_000} minutes`);
    if (exitCode !== 0) throw new Error(`Migration ${script} ended with exit code ${exitCode ?? 'none (killed)'}`);
    commands.push(command);
  }
  return commands;
}
