import { queryOptions } from '@tanstack/react-query';
import { api, dataOf } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import type { components } from '../../api/schema.ts';

export type Backup = components['schemas']['Backup'];
export type Schedule = components['schemas']['BackupSchedule'];
export type Keep = components['schemas']['BackupRetention'];

/** The newest backups of a tenant that are shown. */
export const backupsQuery = (id: string, limit: number) =>
  queryOptions({
    queryKey: ['backups', id, 'list', limit],
    placeholderData: (before) => before,
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/backups', { params: { path: { id }, query: { limit } } })),
  });

export const backupQuery = (id: string, backup_id: string) =>
  queryOptions({
    queryKey: ['backups', id, 'one', backup_id],
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/backups/{backup_id}', { params: { path: { id, backup_id } } })),
  });

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: ['backups', id, 'schedule'],
    queryFn: () => dataOf(api.GET('/api/tenants/{id}/backup-schedule', { params: { path: { id } } })),
  });

/** Refetches everything about a tenant's backups and operations. */
export function refreshBackups(id: string): void {
  for (const kind of ['backups', 'deployments']) void queryClient.invalidateQueries({ queryKey: [kind, id] });
}
