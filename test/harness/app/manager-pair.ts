import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '../data/tenants.ts';
import { type ManagerProcess, makeManagerProcess } from './manager-process.ts';

/**
 * Two managers on one store and one data directory, used like one: `start` after `kill` waits for the standby to take over, and
 * starts the killed one as the next standby.
 */
export interface ManagerPair extends ManagerProcess {
  active: ManagerProcess;
  standby: ManagerProcess;
  /** Waits until the standby is the active manager, and signs in there. */
  takeOver(): Promise<void>;
}

export const readiness = (url: string): Promise<number> =>
  fetch(`${url}/readyz`).then(
    ({ status }) => status,
    () => 0,
  );

/**
 * @param databaseUrl of an empty database on MySQL or MariaDB
 * @param ofStandby variables of the second manager alone
 */
export async function makeManagerPair(
  databaseUrl: string,
  environment: Record<string, string> = {},
  ofStandby: Record<string, string> = {},
): Promise<ManagerPair> {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-managers-'));
  const shared = { DATABASE_URL: databaseUrl, SECRET_KEY: 'both managers have the same key ..', STANDBY: 'true' };
  const make = (own = {}) => makeManagerProcess({ ...shared, ...environment, ...own }, directory);
  let isFirst = true;

  const pair: ManagerPair = {
    active: await make(),
    standby: await make(ofStandby),
    directory,
    get url() {
      return pair.active.url;
    },
    get token() {
      return pair.active.token;
    },
    call: (method, path, options) => pair.active.call(method, path, options),
    async takeOver() {
      [pair.active, pair.standby] = [pair.standby, pair.active];
      await until(
        () => readiness(pair.active.url),
        (status) => status === 200,
      );
      await pair.active.signIn();
    },
    async start() {
      if (isFirst) await pair.active.start();
      else await pair.takeOver();
      isFirst = false;
      await pair.standby.launch();
    },
    launch: () => pair.active.launch(),
    signIn: () => pair.active.signIn(),
    kill: () => pair.active.kill(),
    suspend: () => pair.active.suspend(),
    hang: () => pair.active.hang(),
    resume: () => pair.active.resume(),
    ended: () => pair.active.ended(),
    async stop() {
      await pair.standby.kill();
      return pair.active.stop();
    },
    async remove() {
      await Promise.all([pair.active.kill(), pair.standby.kill()]);
      await rm(directory, { recursive: true, force: true });
    },
    output: () => pair.active.output() + pair.standby.output(),
  };
  return pair;
}
