import { statfs } from 'node:fs/promises';
import type { Runtime, UnitRole } from '../../../adapters/runtimes/runtime.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import type { OperationSummary } from '../../../lib/operations/operation.ts';
import type { Health } from '../../health/health.ts';
import type { Sites } from '../../sites/sites.ts';
import { portOf, spaceOf, type Tenant, type Tenants } from '../../tenants/tenants.ts';
import type { Change, DiskSpace, Facts, FailedStart, HealthFinding, SiteFacts, UnitFacts } from './facts.ts';
import type { createFleetReader, FleetSources } from './fleet.ts';
import { ended, linesOf, logFinding, scriptFinding } from './logs.ts';
import { mapped, read, valueIn } from './reading.ts';
import { startProblem } from './start-script.ts';

/** Where the facts come from. */
export interface FactSources extends Pick<FleetSources, 'knownCauses'> {
  clock: Clock;
  runtime: Pick<
    Runtime,
    | 'kind'
    | 'availability'
    | 'nodes'
    | 'freeSpace'
    | 'inspect'
    | 'logs'
    | 'usage'
    | 'portHolder'
    | 'hasRelease'
    | 'paths'
  >;
  engine: Pick<OperationEngine, 'isBusy'>;
  tenants: Pick<Tenants, 'get' | 'each'>;
  health: Pick<Health, 'examine'>;
  sites: Pick<Sites, 'stateOf' | 'certificateOf' | 'dnsOf'>;
  /** undefined: there is none. */
  proxy(): Promise<{ available: true } | { available: false; reason: string } | undefined>;
  /** The address at one of these names that redirects to itself; undefined: none, or there is no reverse proxy. */
  selfRedirect(domains: readonly string[]): Promise<string | undefined>;
  /** Whether the setting says where host names should lead. */
  hasPublicAddresses(): Promise<boolean>;
  /** Whether the application accepts the tenant's key. @throws Error when it does not answer */
  asksWithKey(tenantId: string): Promise<'accepted' | 'refused' | 'not_asked'>;
  lastOperations(tenantId: string): Promise<(OperationSummary & { version: string | null })[]>;
  changesSince(tenantId: string, since: Date): Promise<Change[]>;
  lastStop(tenantId: string): Promise<{ username: string | null; createdAt: Date } | undefined>;
  /** The last start or restart, if it failed and no later change followed. */
  failedStart(tenantId: string): Promise<FailedStart | undefined>;
  /** How far the clock of the manager's database server is ahead; undefined: there is none. */
  databaseAheadMs(): Promise<number | undefined>;
  dataDirectory: string;
}

/** An application that hangs is found by its health page. */
const keyTimeoutMs = 3_000;
const changesOfMs = 86_400_000;
const runtimeNames = { docker: 'Docker', swarm: 'Swarm', systemd: 'systemd', process: 'Processes' } as const;

/** Reads all facts about a tenant concurrently, each within seconds; never throws. */
export async function gatherFacts(
  tenant: Tenant,
  sources: FactSources & { fleet: ReturnType<typeof createFleetReader> },
): Promise<Facts> {
  const { runtime, clock, dataDirectory } = sources;
  const space = spaceOf(tenant);
  const from = runtimeNames[runtime.kind];
  const at = clock.now();
  const busy = sources.engine.isBusy(tenant.id);
  const release = tenant.deployed;
  const isLocal = runtime.kind === 'process' || runtime.kind === 'systemd';

  async function unit(role: UnitRole): Promise<UnitFacts> {
    const ref = { tenant: space, role };
    const name = role === 'api' ? 'API' : 'site';
    const port = portOf(tenant, role);
    const state = await read(from, () => runtime.inspect(ref));
    const [lines, portHolder, usage] = await Promise.all([
      read(`Log, ${name}`, () => linesOf(runtime, ref, valueIn(state), at.getTime())),
      read('Ports', async () => {
        const holder = await runtime.portHolder?.(port);
        return holder && holder.slug !== tenant.slug ? holder : undefined;
      }),
      read(from, () => runtime.usage(ref)),
    ]);
    const last = (valueIn(lines) ?? []).slice(-5).map(({ message }) => message);
    const said = [...last, valueIn(state)?.reason ?? '', release?.units[role].start ?? ''];
    const exitCode = valueIn(state)?.lastExit?.code;
    const problem = release && (await startProblem(release.checkout, said, exitCode, { onHost: isLocal }));
    const log = mapped(lines, (found) => (problem ? scriptFinding(problem, at) : logFinding(found, valueIn(state))));
    const lastLines = mapped(lines, (found) => ended(found, valueIn(state)).map(({ message }) => message));
    return { state, log, lastLines, portHolder, usage };
  }

  const [
    engine,
    databaseAheadMs,
    nodes,
    free,
    health,
    api,
    frontend,
    files,
    site,
    apiKey,
    operations,
    changes,
    stop,
    failedStart,
    fleet,
  ] = await Promise.all([
    read(from, async () => {
      const answer = await runtime.availability();
      return answer.available ? { available: true as const, clockAheadMs: answer.clockAheadMs } : answer;
    }),
    read('Database server', () => sources.databaseAheadMs()),
    read(from, async () => runtime.nodes?.list() ?? []),
    read('Disk', () => disks()),
    read('Health check', () => healthOf(sources, tenant)),
    unit('api'),
    unit('frontend'),
    read(from, async () => release === null || runtime.hasRelease(release.key)),
    siteFacts(tenant, sources),
    read('Application', () => sources.asksWithKey(tenant.id), keyTimeoutMs),
    read('Deployments', () => sources.lastOperations(tenant.id)),
    read('Audit log', () => sources.changesSince(tenant.id, new Date(at.getTime() - changesOfMs))),
    read('Audit log', () => sources.lastStop(tenant.id)),
    read('Audit log', () => sources.failedStart(tenant.id)),
    read('Health checks', () => sources.fleet()),
  ]);
  return {
    at,
    tenant,
    busy: busy || sources.engine.isBusy(tenant.id),
    forwarded: runtime.kind === 'docker',
    engine,
    databaseAheadMs,
    nodes,
    disks: free,
    health,
    units: { api, frontend },
    release: files,
    site,
    apiKey,
    operations,
    changes,
    stop,
    failedStart,
    fleet,
  };

  function disks(): Promise<DiskSpace[]> {
    return allSpaces([dataDirectory, ...(isLocal ? [runtime.paths(space).dataDirectory] : [])], () =>
      runtime.freeSpace(),
    );
  }
}

/** Places that can't be read are left out: a directory may not exist yet. */
async function allSpaces(places: readonly string[], engineSpaces: () => Promise<DiskSpace[]>): Promise<DiskSpace[]> {
  const local = places.map(async (place) => {
    const { bavail, bsize } = await statfs(place);
    return [{ place, bytes: bavail * bsize }];
  });
  const found = await Promise.all([...local, engineSpaces()].map((one) => one.catch(() => [])));
  return found.flat();
}

async function healthOf({ health }: FactSources, tenant: Tenant): Promise<HealthFinding> {
  const { overall_status: overall, checks } = await health.examine(tenant);
  const { backend, frontend, proxy, database, synthetic } = checks;
  const loop = checks.services.crash_loop;
  const crashLoop = loop && {
    role: loop.service === 'backend' ? ('api' as const) : ('frontend' as const),
    restarts: loop.restarts,
    since: new Date(loop.since),
  };
  return { overall, crashLoop, pages: { api: backend, frontend }, proxy, database, userSteps: synthetic };
}

async function siteFacts({ id, domain, apiDomain }: Tenant, sources: FactSources): Promise<SiteFacts> {
  const names = [...new Set([domain, apiDomain])];
  const [proxy, state, certificate, dns, selfRedirect] = await Promise.all([
    read('Reverse proxy', () => sources.proxy()),
    read('Reverse proxy', () => sources.sites.stateOf(id)),
    read('Certificate', () => sources.sites.certificateOf(id)),
    read('DNS', async () => ((await sources.hasPublicAddresses()) ? sources.sites.dnsOf(names) : [])),
    read('Reverse proxy', () => sources.selfRedirect(names)),
  ]);
  return { proxy, state, certificate, dns, selfRedirect };
}
