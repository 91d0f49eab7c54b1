import { setTimeout as sleep } from 'node:timers/promises';
import type { Runtime, UnitRef, UnitUsage } from '../../adapters/runtimes/runtime.ts';
import { AppError } from '../../lib/errors.ts';
import { toTimestampOrNull } from '../../lib/http/routing/formats.ts';
import { spaceOf, type Tenant } from '../tenants/tenants.ts';
import type { ServicesDeps } from './bring-up.ts';
import { roleOf } from './recent-logs.ts';
import type { DetailsAnswer, ServiceName } from './schema.ts';

type Details = DetailsAnswer['services'][ServiceName];

/** CPU usage is measured over this interval. */
const cpuIntervalMs = 500;

/**
 * Reports a tenant's services, their resource usage, and whether they have the current configuration.
 * @throws AppError runtime_unavailable
 */
export async function serviceDetails(tenant: Tenant, deps: ServicesDeps): Promise<DetailsAnswer> {
  const space = spaceOf(tenant);
  const of = (name: ServiceName) => detailsOf({ tenant: space, role: roleOf[name] }, deps.runtime);
  const [frontend, backend] = await Promise.all([of('frontend'), of('backend')]);
  const exists = frontend.commit !== null || backend.commit !== null;
  return { tenant_id: tenant.id, applied: await appliedOf(tenant, exists, deps), services: { frontend, backend } };
}

async function appliedOf(
  tenant: Tenant,
  exists: boolean,
  { runtime, specsOf }: ServicesDeps,
): Promise<DetailsAnswer['applied']> {
  if (!tenant.deployed) return 'not_deployed';
  // A tenant that is still on another runtime has no environment here.
  if (!exists) return 'pending_restart';
  const live = await Promise.all((await specsOf(tenant)).map((spec) => runtime.isLive(spec)));
  return live.every(Boolean) ? 'current' : 'pending_restart';
}

async function detailsOf(unit: UnitRef, runtime: Runtime): Promise<Details> {
  const { state, commit, reason, gaveUp, startedAt } = await runtime.inspect(unit);
  const { cpuPercent = null, usage } = state === 'active' ? await measureUsage(unit, runtime) : {};
  return {
    state,
    started_at: toTimestampOrNull(state === 'active' ? startedAt : null),
    reason,
    gave_up: gaveUp,
    commit,
    cpu_percent: cpuPercent,
    memory_bytes: usage?.memoryBytes ?? null,
    memory_limit_bytes: usage?.memoryLimitBytes ?? null,
  };
}

/** The resource usage of a unit; empty if it ended during the measurement. */
async function measureUsage(
  unit: UnitRef,
  runtime: Runtime,
): Promise<{ cpuPercent?: number | null; usage?: UnitUsage }> {
  const first = await measure();
  if (!first) return {};
  await sleep(cpuIntervalMs);
  const second = await measure();
  if (!second) return {};
  const [before, after] = [first.usage.cpuMs, second.usage.cpuMs];
  // Less than before: the unit was restarted in between.
  const cpuPercent =
    before === null || after === null || after < before
      ? null
      : Math.round(((after - before) / (second.at - first.at)) * 1_000) / 10;
  return { cpuPercent, usage: second.usage };

  async function measure() {
    const usage = await runtime.usage(unit).catch((error: unknown) => {
      if (error instanceof AppError) throw error;
      return undefined;
    });
    return usage && { usage, at: performance.now() };
  }
}
