import PQueue from 'p-queue';
import type { EventBus } from '../../adapters/events/bus.ts';
import { type Runtime, type UnitRole, unitRoles } from '../../adapters/runtimes/runtime.ts';
import { mapConcurrently } from '../../lib/concurrency/map-concurrently.ts';
import { withTimeout } from '../../lib/concurrency/timeout.ts';
import { AppError, messageOf, notFound } from '../../lib/errors.ts';
import { toTimestamp, toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import type { Route } from '../../lib/http/routing/route.ts';
import type { Logger } from '../../lib/logger.ts';
import { runTask } from '../../lib/workers/worker-task.ts';
import { spaceOf, type Tenant, type Tenants } from '../tenants/tenants.ts';
import type { KeptLine } from './keep/line.ts';
import type { LogKeeper } from './keep/log-keeper.ts';
import { logArchiveRoutes, type Searcher } from './routes.ts';
import type { AroundTask, SearchResult, SearchTask } from './search/scan.ts';
import type { NamedLine } from './search/sources.ts';

export { keepingLogs } from './keep/keeping-runtime.ts';
export type { KeptLine } from './keep/line.ts';
export { createLogKeeper, type LogKeeper } from './keep/log-keeper.ts';

export interface LogArchiveDeps {
  keeper: LogKeeper;
  runtime: Runtime;
  tenants: Pick<Tenants, 'get' | 'find' | 'each'>;
  events: EventBus;
  logger: Logger;
}

export interface LogArchive {
  routes: Route[];
  /** Keeps what all units have written since the last time. */
  collectAll(signal: AbortSignal): Promise<void>;
  /** The last lines of a unit, of whichever generation, the oldest first: also of one that has crashed or is gone. */
  lastLines(tenantId: string, role: UnitRole, count: number): Promise<KeptLine[]>;
  /** Removes lines of before, and the logs of deleted tenants. */
  removeOlderThan(before: Date): Promise<void>;
}

/** Units whose logs are read at the same time. */
const collectors = 4;
/** How long a caller waits for the newest lines. */
const freshWithinMs = 3_000;
/** Threads that search; each takes memory of its own. */
const searchers = 2;
/** Searches of one user that run or wait, and of all users. */
const openOfUser = 6;
const openOfAll = 60;
const heapMb = 160;
const pageWithinMs = 700;
const searchWithinMs = 8_000;
const searchProcessorMs = 20_000;

const entry = new URL('./search/worker.ts', import.meta.url);
const roleOf = { frontend: 'frontend', backend: 'api' } as const;
const unitOf = { frontend: 'frontend', api: 'backend' } as const satisfies Record<UnitRole, string>;

const tooLong = (): AppError =>
  new AppError('runtime_unavailable', 'The search took too long. Choose one service or a shorter time, then try again');

/** Logs that are kept past the life of the units, and their search. */
export function createLogArchive({ keeper, runtime, tenants, events, logger }: LogArchiveDeps): LogArchive {
  const queue = new PQueue({ concurrency: searchers });

  /** How many searches each user has open. */
  const open = new Map<string, number>();

  /** Users take turns: a search waits behind all those of users who have fewer open. */
  async function run<Result>(task: SearchTask | AroundTask, { userId, signal }: Searcher): Promise<Result> {
    const own = open.get(userId) ?? 0;
    if (own >= openOfUser || queue.size + queue.pending >= openOfAll)
      throw new AppError('rate_limited', 'Too many searches at the same time; try again when one has ended', {
        headers: { 'Retry-After': '5' },
      });
    open.set(userId, own + 1);
    const limits = { heapMb, processorMs: searchProcessorMs, timedOut: tooLong, signal };
    try {
      return await queue.add(() => runTask<typeof task, never, Result>(entry, task, limits), {
        priority: -own,
        signal,
      });
    } finally {
      const left = (open.get(userId) ?? 1) - 1;
      if (left > 0) open.set(userId, left);
      else open.delete(userId);
    }
  }

  /** Older lines are better than none: an engine that hangs does not end it. */
  const refresh = (tenant: Tenant): Promise<void> =>
    withTimeout(() => keeper.collect(runtime, spaceOf(tenant), { timeoutMs: freshWithinMs }), {
      timeoutMs: freshWithinMs,
    }).catch(() => undefined);

  const removeOrphans = (): Promise<void> =>
    keeper.removeExcept(async (tenantId) => (await tenants.find(tenantId)) !== undefined);
  events.on('tenant_status', ({ tenant_id, status }) => {
    if (status !== 'deleted') return;
    keeper
      .remove(tenant_id)
      .catch((error: unknown) =>
        logger.warn({ message: messageOf(error) }, 'logs of a deleted tenant are still there'),
      );
  });

  return {
    async collectAll(signal) {
      // A warning for each unit would hide the one for the engine.
      if (!(await runtime.availability()).available) return;
      await mapConcurrently(tenants.each(), collectors, async (tenant) => {
        if (tenant.deployed && !signal.aborted) await keeper.collect(runtime, spaceOf(tenant), { signal });
      });
    },

    async lastLines(tenantId, role, count) {
      await refresh(await tenants.get(tenantId));
      return withTimeout(() => keeper.lastLines(tenantId, role, count), { timeoutMs: freshWithinMs });
    },

    async removeOlderThan(before) {
      await keeper.removeBefore(before);
      await removeOrphans();
    },

    routes: logArchiveRoutes({
      async search(tenantId, { unit, since, until, ...query }, searcher) {
        const tenant = await tenants.get(tenantId);
        if (query.cursor === undefined) await refresh(tenant);
        const task: SearchTask = {
          task: 'search',
          directory: keeper.directoryOf(tenantId),
          roles: unit ? [roleOf[unit]] : unitRoles,
          since: since === undefined ? undefined : Date.parse(since),
          until: until === undefined ? undefined : Date.parse(until),
          pageWithinMs,
          timeoutMs: searchWithinMs,
          ...query,
        };
        const { hits, cursor, searchedTo } = await run<SearchResult>(task, searcher);
        return {
          tenant_id: tenantId,
          hits: hits.map(({ role, generation, level, before, after, ...line }) => ({
            ...lineAnswer(line),
            unit: unitOf[role],
            generation,
            level,
            before: before.map(lineAnswer),
            after: after.map(lineAnswer),
          })),
          next_cursor: cursor,
          searched_to: searchedTo === null ? null : toTimestamp(new Date(searchedTo)),
        };
      },

      async lines(tenantId, query, searcher) {
        await tenants.get(tenantId);
        const directory = keeper.directoryOf(tenantId);
        const lines = await run<NamedLine[] | undefined>({ task: 'around', directory, ...query }, searcher);
        if (!lines) throw notFound('log line', query.line);
        const [role, generation = ''] = query.line.split('.');
        const unit = role === 'api' ? 'backend' : 'frontend';
        return { tenant_id: tenantId, unit, generation, lines: lines.map(lineAnswer) };
      },

      async archive(tenantId) {
        await refresh(await tenants.get(tenantId));
        const generations = await Promise.all(unitRoles.map((role) => keeper.generations(tenantId, role)));
        return {
          tenant_id: tenantId,
          generations: generations.flat().map(({ role, startedAt, endedAt, first, last, ...kept }) => ({
            ...kept,
            unit: unitOf[role],
            started_at: toTimestamp(new Date(startedAt)),
            ended_at: timestampOf(endedAt),
            first_line_at: timestampOf(first),
            last_line_at: timestampOf(last),
          })),
        };
      },
    }),
  };
}

const timestampOf = (time: number | null): string | null => toTimestampOrNull(time === null ? null : new Date(time));

const lineAnswer = ({ id, time, stream, node, message }: NamedLine) => ({
  id,
  timestamp: timestampOf(time),
  stream,
  node,
  message,
});
