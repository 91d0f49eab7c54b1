import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import type { ContainerTaskSpec, HealthConfig, ServiceSpec } from 'dockerode';
import { dataDirectory } from '../../engine/container-plan.ts';
import { emptied, type Labels, label, tenantLabels } from '../../engine/labels.ts';
import { imageName, overlayName } from '../../engine/names.ts';
import type { JobSpec, TenantSpace, UnitSpec } from '../../runtime.ts';
import { shell } from '../../shell-line.ts';
import { unitName } from '../../unit-name.ts';
import { storageLabel } from '../client/tasks.ts';
import type { Secret } from '../secrets.ts';
import { environmentScript } from './environment-script.ts';
import type { ImageFacts } from './image-facts.ts';

/** Settings for planning a service. */
export interface PlanFacts {
  instance: string;
  storage: string;
  /** The parent of all import directories inside the containers. */
  importRoot: string;
  /** A failing unit is given up after `limit` restarts within a window, each after a delay. */
  restarts: { limit: number; windowMs: number; delayMs: number };
}

const second = 1e9;
const mebibyte = 1024 ** 2;
/** The tenant contract: SIGTERM, then SIGKILL after 10 s. */
const stopGrace = 10 * second;
/**
 * Part of its limit that a unit reserves. Swarm places no task on a node whose reservations are full; memory can't be taken back
 * and is the scarce part, processor time only gets less for everybody.
 */
const reserved = { memory: 0.5, cpus: 0.02 };
/** A slow start is no failure for so long; a failure ends a task, and counts as a restart. */
const health = { Interval: 5 * second, Timeout: 10 * second, StartPeriod: 300 * second, Retries: 6 };

/** A /tmp of a unit's own, in memory. dockerode's type demands a source, which the engine only accepts empty. */
const temporary = { Type: 'tmpfs' as const, Source: '', Target: '/tmp', TmpfsOptions: { SizeBytes: 0, Mode: 0o1777 } };

export const importDirectory = ({ importRoot }: Pick<PlanFacts, 'importRoot'>, { slug }: TenantSpace): string =>
  `${importRoot}/${slug}`;

/**
 * The service of one generation of a unit, with no replicas. Nodes: Swarm itself spreads tasks by their number; host ports and
 * MaxReplicas keep two copies off one node, and the label means that the node has the storage.
 */
export function planUnit(
  spec: UnitSpec & { generation: string },
  image: ImageFacts,
  secret: Secret,
  facts: PlanFacts,
): ServiceSpec {
  const { tenant, role, definition, hostPort } = spec;
  const { limit, windowMs, delayMs } = facts.restarts;
  const planned = common(spec, image, secret, facts);
  const labels = {
    ...unitLabels(spec, facts),
    ...{ [label.port]: String(definition.port), [label.generation]: spec.generation },
  };
  return {
    Labels: { ...labels, [label.spec]: digestOf(spec, facts) },
    TaskTemplate: {
      ...planned,
      ContainerSpec: {
        ...planned.ContainerSpec,
        ...command(image, secret),
        ...(definition.image?.read_only
          ? { ReadOnly: true, Mounts: [temporary, ...(planned.ContainerSpec?.Mounts ?? [])] }
          : {}),
        Labels: { ...emptied(image.labels), ...labels },
        HealthCheck: healthCheck(spec, image),
      },
      RestartPolicy: { Condition: 'any', Delay: delayMs * 1e6, MaxAttempts: limit, Window: windowMs * 1e6 },
      Networks: [{ Target: overlayName(tenant.slug), Aliases: [unitName(tenant.slug, role)] }],
    },
    Mode: { Replicated: { Replicas: 0 } },
    // Only a restart updates tasks: everything else is another generation, which the caller proves and rolls back with its data.
    UpdateConfig: {
      Parallelism: 1,
      Order: 'stop-first',
      FailureAction: 'pause',
      Monitor: health.StartPeriod + delayMs * 1e6,
    },
    EndpointSpec: {
      Mode: 'dnsrr',
      Ports: [{ Protocol: 'tcp', TargetPort: definition.port, PublishedPort: hostPort, PublishMode: 'host' }],
    },
  };
}

/**
 * The service that runs one command line of a job, once. Not Swarm's `ReplicatedJob`: when that is removed or scaled to 0, engine
 * 20.10 lets its task run on, so that no timeout could end it.
 */
export function planCommand(
  job: JobSpec,
  line: string,
  image: ImageFacts,
  secret: Secret,
  facts: PlanFacts,
): ServiceSpec {
  const planned = common(job, image, secret, facts);
  const labels = { ...unitLabels(job, facts), [label.role]: 'job' };
  return {
    Labels: labels,
    TaskTemplate: {
      ...planned,
      ContainerSpec: {
        ...planned.ContainerSpec,
        Labels: { ...emptied(image.labels), ...labels },
        Command: [shell, secretPath(secret), shell, '-c', line],
        HealthCheck: { Test: ['NONE'] },
      },
      // The default would run a failed migration again, and again.
      RestartPolicy: { Condition: 'none' },
      Networks: [{ Target: overlayName(job.tenant.slug) }],
    },
    Mode: { Replicated: { Replicas: 1 } },
    EndpointSpec: { Mode: 'dnsrr' },
  };
}

/**
 * Equal digests are the same unit. Of the image only its release counts: what it contains never changes, and need not be present
 * to compare.
 */
export function digestOf(spec: UnitSpec, facts: PlanFacts): string {
  const { port, health: page } = spec.definition;
  const planned = {
    ...{ image: imageName(spec.role, spec.release.key), port, page },
    ...{ tenant: spec.tenant.id, slug: spec.tenant.slug, hostPort: spec.hostPort, limits: spec.limits },
    ...{ environment: environmentScript(spec.environment), facts },
  };
  return createHash('sha256').update(JSON.stringify(planned)).digest('hex').slice(0, 32);
}

function unitLabels({ tenant, role, release }: JobSpec, { instance }: PlanFacts): Labels {
  return {
    ...tenantLabels(instance, tenant),
    [label.role]: role,
    [label.commit]: release.commit,
    [label.release]: release.key,
  };
}

function common(spec: JobSpec, image: ImageFacts, secret: Secret, facts: PlanFacts): ContainerTaskSpec {
  const { tenant, limits, definition } = spec;
  const memory = Math.round(limits.memoryMb * mebibyte);
  const directory = posix.join(facts.storage, tenant.slug);
  return {
    ContainerSpec: {
      Image: image.reference,
      Env: [`PORT=${definition.port}`, 'HOST=0.0.0.0'],
      // An init process forwards signals and reaps: most images start their program as PID 1, which does neither.
      Init: true,
      CapabilityDrop: ['ALL'],
      Privileges: noNewPrivileges,
      StopSignal: 'SIGTERM',
      StopGracePeriod: stopGrace,
      Mounts: [
        { Type: 'bind', Source: posix.join(directory, 'data'), Target: dataDirectory },
        { Type: 'bind', Source: posix.join(directory, 'imports'), Target: importDirectory(facts, tenant) },
      ],
      Secrets: [
        {
          File: { Name: secret.file, UID: String(image.owner.uid), GID: String(image.owner.gid), Mode: 0o400 },
          SecretID: secret.id,
          SecretName: secret.name,
        },
      ],
    },
    Resources: {
      Limits: { MemoryBytes: memory, NanoCPUs: Math.round(limits.cpus * 1e9), Pids: limits.pids },
      Reservations: {
        MemoryBytes: Math.round(memory * reserved.memory),
        NanoCPUs: Math.round(limits.cpus * reserved.cpus * 1e9),
      },
    },
    Placement: { Constraints: [`node.labels.${storageLabel}==ok`], MaxReplicas: 1, Platforms: [image.platform] },
    LogDriver: { Name: 'json-file', Options: { 'max-size': '10m', 'max-file': '3' } },
  };
}

/** Engines before API 1.44 cannot set it for services, and pass it over; the types lack it. */
export const noNewPrivileges = { NoNewPrivileges: true } as Record<string, unknown>;

const secretPath = ({ file }: Secret): string => posix.join('/run/secrets', file);

/** The image's own command, with the environment of the secret. */
const command = ({ entrypoint, command: args }: ImageFacts, secret: Secret): { Command: string[] } => ({
  Command: [shell, secretPath(secret), ...entrypoint, ...args],
});

/**
 * Asks the unit's health page by what the image has: curl, wget, node or python3; without any of them a started unit counts as
 * running. Every HTTP answer is good, an error page, too: Swarm replaces what is unhealthy, and an unavailable database must not
 * restart all units until they are given up. Whether the page reports health is for the manager's own probe. Node's `fetch` refuses
 * ports such as 6000.
 */
const healthScript = `if command -v curl; then curl -s -o /dev/null -m 8 "$1"
elif command -v wget; then said=$(wget -q -T 8 -O /dev/null "$1" 2>&1); code=$?
  case "$code $said" in 0*|8*|*HTTP/*) ;; *) exit 1 ;; esac
elif command -v node; then node -e 'setTimeout(process.exit, 8000, 1); require("http").get(process.argv[1], () => process.exit(0)).on("error", () => process.exit(1))' "$1"
elif command -v python3; then python3 -c 'import sys, urllib.request, urllib.error
try: urllib.request.urlopen(sys.argv[1], timeout=8)
except urllib.error.HTTPError: pass' "$1"
fi >/dev/null 2>&1 || exit 1`;

/** An image that defines a check itself keeps it. */
function healthCheck({ definition }: UnitSpec, image: ImageFacts): HealthConfig | undefined {
  if (image.hasHealthCheck || definition.health === undefined) return undefined;
  const url = `http://127.0.0.1:${definition.port}${definition.health}`;
  return { Test: ['CMD', shell, '-c', healthScript, 'health', url], ...health };
}
