import type { BoundDatabase, DatabaseCheck } from '../../../adapters/databases/tenant-database.ts';
import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../../adapters/events/bus.ts';
import { type Runtime, type UnitRole, type UnitState, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import type { TenantApi } from '../../../adapters/tenant-api/tenant-api.ts';
import type { Clock } from '../../../lib/clock.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { OperationEngine } from '../../../lib/operations/engine.ts';
import { foreignPage } from '../../../lib/text/foreign-text.ts';
import { type DatabaseOf, type HealthStatus, portOf } from '../../tenants/tenant.ts';
import { type LiveRelease, spaceOf, type Tenant, type Tenants } from '../../tenants/tenants.ts';
import type { CertificateCheck, HealthChecks, PageCheck, ServicesCheck, SyntheticCheck } from '../schema.ts';
import type { CrashLoop, CrashLoops } from './crash-loops.ts';
import { type CheckOptions, certificateCheck, proxyCheck, type SiteChecks } from './site-checks.ts';
import { overallStatus, type UnitFindings } from './status-rules.ts';

/** What health checks need of the rest of the manager. */
export interface HealthDeps {
  runtime: Pick<Runtime, 'inspect' | 'address' | 'portHolder'>;
  tenantApi: Pick<TenantApi, 'probe' | 'health'>;
  databaseOf: (...tenant: Parameters<DatabaseOf>) => Promise<Pick<BoundDatabase, 'check'>>;
  site: SiteChecks;
  /** The last run of the checks with a user's steps. */
  userSteps: UserSteps;
  tenants: Pick<Tenants, 'get' | 'find' | 'each' | 'setStatus' | 'recordHealth'>;
  /** A check while an operation works on the tenant must not change its status. */
  engine: Pick<OperationEngine, 'isBusy'>;
  settings: { read(key: 'health_check_timeout' | 'health_check_concurrency'): Promise<number> };
  events: EventBus;
  writeAuditLog: WriteAuditLog;
  clock: Clock;
  logger: Logger;
  dataDirectory: string;
}

/** What the last run of a release's checks with a user's steps found; undefined: nothing recent. */
export interface UserSteps {
  finding(tenantId: string, release: LiveRelease): Promise<UserStepsFinding | undefined>;
}

interface UserStepsFinding extends Pick<SyntheticCheck, 'status' | 'check' | 'step'> {
  error: string | undefined;
  durationMs: number;
  at: Date;
}

export interface CheckResult {
  overall: Exclude<HealthStatus, 'unknown'>;
  checks: HealthChecks;
  certificate: CertificateCheck | null;
  /** undefined if the runtime did not answer: then the tenant's status must not change. */
  units: UnitFindings | undefined;
  /** When its units started; empty if the runtime did not answer. */
  started: UnitStarts;
}

/** When each running unit of a tenant started. */
export type UnitStarts = Partial<Record<UnitRole, Date>>;

/** Runs all checks of a deployed tenant concurrently. Throws only the signal's reason. */
export async function checkTenant(
  tenant: Tenant,
  release: LiveRelease,
  deps: HealthDeps,
  options: CheckOptions & { at: Date; crashLoops: CrashLoops },
): Promise<CheckResult> {
  const { api, frontend } = release.units;
  const space = spaceOf(tenant);
  const frontendAddress = addressOf('frontend');
  const apiAddress = addressOf('api');
  const [frontendPage, backendPage, docsPage, database, units, proxy, certificate, userSteps] = await Promise.all([
    checkPage(frontendAddress, (address) => deps.tenantApi.probe(address, frontend.health, options)),
    checkPage(apiAddress, (address) => deps.tenantApi.health(address, api.health, options)),
    api.probe === undefined ? undefined : checkDocs(api.probe),
    checkDatabase(),
    checkUnits(),
    proxyCheck(tenant, release, deps.site, options),
    certificateCheck(tenant, deps.site, options.at),
    // A store that does not answer must not fail the other checks.
    deps.userSteps.finding(tenant.id, release).catch(() => undefined),
  ]);
  options.signal?.throwIfAborted();

  const crashLoop = 'unknown' in units ? undefined : crashLoopOf(units);
  const docsDown = docsPage?.status === 'down';
  const docsError = docsDown && backendPage.status === 'up' ? { error: `${api.probe}: ${docsPage.error}` } : {};
  const checks: HealthChecks = {
    frontend: frontendPage,
    backend: { ...backendPage, ...docsError },
    database: databaseResult(database, backendPage),
    services: servicesResult(units, crashLoop),
    ...(proxy ? { proxy } : {}),
    ...(userSteps ? { synthetic: syntheticResult(userSteps) } : {}),
  };
  const servicesUnknown = 'unknown' in units;
  return {
    overall: overallStatus(checks, { docsDown, servicesUnknown, certificateBad: certificate?.error !== undefined }),
    checks,
    certificate,
    units: 'unknown' in units ? undefined : findingsOf(units),
    started: 'unknown' in units ? {} : startsOf(units),
  };

  function crashLoopOf(units: Units): CrashLoop | undefined {
    const loops = unitRoles.map((role) => options.crashLoops.observe(tenant.id, role, units[role], options.at));
    return loops.find((loop) => loop !== undefined);
  }

  function addressOf(role: UnitRole): Promise<Address> {
    const port = portOf(tenant, role);
    return withTimeout(() => deps.runtime.address({ tenant: space, role }, port), { timeoutMs: options.timeoutMs });
  }

  async function checkPage(
    target: Promise<Address>,
    probe: (address: Address) => Promise<PageCheck>,
  ): Promise<PageCheck> {
    try {
      const { status, response_time_ms, status_code, error, problem, reason, body } = await probe(await target);
      const why = {
        error,
        problem,
        reason: reason && foreignPage(reason, maxReason),
        body: body && foreignPage(body, maxBody),
      };
      const said = Object.fromEntries(Object.entries(why).filter(([, value]) => value));
      return { status, response_time_ms, status_code, ...said };
    } catch (error) {
      options.signal?.throwIfAborted();
      return { status: 'down', response_time_ms: null, status_code: null, error: messageOf(error) };
    }
  }

  function checkDocs(path: string): Promise<PageCheck> {
    return checkPage(apiAddress, (address) => deps.tenantApi.probe(address, path, options));
  }

  async function checkDatabase(): Promise<DatabaseCheck> {
    const kind = release.database;
    if (!kind) return { status: 'healthy', size_mb: null, connections: null };
    const { timeoutMs } = options;
    try {
      return await withTimeout(async () => (await deps.databaseOf(tenant, kind)).check({ timeoutMs }), {
        timeoutMs: timeoutMs + 1_000,
      });
    } catch (error) {
      return { status: 'unhealthy', size_mb: null, connections: null, error: messageOf(error) };
    }
  }

  async function checkUnits(): Promise<UnitsResult> {
    const inspect = (role: UnitRole) => deps.runtime.inspect({ tenant: space, role });
    try {
      return await withTimeout(
        async () => {
          const [api, frontend] = await Promise.all([inspect('api'), inspect('frontend')]);
          return { api, frontend };
        },
        { timeoutMs: options.timeoutMs },
      );
    } catch (error) {
      return { unknown: `the services could not be inspected: ${messageOf(error)}` };
    }
  }
}

/** What is shown of an answer that is an error, and of a reason. */
const maxBody = 500;
const maxReason = 200;

type Address = Awaited<ReturnType<Runtime['address']>>;
type Units = Record<UnitRole, UnitState>;
type UnitsResult = Units | { unknown: string };

/** A database that only the application can access is healthy if the application reports it so. */
function databaseResult({ unseen, ...check }: DatabaseCheck, backend: PageCheck): HealthChecks['database'] {
  if (!unseen || backend.status === 'up') return check;
  return { ...check, status: 'unhealthy', error: 'only the backend can access the database, and it does not answer' };
}

function syntheticResult({ status, check, step, error, durationMs, at }: UserStepsFinding): SyntheticCheck {
  const result = { status, check, step, duration_ms: durationMs, at: at.toISOString() };
  return error === undefined ? result : { ...result, error };
}

function servicesResult(units: UnitsResult, crashLoop: CrashLoop | undefined): ServicesCheck {
  if ('unknown' in units) return { frontend_service: 'inactive', backend_service: 'inactive', error: units.unknown };
  const reason = reasonOf(units);
  const services = { frontend_service: units.frontend.state, backend_service: units.api.state };
  if (!crashLoop) return reason === '' ? services : { ...services, error: reason };
  const { role, restarts, since } = crashLoop;
  const service = role === 'api' ? 'backend' : 'frontend';
  const error = reason || `${service}: crashed ${restarts} times since ${since.toISOString()}`;
  return { ...services, error, crash_loop: { service, restarts, since: since.toISOString() } };
}

function findingsOf(units: Units): UnitFindings {
  return {
    bothActive: units.api.state === 'active' && units.frontend.state === 'active',
    gaveUp: [units.api, units.frontend].some((unit) => unit.state === 'inactive' && unit.gaveUp),
    reason: reasonOf(units),
  };
}

const startsOf = (units: Units): UnitStarts =>
  Object.fromEntries(
    Object.entries(units).flatMap(([role, { state, startedAt }]) =>
      state === 'active' && startedAt ? [[role, startedAt]] : [],
    ),
  );

function reasonOf(units: Units): string {
  const named = [['backend', units.api] as const, ['frontend', units.frontend] as const];
  return named
    .filter(([, unit]) => unit.state === 'inactive')
    .map(([name, unit]) => `${name}: ${unit.reason ?? 'stopped'}`)
    .join('; ');
}
