import {
  type Runtime,
  type UnitRole,
  type UnitSpec,
  type UnitState,
  unitRoles,
  type Work,
} from '../../adapters/runtimes/runtime.ts';
import { unitName } from '../../adapters/runtimes/unit-name.ts';
import { poll } from '../../lib/concurrency/poll.ts';
import { messageOf } from '../../lib/errors.ts';
import { type LiveRelease, spaceOf, type Tenant } from '../tenants/tenants.ts';

export interface BringUpDeps {
  runtime: Pick<
    Runtime,
    'isLive' | 'start' | 'restart' | 'stop' | 'stage' | 'activate' | 'commit' | 'rollback' | 'inspect'
  >;
  /** The units a tenant should have now, by its release and its present configuration. */
  specsOf(tenant: Tenant): Promise<UnitSpec[]>;
  /** Sees to it that a database server of the tenant's own runs and can be used; nothing to do where it has none. */
  bringUpDatabase(tenant: Tenant, release: LiveRelease, work: Work): Promise<void>;
  /** Writes the environment file as changed units are about to get it; answers what puts the previous one back. */
  writeEnvironment(tenant: Tenant, release: LiveRelease): Promise<() => Promise<void>>;
  /** Resolves when both units run the release and answer; throws the reason where they don't. */
  proveHealthy(tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number): Promise<void>;
  /** How long units that are as they should be may take until both stay up (default 30 s). */
  startTimeoutMs?: number | undefined;
  /** How long changed units may take until they are healthy (default 60 s). */
  healthTimeoutMs?: number | undefined;
}

/** A unit counts as up when it has run for so long: one that ends at once must not pass for started. */
const steadyMs = 1_000;
/** A unit that ended by itself must stay up within this time. */
const crashPatienceMs = 8_000;

/**
 * Brings a tenant up in its present configuration: its database first, then both units, as they are where nothing changed,
 * else as a new generation that must prove healthy, or what was there before is put back. Throws what went wrong.
 */
export async function bringUp(
  tenant: Tenant,
  release: LiveRelease,
  how: 'start' | 'restart',
  deps: BringUpDeps,
  work: Work,
): Promise<void> {
  await deps.bringUpDatabase(tenant, release, work);
  const specs = await deps.specsOf(tenant);
  const live = await Promise.all(specs.map((spec) => deps.runtime.isLive(spec)));
  if (!live.every(Boolean)) return replace(tenant, release, specs, deps, work);
  await Promise.all(specs.map((spec) => deps.runtime[how]({ tenant: spec.tenant, role: spec.role })));
  await waitUntilUp(tenant, deps, work.signal);
}

async function replace(
  tenant: Tenant,
  release: LiveRelease,
  specs: UnitSpec[],
  { runtime, writeEnvironment, proveHealthy, healthTimeoutMs = 60_000 }: BringUpDeps,
  work: Work,
): Promise<void> {
  const space = spaceOf(tenant);
  const restoreEnvironment = await writeEnvironment(tenant, release);
  try {
    for (const spec of specs) await runtime.stage(spec, work);
    await runtime.activate(space, work);
    await proveHealthy(tenant, release, work, healthTimeoutMs);
  } catch (error) {
    // Putting back must not be ended by what ended the change.
    try {
      await runtime.rollback(space, { log: work.log, signal: new AbortController().signal });
      await restoreEnvironment();
    } catch (failure) {
      throw new Error(`${messageOf(error)}; and what ran before could not be put back: ${messageOf(failure)}`, {
        cause: error,
      });
    }
    throw error;
  }
  await runtime.commit(space);
}

/** Waits until both units run and stay up. @throws an Error with the reason where one does not */
export async function waitUntilUp(
  tenant: Tenant,
  { runtime, startTimeoutMs = 30_000 }: BringUpDeps,
  signal: AbortSignal,
): Promise<void> {
  const space = spaceOf(tenant);
  const firstCrash = new Map<UnitRole, number>();
  let problem = 'nothing was seen yet';
  const look = async (): Promise<true | undefined> => {
    const states = await Promise.all(unitRoles.map((role) => runtime.inspect({ tenant: space, role })));
    const problems = states.map((state, index) => problemOf(unitRoles[index] ?? 'api', state)).filter(Boolean);
    problem = problems.join('; ');
    return problems.length === 0 ? true : undefined;
  };
  if (await poll(look, { timeoutMs: startTimeoutMs, intervalMs: 200, signal })) return;
  throw new Error(`not up after ${Math.round(startTimeoutMs / 1000)} s: ${problem}`);

  function problemOf(role: UnitRole, state: UnitState): string | undefined {
    const name = unitName(tenant.slug, role);
    if (state.state === 'active') {
      const upMs = Date.now() - (state.startedAt?.getTime() ?? 0);
      // Started in the future: the clock was set back since.
      const steady = upMs >= steadyMs || upMs < 0;
      return steady ? undefined : `${name} has only just started`;
    }
    const told = `${name} is not running${state.reason === null ? '' : `: ${state.reason}`}`;
    if (state.gaveUp) throw new Error(told);
    if (state.reason !== null) {
      const crashedAt = firstCrash.get(role) ?? performance.now();
      firstCrash.set(role, crashedAt);
      if (performance.now() - crashedAt >= crashPatienceMs) throw new Error(told);
    }
    return told;
  }
}
