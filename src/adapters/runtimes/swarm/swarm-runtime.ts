import { statfs } from 'node:fs/promises';
import type { AuthConfig } from 'dockerode';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import { clockAheadOf, type EngineAddress } from '../engine/client/docker-client.ts';
import { dataDirectory } from '../engine/container-plan.ts';
import type { JobSpec, Runtime, TenantSpace, UnitRef } from '../runtime.ts';
import { unitName } from '../unit-name.ts';
import { createAddresses } from './addresses.ts';
import { connectManagers } from './client/managers.ts';
import { listServices, removeService, renewCredentials } from './client/services.ts';
import { untilEnded } from './client/tasks.ts';
import type { SwarmContext } from './context.ts';
import { TaskEngines } from './engines.ts';
import { createStorageFiles } from './files/storage-files.ts';
import { createReleaseImages, type Registry } from './images/release-images.ts';
import { listOwned, tenantsWithPendingChanges } from './inventory.ts';
import { Jobs } from './jobs.ts';
import { positionedLogs, unitLogs } from './logs/unit-logs.ts';
import { Moves } from './moves.ts';
import { Networks } from './networks.ts';
import { createHostProbes } from './nodes/host-probes.ts';
import { NetworkProbe } from './nodes/network-probe.ts';
import { createNodes, labelStorage } from './nodes/nodes.ts';
import { type NodeProbe, StorageProbe } from './nodes/storage-probe.ts';
import { collectSecrets, ensureSecret } from './secrets.ts';
import { Generations } from './units/generations.ts';
import { createImageFacts } from './units/image-facts.ts';
import { importDirectory, type PlanFacts, planCommand, planUnit } from './units/service-plan.ts';
import { createSweep } from './units/sweep.ts';
import { currentTask, isRunning, noUnit, unitState } from './units/unit-state.ts';

export interface SwarmRuntimeOptions {
  /** This manager's id; several can share a swarm, each sees only objects with its own label. */
  instance: string;
  logger: Logger;
  /** DOCKER_HOST: Swarm managers, in the order in which they are asked. */
  managers: readonly EngineAddress[];
  /** SWARM_STORAGE. */
  storage: string;
  /** undefined: only for a swarm of one node. */
  registry?: Registry | undefined;
  /** The IPv4 network from which tenants' networks are allocated; it must not overlap a network that the hosts use. */
  networkPool?: string | undefined;
  /** SWARM_MTU, of the links between nodes. Networks that exist keep theirs. */
  mtu?: number | undefined;
  /** SWARM_PROBE_IMAGE; without it the nodes' labels are left as they are. */
  probeImage?: string | undefined;
  importRoot?: string | undefined;
  /** When a failing unit is given up; default: after 10 restarts in ten minutes, which is one a minute as on Docker. */
  restarts?: PlanFacts['restarts'] | undefined;
}

/** Swarm makes the delay the same for all restarts; less would start a crashing unit on its image's node all the time. */
const defaultRestarts = { limit: 10, windowMs: 10 * 60_000, delayMs: 2_000 };
const answerWithinMs = 5_000;

/**
 * Units as services of a Docker Swarm (API 1.41 or newer): one service for each generation of a unit, one overlay network per
 * tenant, files on a storage that all nodes share. No unit is bound to a node.
 */
export function createSwarmRuntime(options: SwarmRuntimeOptions): Runtime {
  const { instance, logger, storage, importRoot = '/tmp/imports' } = options;
  const { registry } = options;
  const context: SwarmContext = {
    ...connectManagers(options.managers, logger),
    instance,
    logger,
    storage,
    auth: authOf(registry),
  };
  const facts: PlanFacts = { instance, storage, importRoot, restarts: options.restarts ?? defaultRestarts };
  const images = createReleaseImages(context, registry);
  const files = createStorageFiles({ storage, importRoot });
  const imageFacts = createImageFacts(context, images);
  const networks = new Networks(context, options.networkPool ?? '10.213.0.0/16', options.mtu);
  const engines = new TaskEngines(context);
  const jobs = new Jobs(context);
  const sweep = createSweep(context);
  const closing = new AbortController();
  let renewal: Promise<void> | undefined;
  const moves = new Moves(context, async () => {
    await jobs.removeLeftovers();
    renewal ??= renewCredentials(context, closing.signal).catch((error: unknown) => {
      renewal = undefined;
      logger.warn({ reason: messageOf(error) }, 'the credentials of the registry could not be renewed');
    });
  });
  const probed = new Map<string, NodeProbe>();
  const probe = options.probeImage
    ? new StorageProbe(context, options.probeImage, async (id, found) => {
        probed.set(id, found);
        await labelStorage(context, id, found.storage === 'ok');
      })
    : undefined;
  const networkProbe = options.probeImage ? new NetworkProbe(context, networks, options.probeImage) : undefined;
  const generations = new Generations(context, facts, async (spec) => {
    const image = await imageFacts(spec.role, spec.release.key);
    return planUnit(spec, image, await ensureSecret(context, spec.tenant, spec.environment), facts);
  });
  const tenantLocks = new KeyedLock();
  const inTurn = <T>(tenant: TenantSpace, work: () => Promise<T>): Promise<T> => tenantLocks.run(tenant.id, work);

  /** What must exist before a tenant's services. */
  async function prepareGround({ tenant, role, release }: JobSpec): Promise<void> {
    await networks.ensure(tenant);
    // Both units share the files; they belong to the api's user, which writes the imports and the database file.
    if (role === 'api') await files.prepare(tenant, (await imageFacts(role, release.key)).owner);
  }

  async function start(unit: UnitRef, again: boolean): Promise<void> {
    const { live } = await generations.slots(unit);
    const name = unitName(unit.tenant.slug, unit.role);
    if (!live) throw new AppError('not_deployed', `${name} has no service: deploy ${unit.tenant.slug} first`);
    await generations.run(live, again);
  }

  async function ask() {
    const [version, nodes, clockAheadMs] = await Promise.all([
      context.call((docker) => docker.version()),
      context.call((docker) => docker.listNodes() as Promise<NodeEngine[]>),
      context.call(clockAheadOf),
    ]);
    const ready = nodes.filter(({ Status: status }) => status?.State === 'ready').length;
    const engines = new Set(
      nodes.map(({ Description: description }) => description?.Engine?.EngineVersion ?? 'unknown'),
    );
    return {
      version: `Docker Swarm, ${ready} of ${nodes.length} nodes ready, Engine ${[...engines].sort().join(' and ')} (API ${version.ApiVersion})`,
      clockAheadMs,
    };
  }

  return {
    kind: 'swarm',
    needs: 'image',
    databaseServers: undefined,
    probes: createHostProbes(context, images, networks),

    async availability() {
      try {
        return { available: true, ...(await withTimeout(ask, { timeoutMs: answerWithinMs })) };
      } catch (error) {
        return { available: false, reason: messageOf(error) };
      }
    },
    async open() {
      await moves.open();
      probe?.open();
      networkProbe?.open();
    },
    async close() {
      closing.abort();
      await Promise.all([moves.close(), renewal, probe?.close(), networkProbe?.close()]);
    },

    async freeSpace() {
      const space = await statfs(storage).catch(() => undefined);
      return space ? [{ bytes: space.bavail * space.bsize, place: storage }] : [];
    },
    prepareRelease: (request, work) => images.prepareRelease(request, work),
    buildCacheBytes: (signal) => images.buildCacheBytes(signal),
    checkRegistry: (login) => images.checkRegistry(login),
    hasRelease: (key) => images.hasRelease(key),
    removeReleasesExcept: (keys, options) => images.removeReleasesExcept(keys, options),

    paths: (tenant) => ({ importDirectory: importDirectory(facts, tenant), dataDirectory }),

    async stage(spec, work) {
      await prepareGround(spec);
      await inTurn(spec.tenant, () => generations.stage(spec, work));
    },
    isLive: (spec) => generations.isLive(spec),
    activate: (tenant, work) => inTurn(tenant, () => generations.activate(tenant, work)),
    commit: (tenant) =>
      inTurn(tenant, async () => {
        await generations.commit(tenant);
        await collectSecrets(context, tenant);
      }),
    rollback: (tenant, work) =>
      inTurn(tenant, async () => {
        await generations.rollBack(tenant, work);
        await collectSecrets(context, tenant);
      }),
    pendingChanges: () => tenantsWithPendingChanges(context),

    start: (unit) => inTurn(unit.tenant, () => start(unit, false)),
    stop: (unit) => inTurn(unit.tenant, () => generations.stop(unit)),
    restart: (unit) => inTurn(unit.tenant, () => start(unit, true)),
    async inspect(unit) {
      const found = await sweep(unit);
      if (!found) return { ...noUnit, obstacle: 'missing' };
      const outOfMemory = await engines.outOfMemory(found.tasks);
      return unitState(found.service, found.tasks, found.nodes, ({ id }) => outOfMemory.has(id));
    },
    async usage(unit) {
      const found = await sweep(unit);
      const task = found && currentTask(found.service, found.tasks);
      if (!found || !isRunning(task, found.nodes)) return undefined;
      return engines.usage(task, found.service.spec.TaskTemplate?.Resources?.Limits?.MemoryBytes);
    },
    logs: (unit, { positions, ...wanted }) =>
      (positions ? positionedLogs : unitLogs)(context, () => sweep(unit), wanted),
    async runJob(job, work, commands) {
      await prepareGround(job);
      const image = await imageFacts(job.role, job.release.key);
      const plan = async (command: string) =>
        planCommand(job, command, image, await ensureSecret(context, job.tenant, job.environment), facts);
      try {
        return await commands((command, limit) => jobs.run(job.tenant, () => plan(command), work, limit));
      } finally {
        // Of a rehearsal; that of the units stays, since their services use it.
        await collectSecrets(context, job.tenant).catch((error: unknown) =>
          context.logger.warn({ reason: messageOf(error), tenant: job.tenant.slug }, 'secrets of a job are left'),
        );
      }
    },
    ...createAddresses(context, { sweep, slots: (unit) => generations.slots(unit) }),

    putImportFile: (tenant, name, content) => files.putImportFile(tenant, name, content),
    removeImportFile: (tenant, name) => files.removeImportFile(tenant, name),
    data: files.data,

    nodes: createNodes(context, probed, () => networkProbe?.problems ?? new Map()),
    onMove: (listener) => moves.onMove(listener),
    list: () => listOwned(context),
    removeTenant: (tenant, { data }) =>
      inTurn(tenant, async () => {
        for (const { id } of await listServices(context, { tenant: tenant.id })) await removeService(context, id);
        await untilEnded(context, tenant.id);
        await networks.remove(tenant);
        await collectSecrets(context, tenant);
        await files.remove(tenant, { data });
      }),
  };
}

interface NodeEngine {
  Status?: { State?: string };
  Description?: { Engine?: { EngineVersion?: string } };
}

function authOf(registry: Registry | undefined): AuthConfig | undefined {
  if (registry?.user === undefined) return undefined;
  return { username: registry.user, password: registry.password ?? '', serveraddress: registry.address };
}
