import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import { Engine, type EngineAddress } from '../engine/client/docker-client.ts';
import { EngineEvents } from '../engine/client/docker-events.ts';
import { commandLine, dataDirectory, importDirectory, planJob } from '../engine/container-plan.ts';
import { containerUsage } from '../engine/container-usage.ts';
import { BaseImages } from '../engine/images/base-images.ts';
import { ImageUsers } from '../engine/images/image-user.ts';
import { Images } from '../engine/images/images.ts';
import { isReleaseImage, networkName, volumeName } from '../engine/names.ts';
import { EngineProbes, probeSpace } from '../engine/probes.ts';
import type { Runtime, TenantSpace, UnitRef } from '../runtime.ts';
import { unitName } from '../unit-name.ts';
import type { DockerContext } from './context.ts';
import { Jobs } from './exec/jobs.ts';
import { createDataFiles } from './files/data-files.ts';
import { ImportFiles } from './files/import-files.ts';
import { Volumes } from './files/volumes.ts';
import { assertNoForeign, holderOfPort, listOwned, removeContainers, tenantsWithPendingChanges } from './inventory.ts';
import { positionedLogs, unitLogs } from './log-stream.ts';
import { createAddresses } from './networks/addresses.ts';
import { Networks } from './networks/networks.ts';
import { Containers } from './units/containers.ts';
import { createDatabaseServers } from './units/database-servers.ts';
import { isRunning, unitState } from './units/desired-state.ts';
import { Generations } from './units/generations.ts';
import { RestartWatch } from './units/restart-watch.ts';
import { startWanted } from './units/start-wanted.ts';

export interface DockerRuntimeOptions {
  /** This manager's id; several managers can share an engine, each sees only objects with its own label. */
  instance: string;
  logger: Logger;
  engine?: EngineAddress | undefined;
  /** The IPv4 network from which tenants' networks are allocated; it must not overlap a network that the hosts use. */
  networkPool?: string | undefined;
  importRoot?: string | undefined;
  /** The id of the container the manager runs in; null: on the host; omitted: detected. */
  managerContainer?: string | null | undefined;
  /** The name of the container that the reverse proxy runs in, joined to every tenant's network; omitted: it runs on the host. */
  proxyContainer?: string | undefined;
  /**
   * Idle timeout of a request, in ms (default 5 minutes). Only builds, pulls and followed streams are silent for longer; a
   * frozen engine would be for ever.
   */
  idleTimeoutMs?: number | undefined;
  /** How long a tenant's database server may take until its greeting. */
  databaseReadyMs?: number | undefined;
  /** When a failing unit is given up: after 10 restarts without 60 s up between them. */
  restarts?: { limit: number; steadyMs: number } | undefined;
}

/**
 * Units as containers of a Docker engine (API 1.41 or newer): one container per unit, one network per tenant, one image per
 * release.
 */
export function createDockerRuntime(options: DockerRuntimeOptions): Runtime {
  const { instance, logger, importRoot = '/tmp/imports' } = options;
  const engine = new Engine(options.engine ?? {}, options.idleTimeoutMs ?? 5 * 60_000, logger);
  let managerContainer = options.managerContainer;

  const context: DockerContext = {
    docker: engine.docker,
    dockerWithTimeout: engine.prompt,
    tenantLocks: new KeyedLock(),
    instance,
    logger,
    users: new ImageUsers(),
    async managerContainer() {
      if (managerContainer === undefined) managerContainer = (await engine.ownContainer()) ?? null;
      return managerContainer ?? undefined;
    },
    async facts() {
      const publish = (await context.managerContainer()) === undefined;
      return { instance, can: await engine.abilities(), publish, importRoot };
    },
  };

  const containers = new Containers(context);
  const networks = new Networks(context, options.networkPool ?? '10.213.0.0/16', options.proxyContainer);
  const volumes = new Volumes(context);
  const generations = new Generations(context, containers);
  const bases = new BaseImages(context, isReleaseImage);
  const images = new Images(context, bases);
  const jobs = new Jobs(context, containers);
  const space = probeSpace(instance);
  const probes = new EngineProbes(context, {
    bases,
    network: {
      name: networkName(space.slug),
      ensure: () => networks.ensure(space),
      remove: () => networks.remove(space),
    },
    async facts() {
      const { can, publish } = await context.facts();
      return { can, published: publish ? { at: '127.0.0.1', askedAt: '127.0.0.1' } : undefined };
    },
  });
  const assertRemovable = async (tenant: TenantSpace): Promise<void> => {
    await assertNoForeign(context, tenant, [await context.managerContainer(), options.proxyContainer]);
  };
  const data = createDataFiles(context, { containers, generations, jobs });
  const importFiles = new ImportFiles(context, containers, generations, jobs);
  const watch = new RestartWatch(context, containers, options.restarts ?? { limit: 10, steadyMs: 60_000 });
  const events = new EngineEvents(context, {
    async connected(signal) {
      await jobs.removeLeftovers();
      await data.endPauses();
      await networks.joinAll();
      await startWanted(context, containers);
      await watch.lookAround();
      await networks.joinProxyToAll(signal);
    },
    async onEvent(event, signal) {
      await watch.onEvent(event);
      // The proxy's container may have been created again, without the tenants' networks.
      if (event.action === 'start' && event.attributes.name === options.proxyContainer)
        await networks.joinProxyToAll(signal);
    },
  });
  const databaseServers = createDatabaseServers(context, {
    bases,
    containers,
    networks,
    volumes,
    readyWithinMs: options.databaseReadyMs ?? 120_000,
  });

  /** What must exist before a tenant's containers. */
  async function prepareGround(tenant: TenantSpace): Promise<void> {
    await networks.ensure(tenant);
    await volumes.ensure(tenant, 'data');
    await volumes.ensure(tenant, 'imports');
  }

  const inTurn = <T>(tenant: TenantSpace, work: () => Promise<T>): Promise<T> =>
    context.tenantLocks.run(tenant.id, work);

  async function start(unit: UnitRef): Promise<void> {
    const name = unitName(unit.tenant.slug, unit.role);
    const live = await generations.live(unit);
    if (!live) throw new AppError('not_deployed', `${name} has no container: deploy ${unit.tenant.slug} first`);
    await containers.start(live.Id, name);
  }

  async function stop(unit: UnitRef): Promise<void> {
    const live = await generations.live(unit);
    if (!live) return;
    await containers.want(live.Id, 'stopped');
    await containers.halt(live.Id);
  }

  return {
    kind: 'docker',
    needs: 'image',
    databaseServers,
    probes,

    availability: () => engine.availability(),
    open: () => events.open(),
    close: () => events.close(),

    freeSpace: () => engine.freeSpace(),
    prepareRelease: (request, work) => images.prepare(request, work),
    hasRelease: (key) => images.has(key),
    async buildNetworks() {
      // In a container the manager has no address in the engine's default network, and its published ports one in each.
      return (await context.managerContainer()) === undefined ? networks.ofBuilds() : [];
    },
    buildCacheBytes: (signal) => engine.buildCacheBytes(signal),
    checkRegistry: (login) => engine.signIn(login),
    async removeReleasesExcept(keys, options) {
      const removed = await images.removeExcept(keys);
      if (options) await engine.pruneBuildCache(options.buildCacheBytes);
      return removed;
    },

    paths: (tenant) => ({ importDirectory: importDirectory({ importRoot }, tenant), dataDirectory }),

    async stage(spec, work) {
      await prepareGround(spec.tenant);
      await inTurn(spec.tenant, () => generations.stage(spec, work));
    },
    isLive: (spec) => generations.isLive(spec),
    activate: (tenant, work) => inTurn(tenant, () => generations.activate(tenant, work)),
    commit: (tenant) => inTurn(tenant, () => generations.commit(tenant)),
    rollback: (tenant, work) => inTurn(tenant, () => generations.rollBack(tenant, work)),
    pendingChanges: () => tenantsWithPendingChanges(context),

    start: (unit) => inTurn(unit.tenant, () => start(unit)),
    stop: (unit) => inTurn(unit.tenant, () => stop(unit)),
    restart: (unit) =>
      inTurn(unit.tenant, async () => {
        const live = await generations.live(unit);
        if (live) await containers.halt(live.Id);
        await start(unit);
      }),
    async inspect(unit) {
      const info = await generations.current(unit);
      if (info) return unitState(info);
      return { state: 'inactive', commit: null, reason: null, gaveUp: false, startedAt: null, obstacle: 'missing' };
    },
    async usage(unit) {
      const live = await generations.live(unit);
      if (!live || !isRunning(live)) return undefined;
      return containerUsage(context.dockerWithTimeout, live.Id, live.HostConfig.Memory);
    },
    logs: (unit, { positions, ...wanted }) =>
      positions
        ? positionedLogs(context, () => generations.logged(unit), wanted)
        : unitLogs(context, () => generations.current(unit), wanted),
    async runJob(job, work, commands) {
      await prepareGround(job.tenant);
      const facts = await context.facts();
      const directories = job.role === 'api' ? [dataDirectory, importDirectory(facts, job.tenant)] : [];
      return jobs.run(job.tenant, planJob(job, facts), work, directories, (run) =>
        commands((command, { timeoutMs }) => run(commandLine(command), timeoutMs)),
      );
    },
    ...createAddresses(context, { generations, networks, proxyContainer: options.proxyContainer }),

    putImportFile: (tenant, name, content) => importFiles.put(tenant, name, content),
    removeImportFile: (tenant, name) => importFiles.remove(tenant, name),

    data: {
      ...data,
      usedBytes: (signal) => volumes.usedBytes(signal),
      async missing(tenants) {
        const names = new Map(tenants.map((tenant) => [volumeName(tenant, 'data'), tenant.id]));
        const gone = await volumes.missing([...names.keys()]);
        return new Map(gone.map((name) => [names.get(name) ?? '', `the volume ${name}`]));
      },
    },

    portHolder: (port) => holderOfPort(context, port),

    list: () => listOwned(context),
    assertRemovable,
    async removeTenant(tenant, { data }) {
      await assertRemovable(tenant);
      await removeContainers(context, containers, tenant);
      await networks.remove(tenant);
      if (data) await volumes.removeAll(tenant);
    },
  };
}
