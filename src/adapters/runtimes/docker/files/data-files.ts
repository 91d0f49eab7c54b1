import type { IncomingMessage } from 'node:http';
import { posix } from 'node:path';
import { Readable } from 'node:stream';
import type { Container, ContainerInspectInfo } from 'dockerode';
import { pack } from 'tar-stream';
import { z } from 'zod';
import { poll } from '../../../../lib/concurrency/poll.ts';
import { AppError } from '../../../../lib/errors.ts';
import { callDocker, DockerApiError, getOrUndefined, ignoreStatus, withContext } from '../../engine/client/errors.ts';
import { dataDirectory, planRemoval } from '../../engine/container-plan.ts';
import { labelFilter } from '../../engine/labels.ts';
import { changedTar } from '../../engine/tar-entries.ts';
import { type TenantData, type TenantSpace, unitRoles } from '../../runtime.ts';
import { sumOf } from '../../tenant-data.ts';
import type { DockerContext } from '../context.ts';
import type { Jobs } from '../exec/jobs.ts';
import type { Containers } from '../units/containers.ts';
import { isRunning } from '../units/desired-state.ts';
import type { Generations } from '../units/generations.ts';

/** The engine's facts about a path, in a response header. */
const pathStat = z.object({ size: z.number().min(0) });
const removalTimeoutMs = 10 * 60_000;
const freezeWithinMs = 15_000;

export interface DockerData extends Omit<TenantData, 'missing'> {
  /** Resumes units that a killed manager left paused. */
  endPauses(): Promise<void>;
}

/** The content of the units' data volume, read and written by the engine through the api unit's container. */
export function createDataFiles(
  context: DockerContext,
  { containers, generations, jobs }: { containers: Containers; generations: Generations; jobs: Jobs },
): DockerData {
  /** Containers that this manager has paused. */
  const frozenNow = new Map<string, number>();

  async function unitOf(tenant: TenantSpace): Promise<ContainerInspectInfo> {
    const unit = { tenant, role: 'api' } as const;
    const found = (await generations.current(unit)) ?? (await generations.staged(unit));
    if (!found) throw new AppError('not_deployed', `${tenant.slug} is not deployed: it has no data directory yet`);
    return found;
  }

  /** The archives one after the other; a directory's entries start with its name. */
  async function* archives(container: Container, { only, except = [], signal }: Parameters<TenantData['read']>[1]) {
    const paths = only?.map((name) => posix.join(dataDirectory, name)) ?? [dataDirectory];
    const top = only ? '' : `${posix.basename(dataDirectory)}/`;
    for (const path of paths) {
      const archive = await getOrUndefined(() => container.getArchive({ path }));
      if (!archive) continue;
      yield changedTar(
        archive as AsyncIterable<Uint8Array>,
        (header) => {
          if (!header.name.startsWith(top) || header.name === top) return undefined;
          const name = header.name.slice(top.length);
          if (except.includes(name.split('/')[0] ?? '')) return undefined;
          const linkname = header.linkname?.startsWith(top) ? header.linkname.slice(top.length) : header.linkname;
          const linked = header.type === 'link' && linkname ? { linkname } : {};
          return { ...header, name, ...linked };
        },
        signal,
      );
    }
  }

  return {
    async *read(tenant, options) {
      const unit = await unitOf(tenant);
      const resume = options.still ? await pause(tenant) : async () => undefined;
      try {
        yield* joined(archives(containers.get(unit.Id), options));
      } catch (error) {
        throw withContext(`The data directory of ${tenant.slug} could not be read`, error);
      } finally {
        await resume();
      }
    },

    async size(tenant, names) {
      const container = containers.get((await unitOf(tenant)).Id);
      const sizes = names.map(async (name) => {
        const path = posix.join(dataDirectory, name);
        const answer: IncomingMessage | undefined = await getOrUndefined(() => container.infoArchive({ path }));
        answer?.resume();
        const stat = answer?.headers['x-docker-container-path-stat'];
        if (typeof stat !== 'string') return undefined;
        return pathStat.parse(JSON.parse(Buffer.from(stat, 'base64').toString())).size;
      });
      return sumOf(await Promise.all(sizes));
    },

    async remove(tenant, which, signal) {
      const argv =
        'only' in which
          ? ['rm', '-rf', '--', ...which.only.map((name) => posix.join(dataDirectory, name))]
          : [...entriesOf(dataDirectory, which.except), '-exec', 'rm', '-rf', '--', '{}', '+'];
      await change(tenant, [argv], signal, 'removed');
    },

    async move(tenant, where, signal) {
      const directory = posix.join(dataDirectory, 'into' in where ? where.into : where.from);
      const [entries, to] =
        'into' in where
          ? [entriesOf(dataDirectory, [where.into, ...where.except]), directory]
          : [entriesOf(directory, []), dataDirectory];
      // Not every image's `mv` takes the target first.
      const moving = [...entries, '-exec', 'mv', '-f', '--', '{}', `${to}/`, ';'];
      await change(tenant, [['mkdir', '-p', directory], moving], signal, 'moved');
    },

    async endPauses() {
      const filters = { ...labelFilter({ instance: context.instance }), status: ['paused'] };
      for (const { Id: id } of await callDocker(() => context.docker.listContainers({ all: true, filters })))
        if (!frozenNow.has(id)) await ignoreStatus([404, 409, 500], () => context.docker.getContainer(id).unpause());
    },

    async write(tenant, content, signal, options) {
      const unit = await unitOf(tenant);
      const container = containers.get(unit.Id);
      const owner = await context.users.ownerIn(container);
      const into = (name: string): string => (options ? posix.join(options.into, name) : name);
      const owned = changedTar(
        options ? joined([directoryEntry(), content]) : content,
        (header) => {
          const linked = header.type === 'link' && header.linkname ? { linkname: into(header.linkname) } : {};
          return { ...header, ...owner, name: into(header.name), ...linked };
        },
        signal,
      );
      try {
        const archive = Readable.from(owned, { objectMode: false });
        await callDocker(() => container.putArchive(archive, { path: dataDirectory }), signal);
      } catch (error) {
        throw withContext(`The data directory of ${tenant.slug} could not be written`, error);
      }
    },
  };

  /** Runs programs in a container of the unit's own image and user. */
  async function change(
    tenant: TenantSpace,
    programs: readonly string[][],
    signal: AbortSignal,
    done: string,
  ): Promise<void> {
    const unit = await unitOf(tenant);
    const said: string[] = [];
    const work = { log: (line: string) => said.push(line), signal };
    const plan = planRemoval(tenant, unit.Image, await context.facts());
    const failed = await jobs.run(tenant, plan, work, [], async (run) => {
      for (const argv of programs) if ((await run(argv, removalTimeoutMs)).exitCode !== 0) return true;
      return false;
    });
    if (failed) throw new Error(`The data of ${tenant.slug} could not be ${done}: ${said.join(' ')}`);
  }

  /** A busy host may not stop all processes of a unit in the engine's short time (500, "unable to freeze"): retried. */
  async function freeze(id: string): Promise<void> {
    let refusal: unknown;
    const done = await poll(
      // 409: paused already.
      () =>
        ignoreStatus([409], () => context.docker.getContainer(id).pause()).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof DockerApiError && error.status === 500)) throw error;
            refusal = error;
            return undefined;
          },
        ),
      { timeoutMs: freezeWithinMs },
    );
    if (!done) throw refusal;
  }

  /** Pauses running units; returns the function that resumes them. One paused already (by a killed manager) is resumed, too. */
  async function pause(tenant: TenantSpace): Promise<() => Promise<void>> {
    const frozen: string[] = [];
    const resume = async (): Promise<void> => {
      for (const id of frozen) {
        await ignoreStatus([404, 409, 500], () => context.docker.getContainer(id).unpause());
        const left = (frozenNow.get(id) ?? 1) - 1;
        if (left > 0) frozenNow.set(id, left);
        else frozenNow.delete(id);
      }
    };
    try {
      for (const role of unitRoles) {
        const info = await generations.live({ tenant, role });
        if (!info || !isRunning(info)) continue;
        frozen.push(info.Id);
        frozenNow.set(info.Id, (frozenNow.get(info.Id) ?? 0) + 1);
        await freeze(info.Id);
      }
    } catch (error) {
      await resume();
      throw error;
    }
    return resume;
  }
}

/** `find` for the entries of a directory. */
const entriesOf = (directory: string, except: readonly string[]): string[] => [
  ...['find', directory, '-mindepth', '1', '-maxdepth', '1'],
  ...except.flatMap((name) => ['!', '-name', name]),
];

/** The directory itself: the engine would make it for root. */
function directoryEntry(): AsyncIterable<Uint8Array> {
  const archive = pack();
  archive.entry({ name: '.', type: 'directory', mode: 0o700 });
  archive.finalize();
  return archive as AsyncIterable<Uint8Array>;
}

/** Concatenates several tars into one, without the ends of all but the last. */
async function* joined(
  tars: AsyncIterable<AsyncIterable<Uint8Array>> | Iterable<AsyncIterable<Uint8Array>>,
): AsyncGenerator<Uint8Array> {
  const endLength = 1024;
  let rest = Buffer.alloc(0);
  let any = false;
  for await (const tar of tars) {
    any = true;
    rest = Buffer.alloc(0);
    for await (const chunk of tar) {
      const held = Buffer.concat([rest, chunk]);
      const ready = Math.max(0, held.length - endLength);
      if (ready > 0) yield held.subarray(0, ready);
      rest = held.subarray(ready);
    }
  }
  yield any ? rest : Buffer.alloc(endLength);
}
