import { type UnitRole, unitRoles } from '../../../adapters/runtimes/runtime.ts';
import { unitName } from '../../../adapters/runtimes/unit-name.ts';
import type { Probe } from '../../../adapters/tenant-api/probe.ts';
import { poll } from '../../../lib/concurrency/poll.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { ExplainedError, messageOf } from '../../../lib/errors.ts';
import { type LiveRelease, portOf, spaceOf, type Tenant } from '../../tenants/tenants.ts';
import type { HealthDeps } from './checks.ts';
import { type ReadWaited, watchOverload } from './overload.ts';
import { CrashWatch, ServerErrorWatch } from './startup-watch.ts';

/** @see createProof */
export type ProveHealthy = (tenant: Tenant, release: LiveRelease, work: Work, timeoutMs: number) => Promise<void>;

/** A unit that has been up for this long owns its port, even if another process seems to hold it. In ms. */
const steadyMs = 5_000;

/** Waiting longer is pointless: ends the polling. */
class UnrecoverableError extends Error {}

/**
 * Proves that the requested release runs: both units active at its commit, the API healthy, the frontend answering. Throws an
 * Error with the problem: immediately if a unit gave up, keeps crashing or answers only with 5xx for 30 s, else after
 * `timeoutMs`, with an `ExplainedError` as its cause if the machine was overloaded. Throws the signal's reason on abort.
 */
export function createProof({
  runtime,
  tenantApi,
  checkTimeoutMs = 5_000,
  intervalMs = 100,
  readWaited,
}: Pick<HealthDeps, 'runtime' | 'tenantApi'> & {
  /** Timeout of one request to a page or the runtime. */
  checkTimeoutMs?: number;
  intervalMs?: number;
  readWaited?: ReadWaited;
}): ProveHealthy {
  return async (tenant, release, work, timeoutMs) => {
    const space = spaceOf(tenant);
    const watches: Record<UnitRole, CrashWatch> = { api: new CrashWatch(), frontend: new CrashWatch() };
    const serverErrors: Record<UnitRole, ServerErrorWatch> = {
      api: new ServerErrorWatch(),
      frontend: new ServerErrorWatch(),
    };
    const starts: Partial<Record<UnitRole, number>> = {};
    let last = 'no check has finished yet';
    const startedAt = performance.now();
    const overload = watchOverload(readWaited);

    const check = async (): Promise<true | undefined> => {
      const problem = await findProblem().catch((error: unknown) => {
        work.signal.throwIfAborted();
        if (error instanceof UnrecoverableError) throw new Error(error.message);
        return messageOf(error);
      });
      if (problem === undefined) return true;
      if (problem !== last) work.log(`Not healthy yet: ${problem}`);
      last = problem;
      return undefined;
    };
    if (await poll(check, { timeoutMs, intervalMs, signal: work.signal })) {
      work.log(`Healthy after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
      return;
    }
    const message = `${tenant.slug} is not healthy after ${Math.round(timeoutMs / 1000)} s: ${last}`;
    const found = overload();
    if (!found) throw new Error(message);
    work.log(`${found.title}.`);
    throw new Error(message, { cause: new ExplainedError(found, message) });

    async function findProblem(): Promise<string | undefined> {
      for (const role of unitRoles) {
        const problem = await unitProblem(role);
        if (problem) return problem;
      }
      return (await apiProblem()) ?? (await frontendProblem()) ?? (await portProblem());
    }

    /** Another process may answer on a unit's port until the unit fails to listen there and ends. */
    async function portProblem(): Promise<string | undefined> {
      for (const role of unitRoles) {
        const upMs = Date.now() - (starts[role] ?? 0);
        if (upMs < 0 || upMs >= steadyMs) continue;
        const port = portOf(tenant, role);
        const holder = await runtime.portHolder?.(port).catch(() => undefined);
        if (holder && holder.slug !== tenant.slug)
          return `${unitName(tenant.slug, role)}: port ${port} is in use by ${holder.name}`;
      }
      return undefined;
    }

    async function unitProblem(role: UnitRole): Promise<string | undefined> {
      const name = unitName(tenant.slug, role);
      const state = await withTimeout(() => runtime.inspect({ tenant: space, role }), { timeoutMs: checkTimeoutMs });
      const failure = watches[role].observe(state, performance.now());
      if (failure) throw new UnrecoverableError(`${name} does not stay up: ${failure}`);
      if (state.startedAt) starts[role] = state.startedAt.getTime();
      if (state.state === 'inactive')
        return `${name} is not running${state.reason === null ? '' : `: ${state.reason}`}`;
      if (state.commit !== release.commit) return `${name} runs commit ${state.commit}, not ${release.commit}`;
      return undefined;
    }

    async function apiProblem(): Promise<string | undefined> {
      const { health } = release.units.api;
      const probe = await tenantApi.health(await addressOf('api'), health, options());
      if (probe.status === 'down') return pageProblem('api', health, probe);
      // If the application reports another commit, another process answers on the port.
      const isOther = /^[0-9a-f]{40}$/.test(probe.commit ?? '') && probe.commit !== release.commit;
      return isOther
        ? `${unitName(tenant.slug, 'api')} answers as commit ${probe.commit}, not ${release.commit}`
        : undefined;
    }

    async function frontendProblem(): Promise<string | undefined> {
      const { health } = release.units.frontend;
      const probe = await tenantApi.probe(await addressOf('frontend'), health, options());
      return probe.status === 'down' ? pageProblem('frontend', health, probe) : undefined;
    }

    function pageProblem(role: UnitRole, path: string, { status_code, error }: Probe): string {
      const page = `${unitName(tenant.slug, role)} ${path}`;
      const seconds = serverErrors[role].observe(status_code, starts[role], performance.now());
      if (seconds !== undefined)
        throw new UnrecoverableError(`${page} answered only with ${status_code} for ${seconds} s`);
      return `${page}: ${error}`;
    }

    function addressOf(role: UnitRole) {
      const port = portOf(tenant, role);
      return withTimeout(() => runtime.address({ tenant: space, role }, port), { timeoutMs: checkTimeoutMs });
    }

    /** No request may exceed the total timeout. */
    function options() {
      const left = timeoutMs - (performance.now() - startedAt);
      return { timeoutMs: Math.max(100, Math.min(checkTimeoutMs, left)), signal: work.signal };
    }
  };
}
