import { Op } from 'sequelize';
import { refuseOrphan } from '../../../adapters/store/conflicts.ts';
import type { Store } from '../../../adapters/store/store.ts';
import {
  defineTable,
  flag,
  id,
  instant,
  key,
  newestFirst,
  orNull,
  ownedBy,
  tableIn,
  text,
} from '../../../adapters/store/table.ts';
import { notFound } from '../../../lib/errors.ts';
import type { Page, Paging } from '../../../lib/http/routing/paging.ts';
import type { MaintenanceWindow } from './window.ts';

const columns = {
  id: key(id),
  tenantId: orNull(ownedBy('tenants')),
  startsAt: instant,
  endsAt: instant,
  weekly: flag,
  timeZone: text(64),
  reason: text(),
  createdBy: text(255),
  createdAt: instant,
};
export const maintenanceWindowsTable = defineTable('maintenance_windows', columns, { indexes: [['tenantId']] });

export type MaintenanceStore = ReturnType<typeof createMaintenanceStore>;

/** Maintenance windows in the store. */
export function createMaintenanceStore(store: Store) {
  const windows = tableIn(store, maintenanceWindowsTable);
  return {
    find: (id: string): Promise<MaintenanceWindow | undefined> => windows.find({ id }),
    list: (tenantId: string | undefined, paging: Paging): Promise<Page<MaintenanceWindow>> =>
      windows.page(tenantId === undefined ? {} : { [Op.or]: [{ tenantId }, { tenantId: null }] }, paging, newestFirst),
    /** Those that may cover this moment. */
    startedBefore: (at: Date): Promise<MaintenanceWindow[]> =>
      windows.all({ where: { startsAt: { [Op.lte]: at }, [Op.or]: [{ weekly: true }, { endsAt: { [Op.gt]: at } }] } }),
    /** @throws AppError not_found for a tenant that does not exist */
    insert: (window: MaintenanceWindow): Promise<void> =>
      refuseOrphan(windows.insert(window), () => notFound('tenant', window.tenantId ?? '')),
    /** @returns how many changed @throws AppError not_found for a tenant that does not exist */
    update: ({ id, ...changes }: MaintenanceWindow): Promise<number> =>
      refuseOrphan(windows.update(changes, { id }), () => notFound('tenant', changes.tenantId ?? '')),
    remove: (id: string): Promise<number> => windows.remove({ id }),
    /** One-off windows that ended before. */
    async removeEndedBefore(date: Date): Promise<void> {
      await windows.remove({ weekly: false, endsAt: { [Op.lt]: date } });
    },
  };
}
