import { setTimeout as sleep } from 'node:timers/promises';
import { type LeaseTable, longestUnprovenMs, openLeaseTable, renewEveryMs } from '../../adapters/store/lease.ts';
import { actingDeadline, sinceBootMs } from '../../lib/concurrency/acting-deadline.ts';
import { killGroups, runningPrograms } from '../../lib/concurrency/running-programs.ts';
import { messageOf } from '../../lib/errors.ts';
import type { FileLock } from '../../lib/files/file-lock.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Config } from '../config/config.ts';
import { secretKeyCheck } from '../config/secret-key.ts';
import { type StandbyServer, startStandbyServer } from '../http/standby-server.ts';
import { storeProblem } from '../http/store-problem.ts';
import { takeLease } from './lease.ts';
import { startWatchdog, type Watchdog } from './watchdog.ts';

/** The lease on a store that several managers can reach. */
export interface HeldLease {
  /** Every write of the store depends on it. */
  token: number;
  /** Of the data directory; undefined after a takeover from a manager that hangs, which still has it. */
  lock: FileLock | undefined;
  /** Ends this process: another manager has taken over, or may have. */
  onLost(): never;
  /** Whether a standby waits; undefined where there is none to be. */
  hasStandby(): Promise<boolean | undefined>;
  /** Lets the next manager take over at once. Nothing may be written after it. */
  giveBack(): Promise<void>;
}

const tryAgainMs = 1_000;

/**
 * Takes the lease of a MySQL or MariaDB store and keeps it renewed. With STANDBY it waits while another manager has it, and
 * answers at the ports in the meantime.
 * @param place.checkKey throws where SECRET_KEY is not the one of this check value of the store
 * @throws ConfigError where the lease can't be had, or the database can't be opened
 */
export async function holdLease(place: {
  config: Config;
  url: string;
  version: string;
  logger: Logger;
  checkKey(value: string | undefined): void;
}): Promise<HeldLease> {
  const { config, url, version, logger, checkKey } = place;
  const { STANDBY: standby, HOST: host } = config;
  const table = await openLeaseTable(url).catch((error: unknown) => {
    throw storeProblem(error);
  });
  const deadline = createDeadline(standby, logger);
  let server: StandbyServer | undefined;
  let active = '';
  const ports = [
    { name: 'PORT', host, port: config.PORT },
    { name: 'DASHBOARD_PORT', host, port: config.DASHBOARD_PORT },
  ] as const;

  async function onWait(holder: string): Promise<void> {
    active = holder;
    logger.info({ active }, standby ? 'standby: another manager is active' : 'waits until the lease of another ends');
    if (!standby || server) return;
    checkKey(await table.fact(secretKeyCheck));
    server = await startStandbyServer(ports, () => active);
  }
  try {
    const onTaken = deadline.proven;
    const { token, lock } = await takeLease({
      table,
      dataDirectory: config.DATA_DIR,
      version,
      standby,
      onWait,
      onTaken,
    });
    if (server) logger.warn({ before: active, takeover: token }, 'standby: takes over');
    return renewed({ table, token, lock, standby, logger, deadline });
  } catch (error) {
    deadline.stop();
    await table.close();
    throw error;
  } finally {
    await server?.close();
  }
}

/** Ends this process 10 s after the last proof of its lease. */
interface Deadline {
  /** @param asked when the proof was asked for, on the clock of `sinceBootMs` */
  proven(asked: number): void;
  end(reason: string): never;
  stop(): void;
}

/** Without a standby no other one takes over from a manager that runs, however long its database is away: it does not end. */
function createDeadline(standby: boolean, logger: Logger): Deadline {
  let watchdog: Watchdog | undefined;
  let watch: NodeJS.Timeout | undefined;
  const end = (reason: string): never => {
    logger.fatal({ reason }, 'the manager ends: another one is active, or may be');
    killGroups(runningPrograms.groups);
    process.exit(1);
  };
  return {
    end,
    proven(asked) {
      if (!standby) return;
      const until = asked + longestUnprovenMs;
      actingDeadline.extend(until, () => end('the lease could not be renewed for 10 s'));
      watchdog ??= startWatchdog(() => end('its watchdog has ended'));
      watchdog.extend(until);
      watch ??= setInterval(() => actingDeadline.check(), 250).unref();
    },
    stop() {
      clearInterval(watch);
      actingDeadline.clear();
      watchdog?.stop();
    },
  };
}

function renewed(held: {
  table: LeaseTable;
  token: number;
  lock: FileLock | undefined;
  standby: boolean;
  logger: Logger;
  deadline: Deadline;
}): HeldLease {
  const { table, token, lock, standby, logger, deadline } = held;
  const stopped = new AbortController();
  const onLost = () => deadline.end('another manager has the lease');

  async function renew(): Promise<void> {
    for (let pauseMs = renewEveryMs; ; ) {
      await sleep(pauseMs, undefined, { signal: stopped.signal, ref: false });
      const asked = sinceBootMs();
      try {
        if (!(await table.renew(token))) onLost();
        deadline.proven(asked);
        pauseMs = renewEveryMs;
      } catch (error) {
        // Once for each outage.
        if (pauseMs !== tryAgainMs) logger.warn({ message: messageOf(error) }, 'the lease was not renewed');
        pauseMs = tryAgainMs;
      }
    }
  }
  const renewing = renew().catch(() => undefined);

  return {
    token,
    lock,
    onLost,
    hasStandby: async () => (standby ? (await table.standby()) !== undefined : undefined),
    async giveBack() {
      stopped.abort();
      await renewing;
      deadline.stop();
      await table
        .giveBack(token)
        .catch((error: unknown) => logger.warn({ message: messageOf(error) }, 'the lease was not given back'));
      await table.close();
    },
  };
}
