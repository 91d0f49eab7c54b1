import type { WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import {
  type Runtime,
  type UnitLogLine,
  type UnitRole,
  type UnitSpec,
  type UnitState,
  unitRoles,
} from '../../adapters/runtimes/runtime.ts';
import { unitName } from '../../adapters/runtimes/unit-name.ts';
import { poll } from '../../lib/concurrency/poll.ts';
import type { Work } from '../../lib/concurrency/work.ts';
import { AppError, ExplainedError, type FoundCause, messageOf } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { Health } from '../health/health.ts';
import { type LiveRelease, spaceOf, type Tenant, type Tenants } from '../tenants/tenants.ts';

/** A line of a unit's log; its time in ms. */
type KeptLine = Pick<UnitLogLine, 'stream' | 'message'> & { time: number | null; node: string | null };

/** What the control of services needs of the rest of the manager. */
export interface ServicesDeps {
  runtime: Runtime;
  tenants: Pick<Tenants, 'get' | 'setStatus'>;
  engine: Pick<OperationEngine, 'exclusive'>;
  specsOf: Deployments['specsOf'];
  proveHealthy: Health['proveHealthy'];
  /** The last lines that are kept of a unit's logs, the oldest first. */
  keptLines(tenantId: string, role: UnitRole, count: number): Promise<KeptLine[]>;
  /** Why a started release does not work; undefined: the facts don't show it. */
  diagnoseStarted(tenant: Tenant, release: LiveRelease, options: { proxied: boolean }): Promise<FoundCause | undefined>;
  /** Called after running services were restarted, which does not change the tenant's status. */
  recheck: Health['recheck'];
  /** @throws AppError data_missing if the tenant's data is gone */
  assertData(tenant: Tenant, signal: AbortSignal): Promise<void>;
  /** Makes a release ready to run again, whose images or files were removed. */
  rebuild(tenant: Tenant, release: LiveRelease, work: Work): Promise<void>;
  /** Ensures that the tenant's own database server, if it has one, runs and accepts connections. */
  bringUpDatabase(tenant: Tenant, release: LiveRelease, work: Work): Promise<void>;
  /** Writes the environment file for changed units. @returns a function that restores the previous one */
  writeEnvironment(tenant: Tenant, release: LiveRelease): Promise<() => Promise<void>>;
  events: EventBus;
  writeAuditLog: WriteAuditLog;
  logger: Logger;
  /** Timeout for unchanged units to stay up (default 30 s). */
  startTimeoutMs?: number;
  /** How long a start waits for unchanged units to become healthy (default 15 s). */
  answerTimeoutMs?: number;
  /** How long changed units may take to become healthy. */
  healthTimeoutMs(release: Pick<LiveRelease, 'startTimeout'>): number;
  /** Response timeout of an action (default 3 min). The action continues and stays the tenant's operation until it ends. */
  actionTimeoutMs?: number;
  /** How long a log is followed after its last viewer left, so that a reloaded page finds it (default 10 s). */
  logGraceMs?: number;
}

/** A unit counts as up after this time, so that one that ends immediately is not reported as started. */
const steadyMs = 1_000;
/** A unit that has crashed must stay up again within this time. */
const crashTimeoutMs = 8_000;

/**
 * Starts a tenant with its current configuration: first its database, then both units. Changed units start as a new generation
 * that must prove healthy; otherwise the previous one is restored. Throws the reason of a failure.
 */
export async function bringUp(
  tenant: Tenant,
  release: LiveRelease,
  action: 'start' | 'restart',
  deps: ServicesDeps,
  work: Work,
): Promise<void> {
  await deps.assertData(tenant, work.signal);
  await deps.bringUpDatabase(tenant, release, work);
  const specs = await deps.specsOf(tenant);
  const live = await Promise.all(specs.map((spec) => deps.runtime.isLive(spec)));
  if (!live.every(Boolean)) {
    if (!(await deps.runtime.hasRelease(release.key))) await deps.rebuild(tenant, release, work);
    return replace(tenant, release, specs, deps, work);
  }
  await Promise.all(specs.map((spec) => deps.runtime[action]({ tenant: spec.tenant, role: spec.role })));
  await waitUntilUp(tenant, deps, work.signal);
  await waitUntilHealthy(tenant, release, deps, work);
}

/** A unit runs before it listens: who starts a tenant may use it at once. An unhealthy tenant stays started, and its health shows why. */
async function waitUntilHealthy(tenant: Tenant, release: LiveRelease, deps: ServicesDeps, work: Work): Promise<void> {
  const { proveHealthy, answerTimeoutMs = 15_000 } = deps;
  try {
    await proveHealthy(tenant, release, work, answerTimeoutMs);
  } catch (error) {
    work.log(`Started, but not healthy: ${messageOf(error)}`);
    await waitUntilUp(tenant, deps, work.signal);
  }
}

async function replace(
  tenant: Tenant,
  release: LiveRelease,
  specs: UnitSpec[],
  { runtime, writeEnvironment, proveHealthy, diagnoseStarted, healthTimeoutMs }: ServicesDeps,
  work: Work,
): Promise<void> {
  const space = spaceOf(tenant);
  const restoreEnvironment = await writeEnvironment(tenant, release);
  try {
    for (const spec of specs) await runtime.stage(spec, work);
    await runtime.activate(space, work);
    await proveHealthy(tenant, release, work, healthTimeoutMs(release));
  } catch (error) {
    // Before the rollback, which leaves nothing of it.
    const found = await diagnoseStarted(tenant, release, { proxied: false }).catch(() => undefined);
    // The rollback needs its own signal: the original one may be aborted.
    try {
      await runtime.rollback(space, { log: work.log, signal: new AbortController().signal });
      await restoreEnvironment();
    } catch (failure) {
      throw new Error(`${messageOf(error)}; restoring the previous services also failed: ${messageOf(failure)}`, {
        cause: error,
      });
    }
    if (error instanceof AppError) throw error;
    const states = await Promise.all(unitRoles.map((role) => runtime.inspect({ tenant: space, role })));
    const after = states.every(({ state }) => state === 'active')
      ? 'The previous configuration is in use again, and its services run'
      : 'The previous configuration is in use again, and its services stay stopped';
    const cause = found ? new ExplainedError(found, messageOf(error), { cause: error }) : error;
    throw new Error(`${messageOf(error)}. ${after}`, { cause });
  }
  await runtime.commit(space);
}

/** Waits until both units run and stay up. @throws an Error with the reason if one does not */
export async function waitUntilUp(
  tenant: Tenant,
  { runtime, startTimeoutMs = 30_000 }: ServicesDeps,
  signal: AbortSignal,
): Promise<void> {
  const space = spaceOf(tenant);
  const firstCrash = new Map<UnitRole, number>();
  let problem = 'no check has finished yet';
  const check = async (): Promise<true | undefined> => {
    const states = await Promise.all(unitRoles.map((role) => runtime.inspect({ tenant: space, role })));
    const problems = states.map((state, index) => problemOf(unitRoles[index] ?? 'api', state)).filter(Boolean);
    problem = problems.join('; ');
    return problems.length === 0 ? true : undefined;
  };
  if (await poll(check, { timeoutMs: startTimeoutMs, intervalMs: 200, signal })) return;
  throw new Error(`not up after ${Math.round(startTimeoutMs / 1000)} s: ${problem}`);

  function problemOf(role: UnitRole, state: UnitState): string | undefined {
    const name = unitName(tenant.slug, role);
    if (state.state === 'active') {
      const upMs = Date.now() - (state.startedAt?.getTime() ?? 0);
      // A start in the future: the clock was set back.
      const steady = upMs >= steadyMs || upMs < 0;
      return steady ? undefined : `${name} has only just started`;
    }
    const message = `${name} is not running${state.reason === null ? '' : `: ${state.reason}`}`;
    if (state.gaveUp) throw new Error(message);
    if (state.reason !== null && !state.waiting) {
      const crashedAt = firstCrash.get(role) ?? performance.now();
      firstCrash.set(role, crashedAt);
      if (performance.now() - crashedAt >= crashTimeoutMs) throw new Error(message);
    }
    return message;
  }
}
