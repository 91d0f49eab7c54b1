import { createHash } from 'node:crypto';
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { DatabaseServerSpec, JobSpec, TenantSpace, UnitLimits, UnitSpec } from '../runtime.ts';
import { unitName } from '../unit-name.ts';
import { label, tenantLabels } from './labels.ts';
import { databaseName, imageName, networkName, volumeName } from './names.ts';

/** What the engine can limit. */
export interface Abilities {
  memory: boolean;
  swap: boolean;
  pids: boolean;
  /** Number of processors; 0 when their use can't be limited. The engine refuses higher limits. */
  cpus: number;
}

/** Facts about the engine and the manager for planning a container. */
export interface PlanFacts {
  instance: string;
  /** What the engine's kernel can limit; other limits would only cause warnings. */
  can: Abilities;
  /** Publish ports on the host's loopback; not when the manager itself is in a container and uses the tenants' networks. */
  publish: boolean;
  /** The parent of all import directories inside the containers. */
  importRoot: string;
}

/** A container's options without a name, and their digest. */
export interface ContainerPlan {
  options: ContainerCreateOptions;
  digest: string;
}

export const dataDirectory = '/data';
export const databasePort = 3306;
/** The tenant contract: SIGTERM, then SIGKILL after this many seconds. */
const stopSeconds = 10;
/** A database server writes its buffers before it ends. */
const databaseStopSeconds = 60;
const databaseDirectory = '/var/lib/mysql';
const shell = '/bin/sh';
/** The capabilities that the images' entrypoint needs to give the data directory to its user and to become that user. */
const databaseCapabilities = ['CHOWN', 'DAC_OVERRIDE', 'SETGID', 'SETUID'];

export const importDirectory = (facts: Pick<PlanFacts, 'importRoot'>, tenant: TenantSpace): string =>
  `${facts.importRoot}/${tenant.slug}`;

/** The container of a unit, to be running. */
export function planUnit(spec: UnitSpec, facts: PlanFacts): ContainerPlan {
  const { tenant, role, release, definition } = spec;
  const port = `${definition.port}/tcp`;
  return digested({
    ...common(spec),
    Labels: {
      ...tenantLabels(facts.instance, tenant),
      [label.role]: role,
      [label.commit]: release.commit,
      [label.release]: release.key,
      [label.port]: String(definition.port),
    },
    ExposedPorts: { [port]: {} },
    HostConfig: {
      ...hostConfig(spec, facts),
      ...readOnlyRoot(definition),
      Mounts: unitMounts(tenant, facts),
      PortBindings: facts.publish ? { [port]: [{ HostIp: '127.0.0.1', HostPort: String(spec.hostPort) }] } : {},
      RestartPolicy: { Name: 'unless-stopped' },
    },
    NetworkingConfig: attached(tenant, unitName(tenant.slug, role)),
  });
}

/**
 * A container that waits for commands: its shell reads an empty input. The image's entrypoint is replaced: if that is the
 * server itself, it would start.
 */
const waiting: ContainerCreateOptions = { Entrypoint: [shell], Cmd: [], OpenStdin: true };

/** A command from the tenant's repository, as a job runs it: the only user-written text that reaches a shell. */
export const commandLine = (command: string): string[] => [shell, '-c', command];

/** The container in which a job's commands run, one after the other. */
export function planJob(job: JobSpec, facts: PlanFacts): ContainerPlan {
  const { tenant, release } = job;
  return digested({
    ...common(job),
    ...waiting,
    Labels: {
      ...tenantLabels(facts.instance, tenant),
      [label.role]: 'job',
      [label.commit]: release.commit,
      [label.release]: release.key,
    },
    HostConfig: {
      ...hostConfig(job, facts),
      Mounts: unitMounts(tenant, facts),
      RestartPolicy: { Name: 'no' },
      // The caller gets its output; a second copy would only fill the disk.
      LogConfig: { Type: 'none', Config: {} },
    },
    NetworkingConfig: attached(tenant, undefined),
  });
}

/** The container that removes files from the import directory, as the user of the unit's image. */
export function planRemoval(tenant: TenantSpace, image: string, facts: PlanFacts): ContainerPlan {
  return digested({
    Image: image,
    ...waiting,
    Labels: { ...tenantLabels(facts.instance, tenant), [label.role]: 'job' },
    HostConfig: {
      NetworkMode: 'none',
      Init: true,
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      LogConfig: { Type: 'none', Config: {} },
      Mounts: unitMounts(tenant, facts),
    },
  });
}

/** The container of a tenant's own database server. The engine chooses the host port at every start. */
export function planDatabase(spec: DatabaseServerSpec, facts: PlanFacts): ContainerPlan {
  const { tenant } = spec;
  const port = `${databasePort}/tcp`;
  return digested({
    Image: spec.image,
    Env: environment(spec.environment),
    // A row that it accepts is loaded again, too: as a statement of a dump it can be twice as long.
    Cmd: ['--max-allowed-packet=1G'],
    StopTimeout: databaseStopSeconds,
    Labels: { ...tenantLabels(facts.instance, tenant), [label.role]: 'db' },
    ExposedPorts: { [port]: {} },
    HostConfig: {
      ...hostConfig(spec, facts),
      CapAdd: databaseCapabilities,
      Mounts: [{ Type: 'volume', Source: volumeName(tenant, 'db'), Target: databaseDirectory }],
      PortBindings: facts.publish ? { [port]: [{ HostIp: '127.0.0.1', HostPort: '' }] } : {},
      RestartPolicy: { Name: 'unless-stopped' },
    },
    NetworkingConfig: attached(tenant, databaseName(tenant.slug)),
  });
}

function common(spec: Omit<UnitSpec, 'hostPort'>): ContainerCreateOptions {
  return {
    Image: imageName(spec.role, spec.release.key),
    Env: environment({ ...spec.environment, PORT: String(spec.definition.port), HOST: '0.0.0.0' }),
    StopSignal: 'SIGTERM',
    StopTimeout: stopSeconds,
  };
}

/** Where the manifest allows it: a unit writes to its data, its imports and a /tmp of its own alone. */
const readOnlyRoot = ({ image }: UnitSpec['definition']): HostConfig =>
  image?.read_only ? { ReadonlyRootfs: true, Tmpfs: { '/tmp': 'rw,nosuid,nodev,mode=1777' } } : {};

/** What every container of a tenant is confined to. */
export function hostConfig(
  spec: { tenant: Pick<TenantSpace, 'slug'>; limits: UnitLimits },
  facts: Pick<PlanFacts, 'can'>,
): HostConfig {
  return {
    NetworkMode: networkName(spec.tenant.slug),
    // An init process forwards signals and reaps: most images start their program as PID 1, which does neither.
    Init: true,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges'],
    LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
    ...limitsFor(spec.limits, facts.can),
  };
}

function limitsFor(limits: UnitLimits, can: Abilities): HostConfig {
  const memory = Math.round(limits.memoryMb * 1024 * 1024);
  return {
    ...(can.memory ? { Memory: memory } : {}),
    // Memory and swap together: no swap beyond the limit; a unit that needs more is killed and reported as out of memory.
    ...(can.memory && can.swap ? { MemorySwap: memory } : {}),
    ...(can.cpus > 0 ? { NanoCpus: Math.round(Math.min(limits.cpus, can.cpus) * 1e9) } : {}),
    ...(can.pids ? { PidsLimit: limits.pids } : {}),
  };
}

function unitMounts(tenant: TenantSpace, facts: PlanFacts): NonNullable<HostConfig['Mounts']> {
  return [
    { Type: 'volume', Source: volumeName(tenant, 'data'), Target: dataDirectory },
    { Type: 'volume', Source: volumeName(tenant, 'imports'), Target: importDirectory(facts, tenant) },
  ];
}

function attached(tenant: TenantSpace, alias: string | undefined): ContainerCreateOptions['NetworkingConfig'] {
  return { EndpointsConfig: { [networkName(tenant.slug)]: alias === undefined ? {} : { Aliases: [alias] } } };
}

/** Sorted, so that the order of entries does not change the digest. */
function environment(entries: Readonly<Record<string, string>>): string[] {
  return Object.entries(entries)
    .map(([key, value]) => `${key}=${value}`)
    .sort();
}

function digested(options: ContainerCreateOptions): ContainerPlan {
  const digest = createHash('sha256').update(JSON.stringify(options)).digest('hex').slice(0, 32);
  return { digest, options: { ...options, Labels: { ...options.Labels, [label.spec]: digest } } };
}
