import type { AuditLogEntry } from '../../../../src/adapters/events/audit-log-entry.ts';
import { createEventBus } from '../../../../src/adapters/events/bus.ts';
import type { DomainEvent } from '../../../../src/adapters/events/messages.ts';
import type { Store } from '../../../../src/adapters/store/store.ts';
import type { FleetPlanOptions } from '../../../../src/features/upgrades/fleet/fleet.ts';
import type { FleetWithMembers } from '../../../../src/features/upgrades/fleet/service.ts';
import type { UpgradeOutcome } from '../../../../src/features/upgrades/single/upgrade.ts';
import { createFleets, type Fleets, type FleetsDeps } from '../../../../src/features/upgrades/upgrades.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { AppError } from '../../../../src/lib/errors.ts';
import { newId } from '../../../../src/lib/ids.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { until } from '../../../harness/data/tenants.ts';

export const operator = { userId: 'u1', username: 'olga' };

const options: FleetPlanOptions = {
  targetVersion: 'v1.1.0',
  rings: [1, '100%'],
  maxFailures: 0,
  pauseBetweenS: 0,
  backupDb: true,
  runMigrations: false,
  retryFailed: false,
};

type TenantsThere = Awaited<ReturnType<FleetsDeps['tenants']['list']>>['items'];

/**
 * Fleet upgrades over a real store. The tenants' own upgrades take seconds and have their own tests; here they start
 * and end when the test says so, so that it reaches every state.
 */
export function fleetWorld(store: Store) {
  const logger = createLogger({ level: 'silent' });
  const events = createEventBus(logger);
  const published: DomainEvent[] = [];
  const entries: AuditLogEntry[] = [];
  events.onAny((event) => void published.push(event));
  const tenants = new Map<string, TenantsThere[number]>();
  /** Requested operations by id, in order. */
  const started = new Map<string, { tenantId: string; end: PromiseWithResolvers<UpgradeOutcome>; ended: boolean }>();
  const world = {
    events,
    published,
    entries,
    tenants,
    started,
    fleets: undefined as unknown as Fleets,
    /** Thrown by the next `begin` of a tenant, once each. */
    errors: new Map<string, unknown[]>(),
    /** The result of a tenant's health check. */
    unhealthy: new Map<string, string>(),
    failures: new Map<string, { version: string | null; commit: string; reason: string }[]>(),
    tags: new Map(['v1.0.0', 'v1.1.0'].map((tag) => [tag, `commit of ${tag}`])),

    tenant(slug: string, version: string | null | undefined = 'v1.0.0'): string {
      const id = newId();
      const deployed = version === undefined ? null : { version, commit: `commit of ${version}` };
      tenants.set(id, { id, slug, deployed } as TenantsThere[number]);
      return id;
    },
    /** A manager on the same store, after an earlier one. @param between runs while there is none */
    async restart(between: () => void = () => undefined): Promise<void> {
      for (const { end, ended } of started.values())
        if (!ended) end.reject(new AppError('shutting_down', 'The manager is stopping'));
      await world.fleets.stop();
      for (const operation of started.values()) {
        if (operation.ended) continue;
        operation.end = Promise.withResolvers();
        operation.end.promise.catch(() => undefined);
      }
      between();
      world.open();
      await world.fleets.recover();
    },
    open(): void {
      world.fleets = createFleets(dependencies);
    },
    create: (tenantIds: readonly string[], changes: Partial<FleetPlanOptions> = {}) =>
      world.fleets.create({ tenantIds }, { ...options, ...changes }, operator),
    /** Ends the running upgrade of a tenant. */
    end(tenantId: string, status: UpgradeOutcome['status'] | 'not rolled back' | 'worker failed' = 'success'): void {
      const [id, operation] = [...started].findLast(([, one]) => one.tenantId === tenantId && !one.ended) ?? [];
      if (!id || !operation) throw new Error('No upgrade of it is under way');
      operation.ended = true;
      const common = { id, tenantId, previousVersion: 'v1.0.0', newVersion: 'v1.1.0', details: [], backupPath: null };
      operation.end.resolve(
        status === 'success'
          ? { ...common, status, commit: 'c', migrationsRun: [] }
          : {
              ...common,
              status: status === 'cancelled' ? status : 'failed',
              code: status === 'worker failed' ? 'internal_error' : 'upgrade_failed',
              reason: 'Health check: 500',
              summary: 'Health check: 500',
              rollback: status === 'not rolled back' ? 'failed' : 'done',
            },
      );
    },
    /** Waits until a fleet upgrade is in the expected state. */
    see: (id: string, wanted: (seen: FleetWithMembers) => boolean) => until(() => world.fleets.get(id), wanted),
    /** … until its tenants are in these states, in order, and the upgrades of those upgrading have started. */
    states: (id: string, states: string) =>
      world.see(
        id,
        ({ members }) =>
          members.map(({ status }) => status).join(' ') === states &&
          members.every(({ status, tenantId }) => status !== 'upgrading' || world.isUnderWay(tenantId)),
      ),
    isUnderWay: (tenantId: string) => [...started.values()].some((one) => one.tenantId === tenantId && !one.ended),
    status: (id: string, status: string) => world.see(id, ({ fleet }) => fleet.status === status),
    /** Ends every started upgrade, until the fleet upgrade has ended. */
    async complete(id: string): Promise<FleetWithMembers> {
      return world.see(id, ({ fleet }) => {
        for (const { tenantId, ended } of started.values()) if (!ended) world.end(tenantId);
        return fleet.status === 'completed';
      });
    },
    timesStarted: (tenantId: string) => [...started.values()].filter((one) => one.tenantId === tenantId).length,
  };

  const dependencies: FleetsDeps = {
    store,
    clock: systemClock,
    logger,
    events,
    writeAuditLog: async (entry) => void entries.push(entry),
    tenants: {
      find: async (id) => tenants.get(id),
      async list({ search = '' }, { limit, offset }) {
        const items = [...tenants.values()].filter(({ slug }) => slug.includes(search));
        return { items: items.slice(offset, offset + limit), total: items.length };
      },
      repositoryOf: async () => 'https://git.example.org/app.git',
    },
    upgrades: {
      async begin(tenantId, _request, _actor, { id = newId() } = {}) {
        if (started.has(id)) return { id };
        const refusal = world.errors.get(tenantId)?.shift();
        if (refusal !== undefined) throw refusal;
        const end = Promise.withResolvers<UpgradeOutcome>();
        end.promise.catch(() => undefined);
        started.set(id, { tenantId, end, ended: false });
        return { id };
      },
      outcome(id) {
        const operation = started.get(id);
        if (!operation) throw new AppError('not_found', 'No such upgrade');
        return operation.end.promise;
      },
      failuresOf: async (tenantId) =>
        (world.failures.get(tenantId) ?? []).map((failure) => ({ ...failure, tenantId, failedAt: new Date() })),
    },
    tagsOf: async () => world.tags,
    healthProblem: async (id) => world.unhealthy.get(id),
    concurrency: async () => 2,
    healthTimeoutMs: 20,
    retryDelayMs: 100,
  };
  world.open();
  return world;
}
