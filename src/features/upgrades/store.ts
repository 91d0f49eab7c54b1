import { Op } from 'sequelize';
import { refuseOrphan } from '../../adapters/store/conflicts.ts';
import type { Store } from '../../adapters/store/store.ts';
import {
  defineTable,
  instant,
  key,
  named,
  orNull,
  ownedBy,
  type RowOf,
  tableIn,
  text,
} from '../../adapters/store/table.ts';
import { notFound } from '../../lib/errors.ts';
import type { Version } from './single/target.ts';

const columns = {
  tenantId: key(ownedBy('tenants')),
  commit: named('commit_id', key(text(64))),
  version: orNull(text(255)),
  failedAt: instant,
  /** The failed step and its error. */
  reason: text(),
};
export const upgradeFailuresTable = defineTable('upgrade_failures', columns);
/** A failed upgrade of a tenant to a version. */
export type UpgradeFailure = RowOf<typeof columns>;

export function createFailureStore(store: Store) {
  const failures = tableIn(store, upgradeFailuresTable);
  return {
    /** Replaces an earlier failure with the same commit. */
    save: (failure: UpgradeFailure) =>
      refuseOrphan(failures.upsert(failure), () => notFound('tenant', failure.tenantId)),
    /** Newest first. */
    of: (tenantId: string) => failures.all({ where: { tenantId }, order: [['failedAt', 'DESC']] }),
    /** Removes the failures of a version that runs now, those at other commits included. */
    async clear(tenantId: string, { version, commit }: Version): Promise<void> {
      const same = version === null ? [{ commit }] : [{ commit }, { version }];
      await failures.remove({ tenantId, [Op.or]: same });
    },
  };
}

export type FailureStore = ReturnType<typeof createFailureStore>;
