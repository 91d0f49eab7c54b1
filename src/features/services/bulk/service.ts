import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import { newId } from '../../../lib/ids.ts';
import type { ReplayStream } from '../../../lib/streams/replay-stream.ts';
import { selectTenants, type TenantSelection } from '../../tenants/tenants.ts';
import {
  type BulkDeps,
  type BulkOperation,
  type BulkResult,
  countResults,
  type ResultCounts,
} from './bulk-operation.ts';
import { bulkKind } from './operation.ts';
import type { BulkAction, GivenParameters } from './parameters.ts';
import type { BulkStore } from './store.ts';

interface BulkWithResults {
  operation: BulkOperation;
  results: BulkResult[];
}

/** Runs one action on many tenants. */
export interface BulkService {
  /** @throws AppError validation_error, shutting_down */
  create(
    asked: { action: BulkAction; parameters: GivenParameters },
    choice: TenantSelection,
    options: { concurrency: number },
    actor: Actor,
  ): Promise<BulkWithResults>;
  /** @throws AppError not_found */
  get(id: string): Promise<BulkWithResults>;
  list(paging: Paging): Promise<Page<{ operation: BulkOperation; counts: ResultCounts }>>;
  /** Starts no more tenants; those in progress finish. @throws AppError not_found, invalid_state */
  cancel(id: string, actor: Actor): Promise<BulkWithResults>;
  /** Creates an operation for the tenants that failed or were skipped by a cancel. @throws AppError not_found, invalid_state */
  retry(id: string, actor: Actor): Promise<BulkWithResults>;
  /** @throws AppError not_found */
  stream(id: string): Promise<ReplayStream>;
}

type Subject = Pick<BulkResult, 'tenantId' | 'slug' | 'name'>;

export function createBulkService(rows: BulkStore, { engine, tenants, actions, writeAuditLog }: BulkDeps): BulkService {
  async function get(id: string): Promise<BulkWithResults> {
    const operation = await rows.find(id);
    if (!operation) throw notFound('bulk operation', id);
    return { operation, results: await rows.results(id) };
  }

  async function submit(
    { action, parameters, concurrency }: Pick<BulkOperation, 'action' | 'parameters' | 'concurrency'>,
    subjects: Subject[],
    { userId, username }: Actor,
  ): Promise<BulkWithResults> {
    const input = { action, parameters, concurrency, actor: { userId, username }, tenants: subjects };
    const pending = subjects.map(() => ({ status: 'pending' as const }));
    const { id } = await engine.submit(bulkKind, newId(), input, { counts: countResults(pending) });
    await audit(
      id,
      `${username} started a bulk ${action} of ${subjects.length} ${subjects.length === 1 ? 'tenant' : 'tenants'}`,
      { userId, username },
      { action, ...parameters, ...(parameters.config ? { config: parameters.config.fields } : {}) },
    );
    return get(id);
  }

  function audit(id: string, message: string, actor: Actor, details: Record<string, unknown> = {}): Promise<void> {
    return writeAuditLog({
      level: 'info',
      category: 'audit',
      message,
      details: { user_id: actor.userId, username: actor.username, bulk_id: id, ...details },
    });
  }

  return {
    async create({ action, parameters: given }, choice, { concurrency }, actor) {
      const parameters = actions.prepare(given);
      const chosen = await selectTenants(choice, tenants);
      const subjects = chosen.map(({ id, slug, name }) => ({ tenantId: id, slug, name }));
      return submit({ action, parameters, concurrency }, subjects, actor);
    },

    get,

    async list(paging) {
      const { items, total } = await rows.list(paging);
      const counts = await rows.counts(items.map(({ id }) => id));
      return {
        items: items.map((operation) => ({ operation, counts: counts.get(operation.id) ?? countResults([]) })),
        total,
      };
    },

    async cancel(id, actor) {
      const { operation } = await get(id);
      if (!(await engine.cancel(id)))
        throw new AppError('invalid_state', `The bulk operation has ended: ${operation.status}`);
      await audit(id, `${actor.username} cancelled the bulk ${operation.action}`, actor);
      return get(id);
    },

    async retry(id, actor) {
      const { operation, results } = await get(id);
      if (operation.finishedAt === null)
        throw new AppError('invalid_state', 'The bulk operation is still running. Wait until it ends or cancel it.');
      const retried = results.filter(({ status, error }) => status === 'failed' || (status === 'skipped' && !error));
      if (retried.length === 0) throw new AppError('invalid_state', 'No tenant of this bulk operation failed');
      return submit(
        operation,
        retried.map(({ tenantId, slug, name }) => ({ tenantId, slug, name })),
        actor,
      );
    },

    async stream(id) {
      return engine.stream((await get(id)).operation.id);
    },
  };
}
