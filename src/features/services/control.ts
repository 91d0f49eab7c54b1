import type { Actor } from '../../adapters/events/audit-log-entry.ts';
import type { UnitRole } from '../../adapters/runtimes/runtime.ts';
import { isStoreUnavailable } from '../../adapters/store/translate-error.ts';
import { withTimeout } from '../../lib/concurrency/timeout.ts';
import { AppError, ExplainedError, messageOf } from '../../lib/errors.ts';
import { isDiskFull } from '../../lib/files/disk-full-error.ts';
import { deployedRelease, spaceOf, type Tenant } from '../tenants/tenants.ts';
import { bringUp, type ServicesDeps, waitUntilUp } from './bring-up.ts';
import type { ActionAnswer, StatusAnswer } from './schema.ts';

/** Starts, stops and restarts tenants. Each action returns the resulting states. */
export interface Control {
  /** @throws AppError not_found, operation_in_progress, not_deployed, tenant_error, runtime_unavailable, insufficient_storage */
  start(tenantId: string, actor: Actor): Promise<ActionAnswer>;
  stop(tenantId: string, actor: Actor): Promise<ActionAnswer>;
  restart(tenantId: string, actor: Actor): Promise<ActionAnswer>;
  /** @throws AppError not_found, runtime_unavailable */
  status(tenantId: string): Promise<StatusAnswer>;
}

type Action = 'start' | 'stop' | 'restart';
const done = { start: 'started', stop: 'stopped', restart: 'restarted' } as const satisfies Record<Action, string>;

/** What the diagnosis found before a failed start was undone. */
const causeOf = (error: unknown) =>
  error instanceof Error && error.cause instanceof ExplainedError ? error.cause.found : undefined;

export function createControl(deps: ServicesDeps): Control {
  const { tenants, runtime, writeAuditLog, logger, actionTimeoutMs = 180_000 } = deps;

  async function act(action: Action, tenantId: string, actor: Actor): Promise<ActionAnswer> {
    const { slug } = await tenants.get(tenantId);
    const working = deps.engine.exclusive(tenantId, action, async () => {
      const tenant = await tenants.get(tenantId);
      const release = deployedRelease(tenant);
      try {
        if (action === 'stop') await stop(tenant, actor);
        else await up(tenant, () => bringUp(tenant, release, action, deps, workOf(tenant)), actor);
      } catch (error) {
        const failure = { failed: action, reason: messageOf(error), cause: causeOf(error) };
        await audit(tenant, actor, 'error', `${action} failed: ${messageOf(error)}`, failure);
        if (error instanceof AppError || isStoreUnavailable(error)) throw error;
        const code = isDiskFull(error) ? 'insufficient_storage' : 'tenant_error';
        throw new AppError(code, `The ${action} of ${tenant.slug} failed: ${messageOf(error)}`, { cause: error });
      }
      const started = { started: action !== 'stop' };
      await audit(tenant, actor, 'info', `${actor.username} ${done[action]} the services`, started);
      const { frontend, api } = await readStates(tenant);
      return { message: `Services ${done[action]}`, services: { frontend, backend: api } };
    });
    return withActionTimeout(working, `The ${action} of ${slug}`);
  }

  async function up(tenant: Tenant, bring: () => Promise<void>, actor: Actor): Promise<void> {
    try {
      await bring();
    } catch (error) {
      await afterFailure(tenant, error, actor).catch((failure: unknown) => {
        const message = `could not record the status after a failure: ${messageOf(failure)}`;
        logger.error({ tenant: tenant.slug }, message);
      });
      throw error;
    }
    if (!(await tenants.setStatus(tenant.id, 'running', { actor }))) deps.recheck(tenant.id);
  }

  /** Sets the status to `running` if the restored services run, else to `error`. */
  async function afterFailure(tenant: Tenant, error: unknown, actor: Actor): Promise<void> {
    // Without the engine, the tenant's state is unknown.
    if (error instanceof AppError && error.code === 'runtime_unavailable') return;
    const states = await readStates(tenant).catch(() => undefined);
    const active = states?.api === 'active' && states.frontend === 'active';
    // A crash-looping unit is sometimes active.
    const runs =
      active &&
      (await waitUntilUp(tenant, deps, workOf(tenant).signal)
        .then(() => true)
        .catch(() => false));
    const reason = messageOf(error);
    await tenants.setStatus(tenant.id, runs ? 'running' : 'error', { actor, reason });
  }

  async function stop(tenant: Tenant, actor: Actor): Promise<void> {
    const space = spaceOf(tenant);
    const outcomes = await Promise.allSettled([
      runtime.stop({ tenant: space, role: 'frontend' }),
      runtime.stop({ tenant: space, role: 'api' }),
    ]);
    const failed = outcomes.find((outcome) => outcome.status === 'rejected');
    if (failed) throw failed.reason;
    const { api, frontend } = await readStates(tenant);
    if (api === 'active' || frontend === 'active') throw new Error('a service is still active');
    // A tenant that was never started stays pending.
    await tenants.setStatus(tenant.id, 'stopped', { actor, from: ['running', 'error'] });
  }

  async function readStates(tenant: Tenant): Promise<StatusAnswer> {
    const space = spaceOf(tenant);
    const stateOf = async (role: UnitRole) => (await runtime.inspect({ tenant: space, role })).state;
    const [api, frontend] = await Promise.all([stateOf('api'), stateOf('frontend')]);
    return { api, frontend };
  }

  /** Has its own signal: a client that disconnects must not leave a tenant half started. */
  function workOf(tenant: Tenant) {
    return {
      log: (line: string) => logger.debug({ tenant: tenant.slug, line }, 'services'),
      signal: AbortSignal.timeout(actionTimeoutMs),
    };
  }

  function withActionTimeout<T>(working: Promise<T>, what: string): Promise<T> {
    const seconds = Math.round(actionTimeoutMs / 1000);
    const message = `${what} has not finished within ${seconds} s. It continues in the background.`;
    const timeoutError = (): Error => new AppError('runtime_unavailable', message);
    return withTimeout(() => working, { timeoutMs: actionTimeoutMs, timeoutError });
  }

  async function audit(
    tenant: Tenant,
    actor: Actor,
    level: 'info' | 'error',
    message: string,
    more = {},
  ): Promise<void> {
    const details = { user_id: actor.userId, username: actor.username, ...more };
    const about = { id: tenant.id, slug: tenant.slug };
    await writeAuditLog({ level, category: 'audit', topic: 'service', message, tenant: about, details });
  }

  return {
    start: (tenantId, actor) => act('start', tenantId, actor),
    stop: (tenantId, actor) => act('stop', tenantId, actor),
    restart: (tenantId, actor) => act('restart', tenantId, actor),
    async status(tenantId) {
      const tenant = await tenants.get(tenantId);
      if (!tenant.deployed) return { api: 'inactive', frontend: 'inactive' };
      return withActionTimeout(readStates(tenant), `Reading the service states of ${tenant.slug}`);
    },
  };
}
