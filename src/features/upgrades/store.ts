import { DataTypes, type Model, Op } from 'sequelize';
import { idType, instant } from '../../adapters/store/columns.ts';
import { refuseOrphan } from '../../adapters/store/conflicts.ts';
import type { Store } from '../../adapters/store/store.ts';
import { notFound } from '../../lib/errors.ts';
import type { Version } from './single/target.ts';

/** A failed upgrade of a tenant to a version. */
export interface UpgradeFailure extends Version {
  tenantId: string;
  failedAt: Date;
  /** The failed step and its error. */
  reason: string;
}

export interface FailureStore {
  /** Replaces an earlier failure with the same commit. */
  save(failure: UpgradeFailure): Promise<void>;
  /** Newest first. */
  of(tenantId: string): Promise<UpgradeFailure[]>;
  /** Removes the failures of a version that runs now, those at other commits included. */
  clear(tenantId: string, version: Version): Promise<void>;
}

export function createFailureStore({ sequelize }: Store): FailureStore {
  const Failures = sequelize.define<Model<UpgradeFailure, UpgradeFailure>>(
    'UpgradeFailure',
    {
      tenantId: { type: idType, primaryKey: true },
      commit: { type: DataTypes.STRING(64), primaryKey: true, field: 'commit_id' },
      version: DataTypes.STRING(255),
      failedAt: instant,
      reason: DataTypes.TEXT,
    },
    { tableName: 'upgrade_failures' },
  );
  return {
    async save(failure) {
      await refuseOrphan(Failures.upsert(failure), () => notFound('tenant', failure.tenantId));
    },
    async of(tenantId) {
      const rows = await Failures.findAll({ where: { tenantId }, order: [['failedAt', 'DESC']] });
      return rows.map((row) => row.get());
    },
    async clear(tenantId, { version, commit }) {
      const same = version === null ? [{ commit }] : [{ commit }, { version }];
      await Failures.destroy({ where: { tenantId, [Op.or]: same } });
    },
  };
}
