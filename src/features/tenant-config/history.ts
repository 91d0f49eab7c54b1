import type { Transaction } from '../../adapters/store/store.ts';
import { notFound } from '../../lib/errors.ts';
import type { Page, Paging } from '../../lib/http/routing/paging.ts';
import { newId } from '../../lib/ids.ts';
import { type ConfigChange, changesOf } from './audit.ts';
import type { ConfigFields } from './config-fields.ts';
import type { ConfigRow, RevisionRow, RevisionStore } from './store.ts';

/** One change of a configuration. */
export interface ConfigRevision {
  revision: number;
  /** null: not recorded. */
  username: string | null;
  createdAt: Date;
  /** Secrets hidden. Empty for the oldest revision that is known. */
  changes: ConfigChange[];
}

/** How many revisions of a tenant are kept. */
const keptRevisions = 100;

/** The last changes of tenants' configurations. @param fieldsOf the complete fields of a tenant's rows */
export function createConfigHistory(
  rows: RevisionStore,
  fieldsOf: (
    tenantId: string,
    rows: readonly Pick<RevisionRow, 'fields' | 'customEnv' | 'tenantId'>[],
  ) => Promise<ConfigFields[]>,
) {
  return {
    /** Records a change in its transaction; before the first one, also what it changed. */
    async record(
      before: ConfigRow,
      after: Pick<ConfigRow, 'fields' | 'customEnv' | 'revision'>,
      { username, at }: { username: string; at: Date },
      transaction: Transaction,
    ): Promise<void> {
      const { tenantId } = before;
      const row = (of: typeof after, by: string | null): RevisionRow => ({
        id: newId(),
        tenantId,
        revision: of.revision,
        fields: of.fields,
        customEnv: of.customEnv,
        username: by,
        createdAt: at,
      });
      const isFirst = (await rows.count({ tenantId }, transaction)) === 0;
      await rows.insertAll([...(isFirst ? [row(before, null)] : []), row(after, username)], transaction);
      await rows.removeUpTo(tenantId, after.revision - keptRevisions, transaction);
    },

    /** Newest first. */
    async list(tenantId: string, paging: Paging): Promise<Page<ConfigRevision>> {
      const limit = paging.limit + 1;
      const { items, total } = await rows.page({ tenantId }, { ...paging, limit }, [['revision', 'DESC']]);
      const fields = await fieldsOf(tenantId, items);
      const revisions = items.slice(0, paging.limit).map(({ revision, username, createdAt }, index) => {
        const [after, before] = [fields[index], fields[index + 1]];
        return { revision, username, createdAt, changes: before && after ? changesOf(before, after) : [] };
      });
      return { items: revisions, total };
    },

    /** The complete fields of a revision. @throws AppError not_found */
    async fieldsAt(tenantId: string, revision: number): Promise<ConfigFields> {
      const row = await rows.find({ tenantId, revision });
      const [fields] = row ? await fieldsOf(tenantId, [row]) : [];
      if (!fields) throw notFound('revision', String(revision));
      return fields;
    },
  };
}
