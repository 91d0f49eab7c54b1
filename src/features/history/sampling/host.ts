import { statfs } from 'node:fs/promises';
import { cpus, freemem, hostname, totalmem } from 'node:os';
import { monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import type { Runtime } from '../../../adapters/runtimes/runtime.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import type { Values } from '../metrics.ts';

/** A node and its figures. */
export interface NodeFigures {
  id: string;
  hostname: string;
  values: Values<'node'>;
}

/** The id of the manager's host, where the runtime has no nodes. */
export const localNode = 'local';

/** For an engine that hangs. */
const timeoutMs = 5_000;

/** Measures the runtime's nodes: those of a cluster as its engine knows them, or else the manager's host. */
export function createNodeSampler({
  runtime,
  dataDirectory,
}: {
  runtime: Pick<Runtime, 'nodes' | 'freeSpace'>;
  dataDirectory: string;
}) {
  const cores = createRate();
  return async (): Promise<NodeFigures[]> => {
    const { nodes } = runtime;
    if (nodes)
      return (await withTimeout(() => nodes.list(), { timeoutMs })).map(
        ({ id, hostname: name, state, reservedBytes, usage }) => ({
          id,
          hostname: name,
          values: {
            tenantry_node_memory_reserved_bytes: reservedBytes,
            tenantry_node_up: state === 'ready' ? 1 : 0,
            ...(usage && {
              tenantry_node_cpu_cores: usage.cpuCores,
              tenantry_node_memory_bytes: usage.memoryBytes,
              tenantry_node_disk_bytes: usage.disk?.usedBytes ?? null,
              tenantry_node_disk_free_bytes: usage.disk?.freeBytes ?? null,
            }),
          },
        }),
      );
    const [engine] = await withTimeout(() => runtime.freeSpace(), { timeoutMs }).catch(() => []);
    const place = engine?.place ?? dataDirectory;
    // The engine's own path may not be visible to the manager.
    const disk = await statfs(place).catch(() => statfs(dataDirectory));
    return [
      {
        id: localNode,
        hostname: hostname(),
        values: {
          tenantry_node_cpu_cores: cores(busyMs()),
          tenantry_node_memory_bytes: totalmem() - freemem(),
          tenantry_node_disk_bytes: (disk.blocks - disk.bfree) * disk.bsize,
          tenantry_node_disk_free_bytes: disk.bavail * disk.bsize,
          tenantry_node_up: 1,
        },
      },
    ];
  };
}

/** Measures the manager's own process. */
export function createManagerSampler() {
  const delays = monitorEventLoopDelay({ resolution: 20 });
  delays.enable();
  const cores = createRate();
  const answers = createAnswerTimes();
  let starts = 1;
  return {
    measure(): Values<'manager'> {
      const { user, system } = process.cpuUsage();
      // Nanoseconds; 0 before the first turn that was measured.
      const delay = delays.max / 1e9;
      delays.reset();
      const counted = starts;
      starts = 0;
      return {
        tenantry_manager_memory_bytes: process.memoryUsage.rss(),
        tenantry_manager_cpu_cores: cores((user + system) / 1_000),
        tenantry_manager_event_loop_delay_seconds: delay,
        tenantry_manager_response_seconds: answers.average(),
        tenantry_manager_starts: counted,
      };
    },
    close(): void {
      delays.disable();
      answers.close();
    },
  };
}

/** The times of this process's HTTP answers; streams, which stay open, are left out. */
function createAnswerTimes() {
  let [ms, count] = [0, 0];
  const observer = new PerformanceObserver((list) => {
    for (const { name, duration, detail } of list.getEntries() as (PerformanceEntry & { detail: unknown })[]) {
      const { res } = detail as { res?: { headers?: Record<string, unknown> } };
      if (name !== 'HttpRequest' || String(res?.headers?.['content-type']).startsWith('text/event-stream')) continue;
      ms += duration;
      count += 1;
    }
  });
  observer.observe({ entryTypes: ['http'] });
  return {
    /** In seconds, since the last call; null: there were none. */
    average(): number | null {
      const average = count === 0 ? null : ms / count / 1_000;
      [ms, count] = [0, 0];
      return average;
    },
    close: (): void => observer.disconnect(),
  };
}

/** Processor time of all processors since their start, without idling, in ms. */
const busyMs = (): number =>
  cpus().reduce((sum, { times }) => sum + times.user + times.nice + times.sys + times.irq, 0);

/** Turns a growing count of milliseconds into how much it grows per millisecond; null at first. */
function createRate(): (ms: number) => number | null {
  let before: { at: number; ms: number } | undefined;
  return (ms) => {
    const now = { at: performance.now(), ms };
    const rate = before && now.at > before.at ? Math.max(0, (ms - before.ms) / (now.at - before.at)) : null;
    before = now;
    return rate;
  };
}
