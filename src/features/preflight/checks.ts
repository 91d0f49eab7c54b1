import { lookup } from 'node:dns/promises';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import { clockAheadMs, clockDifference } from '../../lib/clock.ts';
import { ExplainedError } from '../../lib/errors.ts';
import { problem } from './causes.ts';
import { engineChecks } from './engine-checks.ts';
import { type Check, NotChecked } from './run.ts';
import { type ServiceDeps, serviceChecks } from './service-checks.ts';

/** What the checks look at. */
export interface ChecksDeps extends ServiceDeps {
  runtime: Pick<Runtime, 'kind' | 'availability' | 'probes' | 'portHolder'>;
  /** How far the store's server is ahead; undefined: it has no clock of its own. */
  storeAheadMs(): Promise<number | undefined>;
  /** Free space where data are, and where the engine's are, as far as it can be seen: its directory, and its images if they are elsewhere. */
  space(): Promise<{
    directory: string;
    free_bytes: number;
    needed_bytes: number;
    engine_disks: { place: string; free_bytes: number }[];
  }>;
  /** The address that is asked over HTTPS, if it is not that of a registry (tests). */
  outsideUrl?: string | undefined;
}

const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`;

/** The checks of what this installation uses, in their order. */
export async function checksOf(deps: ChecksDeps, image: string): Promise<Check[]> {
  const { runtime, access } = deps;
  const outside = new URL(deps.outsideUrl ?? outsideOf(runtime, image));
  let outsideAheadMs: number | undefined;
  return [
    {
      code: 'runtime',
      async run() {
        const first = await runtime.availability();
        // A manager that has just started on a busy machine may have no time to read an answer.
        const answer = first.available || first.found ? first : await runtime.availability();
        if (answer.available) return answer.version;
        if (answer.found) throw new ExplainedError(answer.found, answer.reason);
        throw problem({ code: 'runtime_unavailable', params: { runtime: runtime.kind } }, answer.reason);
      },
    },
    ...(runtime.probes ? engineChecks(runtime.probes, access, image, outside) : []),
    {
      code: 'host_names',
      async run() {
        const { hostname: host } = outside;
        const found = await lookup(host).catch((error: unknown) => {
          throw problem({ code: 'host_name_unresolved', params: { host } }, error);
        });
        return `${host} → ${found.address}`;
      },
    },
    {
      code: 'host_https',
      after: ['host_names'],
      async run({ signal }, statusOf) {
        if (statusOf('host_names') !== 'good') throw new NotChecked('host_fails');
        const before = Date.now();
        const answer = await fetch(outside, { method: 'HEAD', redirect: 'manual', signal }).catch((error: unknown) => {
          signal.throwIfAborted();
          const { cause } = error as { cause?: unknown };
          throw problem({ code: 'host_https_failed', params: { host: outside.host } }, cause ?? error);
        });
        const time = Date.parse(answer.headers.get('date') ?? '');
        if (!Number.isNaN(time)) outsideAheadMs = clockAheadMs(time, before, Date.now());
        return outside.host;
      },
    },
    ...(await serviceChecks(deps)),
    {
      code: 'clock',
      after: ['runtime', 'host_https'],
      async run() {
        const [engine, storeAheadMs] = await Promise.all([runtime.availability(), deps.storeAheadMs()]);
        const wrong = clockDifference(outsideAheadMs);
        const { host } = outside;
        if (wrong) throw problem({ code: 'clock_wrong', params: { host, difference: wrong } });
        const ofEngine = clockDifference(engine.available ? engine.clockAheadMs : undefined);
        if (ofEngine) throw problem({ code: 'clock_of_engine', params: { difference: ofEngine } });
        const ofStore = clockDifference(storeAheadMs);
        if (ofStore) throw problem({ code: 'clock_of_store', params: { difference: ofStore } });
        // Clocks of one host agree and may all be wrong.
        if (outsideAheadMs === undefined) throw new NotChecked('no_other_clock');
        return host;
      },
    },
    {
      code: 'data_disk',
      async run() {
        const { directory, free_bytes: free, needed_bytes: needed } = await deps.space();
        return spaceAt(directory, free, needed);
      },
    },
    ...(runtime.kind === 'docker' || runtime.kind === 'swarm' ? await engineDisks(deps) : []),
  ];
}

/** One for each disk of the engine. */
async function engineDisks({ space }: ChecksDeps): Promise<Check[]> {
  const { engine_disks: disks } = await space();
  const codes = disks.length > 1 ? (['engine_disk', 'image_disk'] as const) : (['engine_disk'] as const);
  return codes.map((code, index) => ({
    code,
    after: ['runtime'],
    async run() {
      const { engine_disks: found, needed_bytes: needed } = await space();
      const disk = found[index];
      if (!disk) throw new NotChecked('disk_not_visible');
      return spaceAt(disk.place, disk.free_bytes, needed);
    },
  }));
}

/** A server that deployments need, of the image's registry or of npm's. */
function outsideOf({ probes }: Pick<Runtime, 'probes'>, image: string): string {
  if (!probes) return 'https://registry.npmjs.org/';
  const [first = ''] = image.split('/');
  const isLocal = /^(?:127\.|localhost(?::|$))/.test(first);
  const isHub = !image.includes('/') || !/[.:]/.test(first) || /^(?:index\.)?docker\.io$/.test(first);
  return `https://${isLocal || isHub ? 'registry-1.docker.io' : first}/v2/`;
}

function spaceAt(place: string, free: number, needed: number): string {
  if (free >= needed) return `${place}: ${mebibytes(free)}`;
  throw problem({ code: 'disk_full', params: { place, free: mebibytes(free), needed: mebibytes(needed) } });
}
