import diagnostics from 'node:diagnostics_channel';
import { readFile, stat, statfs } from 'node:fs/promises';
import type { ClientRequest } from 'node:http';
import { hostname } from 'node:os';
import Docker, { type AuthConfig, type DockerOptions } from 'dockerode';
import { z } from 'zod';
import { clockAheadMs } from '../../../../lib/clock.ts';
import { withTimeout } from '../../../../lib/concurrency/timeout.ts';
import { ExplainedError, messageOf } from '../../../../lib/errors.ts';
import type { Logger } from '../../../../lib/logger.ts';
import type { Runtime } from '../../runtime.ts';
import type { Abilities } from '../container-plan.ts';
import { ApiVersion, assertBuilds, hasContainerdStore } from './api-version.ts';
import { callDocker, getOrUndefined } from './errors.ts';

/** The engine's address. Default: its socket at the usual path. */
export interface EngineAddress {
  socketPath?: string | undefined;
  host?: string | undefined;
  port?: number | undefined;
  protocol?: 'http' | 'https' | undefined;
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

const answerWithinMs = 3_000;
const versionWithinMs = 30_000;
/** A loaded engine collects this for seconds: the rest of the answer does not wait for it. */
const clockWithinMs = 2_000;

/** One engine: the connection (a new one for each request, so nothing has to be reopened) and the engine's properties. */
export class Engine {
  /** Waits for an answer without a timeout. */
  readonly docker: Docker;
  /** Times out after `idleTimeoutMs` without an answer. */
  readonly prompt: Docker;
  readonly #address: DockerOptions;
  readonly #api: ApiVersion;
  readonly #logger: Logger;
  #abilities: Abilities | undefined;

  constructor(address: EngineAddress, longestSilenceMs: number, logger: Logger) {
    this.#address = connection(address);
    this.#api = new ApiVersion(plain({ ...this.#address, timeout: Math.min(longestSilenceMs, versionWithinMs) }));
    this.docker = connect(this.#address, this.#api);
    this.prompt = connect({ ...this.#address, timeout: longestSilenceMs }, this.#api);
    this.#logger = logger;
  }

  /** Asks the engine again, for at most 3 s. */
  async availability(): ReturnType<Runtime['availability']> {
    const impatient = plain({ ...this.#address, timeout: answerWithinMs });
    try {
      const [answer, ahead] = await Promise.all([callDocker(() => impatient.version()), clockAheadOf(impatient)]);
      const version = this.#api.choose(answer);
      await callDocker(() => assertBuilds(answer, impatient));
      return { available: true, version, clockAheadMs: ahead };
    } catch (error) {
      const { cause } = error as { cause?: unknown };
      return {
        available: false,
        reason: messageOf(error),
        found: cause instanceof ExplainedError ? cause.found : undefined,
      };
    }
  }

  /** What the engine can limit; read once, as only the kernel's settings change it. */
  async abilities(): Promise<Abilities> {
    this.#abilities ??= await this.#askAbilities();
    return this.#abilities;
  }

  /**
   * Free bytes of the engine's disks: that of its directory and, if it is another one, that of containerd's, started by the engine or
   * as a service, where its images are. None when they are on another machine or not visible from here.
   */
  async freeSpace(): Promise<{ bytes: number; place: string }[]> {
    if (this.#address.host !== undefined) return [];
    const { DockerRootDir: root, DriverStatus: status } = await this.#info();
    if (typeof root !== 'string') return [];
    const ofRoot = await diskOf(root);
    const ofImages = hasContainerdStore({ DriverStatus: status })
      ? ((await diskOf(`${root}/containerd/daemon`)) ?? (await diskOf('/var/lib/containerd')))
      : undefined;
    const disks = [ofRoot, ofImages?.device === ofRoot?.device ? undefined : ofImages];
    return disks.flatMap((disk) => (disk ? [{ bytes: disk.bytes, place: disk.place }] : []));
  }

  /** Removes what has not been used for longest of the build cache, until it has at most this size. */
  async pruneBuildCache(bytes: number): Promise<void> {
    // The latter from API 1.48 on.
    const query = { all: true, 'keep-storage': bytes, 'reserved-space': bytes };
    await callDocker(() => ask(this.docker, 'POST', '/build/prune', query));
  }

  /** What the build cache takes; undefined: the engine does not say. */
  async buildCacheBytes(signal: AbortSignal): Promise<number | undefined> {
    const answer = await callDocker(() => diskUsage(this.docker, 'build-cache', signal), signal);
    const { BuildCache: records, BuildCacheUsage: usage } = buildCacheUsage.parse(answer);
    if (usage) return usage.TotalSize;
    return records?.reduce((sum, { Size, Shared }) => (Shared ? sum : sum + Size), 0);
  }

  /** Signs in at a registry. @throws Error with its reason */
  async signIn(login: AuthConfig): Promise<void> {
    await callDocker(() => this.prompt.checkAuth(login));
  }

  /** The id of the container that this process runs in, if it is one of this engine's. */
  async ownContainer(): Promise<string | undefined> {
    for (const id of await ownContainerIds()) {
      const found = await getOrUndefined(() => this.docker.getContainer(id).inspect());
      // A container that only has this machine's name is not ours.
      if (found?.Id.startsWith(id) && found.State.Running) return found.Id;
    }
    return undefined;
  }

  async #askAbilities(): Promise<Abilities> {
    const info = await this.#info();
    const abilities = {
      memory: info.MemoryLimit === true,
      swap: info.SwapLimit === true,
      pids: info.PidsLimit === true,
      cpus: info.CpuCfsQuota === true && typeof info.NCPU === 'number' ? info.NCPU : 0,
    };
    const missing = Object.entries(abilities).flatMap(([name, can]) => (can ? [] : [name]));
    if (missing.length > 0)
      this.#logger.warn({ missing }, 'the engine cannot limit these; units run without such limits');
    return abilities;
  }

  async #info(): Promise<Record<string, unknown>> {
    return callDocker(() => this.docker.info() as Promise<Record<string, unknown>>);
  }
}

/** What dockerode 5.0.1 asks without its parameters. */
function ask(
  docker: Docker,
  method: string,
  path: string,
  query: Record<string, unknown>,
  abortSignal?: AbortSignal,
): Promise<unknown> {
  const statusCodes = { 200: true, 500: 'server error' };
  const options = { _query: query, _body: {} };
  const request = { path: `${path}?`, method, options, statusCodes, ...(abortSignal && { abortSignal }) };
  return new Promise((resolve, reject) => {
    docker.modem.dial(request, (error: unknown, answer: unknown) => (error ? reject(error) : resolve(answer)));
  });
}

/** What the engine's volumes or its build cache use (alone from API 1.42 on); volumes are measured slowly. */
export const diskUsage = (docker: Docker, type: 'volume' | 'build-cache', signal: AbortSignal): Promise<unknown> =>
  ask(docker, 'GET', '/system/df', { type, verbose: true }, signal);

/** The second form is that of API 1.52. A shared record is part of an image. */
const buildCacheUsage = z.object({
  BuildCache: z.array(z.object({ Size: z.number(), Shared: z.boolean().default(false) })).nullish(),
  BuildCacheUsage: z.object({ TotalSize: z.number().default(0) }).nullish(),
});

async function diskOf(place: string): Promise<{ place: string; bytes: number; device: number } | undefined> {
  const found = await Promise.all([stat(place), statfs(place)]).catch(() => undefined);
  if (!found) return undefined;
  const [{ dev: device }, { bavail, bsize }] = found;
  return { place, bytes: bavail * bsize, device };
}

/** How far the clock of the engine's host is ahead of this one's, in ms; undefined if the engine does not say so soon. */
export async function clockAheadOf(docker: Docker): Promise<number | undefined> {
  const before = Date.now();
  const info = await withTimeout(() => docker.info() as Promise<{ SystemTime?: string }>, {
    timeoutMs: clockWithinMs,
  }).catch(() => undefined);
  const time = Date.parse(info?.SystemTime ?? '');
  return Number.isNaN(time) ? undefined : clockAheadMs(time, before, Date.now());
}

/** Connects to an engine with the API version that both know. */
export function connect(options: DockerOptions, api = new ApiVersion(plain(options))): Docker {
  const docker = plain(options);
  const modem = docker.modem as unknown as {
    version: string;
    dial(request: { abortSignal?: AbortSignal }, callback: (error: unknown) => void): void;
  };
  const dial = modem.dial.bind(modem);
  modem.dial = (request, callback) => {
    withTimeout(() => api.get(), { signal: request.abortSignal }).then((version) => {
      modem.version = version;
      dial(request, callback);
    }, callback);
  };
  return docker;
}

/**
 * Without a version. An answer that ends in the middle is an error here; docker-modem 5.0.7 waits for its end, without a timeout
 * and whatever its signal says.
 */
function plain(options: DockerOptions): Docker {
  const docker = new Docker(options);
  const modem = docker.modem as unknown as { buildRequest(...args: unknown[]): void };
  const build = modem.buildRequest.bind(modem);
  modem.buildRequest = (...args) => {
    diagnostics.subscribe('http.client.request.created', reportCutAnswers);
    try {
      build(...args);
    } finally {
      diagnostics.unsubscribe('http.client.request.created', reportCutAnswers);
    }
  };
  return docker;
}

/** What is wrong with an answer is an error of its request, to which docker-modem listens. */
function reportCutAnswers(created: unknown): void {
  const { request } = created as { request: ClientRequest };
  request.once('response', (response) => response.once('error', (error) => request.emit('error', error)));
}

/** dockerode takes missing options from DOCKER_HOST; an explicit `host: undefined` keeps the given socket. */
export function connection(address: EngineAddress): DockerOptions {
  if (address.socketPath !== undefined) return { socketPath: address.socketPath, host: undefined };
  if (address.host === undefined) return {};
  return Object.fromEntries(Object.entries(address).filter(([, value]) => value !== undefined));
}

/**
 * Possible ids of our container: the engine's mounts of /etc/hostname and the like contain it, and so does its default host
 * name.
 */
async function ownContainerIds(): Promise<Set<string>> {
  const mounts = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const mounted = [...mounts.matchAll(/\/containers\/([0-9a-f]{64})\/(?:hostname|hosts|resolv\.conf) /g)];
  const ids = new Set(mounted.map((match) => match[1] ?? ''));
  if (/^[0-9a-f]{12}$/.test(hostname())) ids.add(hostname());
  return ids;
}
