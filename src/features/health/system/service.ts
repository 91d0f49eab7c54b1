import { statfs } from 'node:fs/promises';
import type { z } from 'zod';
import type { Runtime } from '../../../adapters/runtimes/runtime.ts';
import type { Store } from '../../../adapters/store/store.ts';
import { type Clock, clockDifferenceText } from '../../../lib/clock.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import { messageOf } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/http/routing/formats.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { Tenants } from '../../tenants/tenants.ts';
import { diskUsage } from './disk-usage.ts';
import { nodeFindings } from './nodes.ts';
import type { systemDisk, systemOverview } from './schema.ts';

type Space = Omit<z.input<typeof systemDisk>, 'parts' | 'build_cache_bytes'>;

export interface SystemService {
  overview(): Promise<z.input<typeof systemOverview>>;
  /** The free space, without measuring what uses it. */
  space(): Promise<Space>;
  disk(): Promise<z.input<typeof systemDisk>>;
}

/** An engine that hangs must not hold up the search for problems. */
const engineWithinMs = 3_000;
/** An engine before API 1.42 measures its images and volumes with it. */
const engineMeasuresWithinMs = 30_000;

/** Reports the status of the manager, its runtime, its store and its disk. */
export function createSystemService(deps: {
  store: Store;
  runtime: Runtime;
  /** Where tenants run that have not been moved yet. */
  origin: Pick<Runtime, 'kind'> | undefined;
  tenants: Tenants;
  operations: Pick<OperationEngine, 'counts'>;
  imports: Pick<OperationEngine, 'counts'>;
  clock: Clock;
  logger: Logger;
  version: string;
  startedAt: Date;
  metricsToken: boolean;
  dataDirectory: string;
  neededBytes(): Promise<number>;
  /** Whether another manager waits to take over; undefined where none is expected. */
  hasStandby(): Promise<boolean | undefined>;
}): SystemService {
  const { store, runtime, tenants, clock, logger, dataDirectory } = deps;

  async function parts(): Promise<z.input<typeof systemDisk>['parts']> {
    try {
      return await diskUsage(dataDirectory);
    } catch (error) {
      logger.warn({ message: messageOf(error) }, 'could not measure the disk usage');
      return null;
    }
  }

  async function buildCacheBytes(): Promise<number | null> {
    const found = await runtime
      .buildCacheBytes?.(AbortSignal.timeout(engineMeasuresWithinMs))
      .catch((error: unknown) => {
        logger.warn({ message: messageOf(error) }, 'could not measure the build cache');
        return undefined;
      });
    return found ?? null;
  }

  async function space(): Promise<Space> {
    const { bavail, blocks, bsize } = await statfs(dataDirectory);
    // An unavailable engine can't report its disk.
    const disks = await withTimeout(() => runtime.freeSpace(), { timeoutMs: engineWithinMs }).catch(() => []);
    return {
      directory: dataDirectory,
      free_bytes: bavail * bsize,
      total_bytes: blocks * bsize,
      needed_bytes: await deps.neededBytes(),
      engine_disks: disks.flatMap(({ place, bytes }) =>
        place.startsWith(dataDirectory) ? [] : [{ place, free_bytes: bytes }],
      ),
      measured_at: toTimestamp(clock.now()),
    };
  }

  return {
    space,
    async disk() {
      const [found, cache, taken] = await Promise.all([space(), buildCacheBytes(), parts()]);
      return { ...found, build_cache_bytes: cache, parts: taken };
    },

    async overview() {
      const [facts, answer, storeAheadMs, counts, hasStandby, nodes] = await Promise.all([
        store.facts(),
        runtime.availability(),
        store.clockAheadMs(),
        tenants.counts(),
        deps.hasStandby(),
        // `runtime` reports a swarm that is away.
        runtime.nodes?.list().catch(() => undefined),
      ]);
      const { storage, warnings } = nodeFindings(nodes);
      if (hasStandby === false) warnings.push('No standby manager is ready to take over: start the second one');
      const differences = [
        clockDifferenceText('container engine', answer.available ? answer.clockAheadMs : undefined),
        clockDifferenceText('database server', storeAheadMs),
      ];
      for (const difference of differences)
        if (difference) warnings.push(`${difference}: set both by NTP, or tokens, certificates and schedules go wrong`);
      return {
        version: deps.version,
        node: process.versions.node,
        started_at: toTimestamp(deps.startedAt),
        memory_bytes: process.memoryUsage.rss(),
        runtime: {
          kind: runtime.kind,
          available: answer.available,
          detail: answer.available ? answer.version : answer.reason,
          move_from: deps.origin?.kind ?? null,
        },
        store: { dialect: facts.dialect, version: facts.version, size_bytes: facts.bytes, schema: facts.schema },
        tenants: { total: counts.total, by_status: counts.byStatus, running_by_health: counts.runningByHealth },
        operations: deps.operations.counts(),
        imports: deps.imports.counts(),
        storage,
        warnings,
        metrics_token: deps.metricsToken,
      };
    },
  };
}
