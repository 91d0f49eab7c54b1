import type { Runtime, TenantSpace, UnitRole } from '../../../adapters/runtimes/runtime.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import type { LogKeeper } from './log-keeper.ts';

/** A slow engine must not hold a deployment up for longer. */
const withinMs = 15_000;

/**
 * A runtime that keeps units' logs where they would be lost: before a container is removed or a change undone, and before a tenant is. Where all
 * generations write to one log, it is read soon after new processes have started, whose time divides it.
 */
export function keepingLogs(runtime: Runtime, keeper: Pick<LogKeeper, 'collect'>): Runtime {
  const keep = (tenant: TenantSpace, roles?: readonly UnitRole[]): Promise<void> =>
    withTimeout(() => keeper.collect(runtime, tenant, { timeoutMs: withinMs, ...(roles ? { roles } : {}) }), {
      // Another collection of the same log may have to end first.
      timeoutMs: withinMs,
    }).catch(() => undefined);
  const removeTenant: Runtime['removeTenant'] = async (tenant, options) => {
    await keep(tenant);
    await runtime.removeTenant(tenant, options);
  };
  const rollback: Runtime['rollback'] = async (tenant, work) => {
    await keep(tenant);
    await runtime.rollback(tenant, work);
  };
  switch (runtime.kind) {
    case 'process':
    case 'systemd':
      return {
        ...runtime,
        removeTenant,
        rollback,
        async activate(tenant, work) {
          await runtime.activate(tenant, work);
          await keep(tenant);
        },
      };
    case 'docker':
    case 'swarm':
      return {
        ...runtime,
        removeTenant,
        rollback,
        async stage(spec, work) {
          // It ends an earlier change.
          await keep(spec.tenant, [spec.role]);
          await runtime.stage(spec, work);
        },
        async commit(tenant) {
          await keep(tenant);
          await runtime.commit(tenant);
        },
      };
    default:
      return runtime.kind satisfies never;
  }
}
