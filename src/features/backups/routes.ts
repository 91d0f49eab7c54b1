import { z } from 'zod';
import { acceptedResponse, answerOrAccept } from '../../lib/http/responses/accepted-response.ts';
import { sendFile } from '../../lib/http/responses/send-file.ts';
import { listOf } from '../../lib/http/routing/paging.ts';
import { may } from '../../lib/http/routing/roles.ts';
import { defineRoute, type Route, reply } from '../../lib/http/routing/route.ts';
import type { Schedules } from './schedule/schedules.ts';
import {
  backupBody,
  backupsQuery,
  remoteBackupAnswer,
  restoreAnswer,
  restoreBody,
  scheduleBody,
  scheduleChanges,
  shown,
  shownSchedule,
  toMebibytes,
  waitQuery,
} from './schema.ts';
import type { BackupService } from './service.ts';
import type { Backup } from './store.ts';

const tag = 'Backups';
const whileMaking = [
  'operation_in_progress',
  'not_deployed',
  'insufficient_storage',
  'tenant_error',
  'runtime_unavailable',
  'invalid_state',
] as const;

export function backupRoutes(backups: BackupService, schedules: Schedules): Route[] {
  const body = (backup: Backup) => shown(backup, backups.pathOf(backup));
  return [
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/backup-schedule',
        tag,
        summary: 'A tenant’s backup schedule and retention',
        access: 'view',
        responses: { 200: { schema: scheduleBody } },
      },
      async ({ params }) => shownSchedule(await schedules.get(params.id)),
    ),
    defineRoute(
      {
        method: 'put',
        path: '/api/tenants/{id}/backup-schedule',
        tag,
        summary: 'Set a tenant’s backup schedule and retention',
        description:
          'The retention applies to scheduled backups only; backups that a user requested stay until they are deleted.',
        access: 'operate',
        body: scheduleChanges,
        responses: { 200: { schema: scheduleBody } },
      },
      async ({ params, body: changes, principal }) => shownSchedule(await schedules.set(params.id, changes, principal)),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/backups',
        tag,
        summary: 'Back up a tenant',
        description:
          'Packs database, files and environment into one tar while the tenant runs, and verifies it. Responds when the backup is complete; its progress is a deployment of kind `backup`.',
        access: 'operate',
        query: waitQuery,
        responses: {
          201: { schema: backupBody },
          202: acceptedResponse,
        },
        errors: [...whileMaking],
      },
      async ({ params, query, principal }) =>
        answerOrAccept(await backups.create(params.id, 'manual', principal), query.wait, (backup) =>
          reply(201, body(backup)),
        ),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/remote/backup',
        tag,
        summary: 'Back up a tenant (like `POST …/backups`, with another response)',
        access: 'operate',
        responses: { 200: { schema: remoteBackupAnswer } },
        errors: [...whileMaking],
      },
      async ({ params, principal }) => {
        const backup = await (await backups.create(params.id, 'manual', principal)).done;
        return {
          message:
            backup.remoteError === null
              ? 'Backup made and verified'
              : `Backup made and verified, but not copied to the bucket: ${backup.remoteError}; the manager retries it later`,
          backup_path: backups.pathOf(backup),
          size_mb: toMebibytes(backup.sizeBytes ?? 0),
        };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/backups',
        tag,
        summary: 'Backups of a tenant, newest first',
        access: 'view',
        query: backupsQuery,
        responses: { 200: { schema: listOf('backups', backupBody) } },
      },
      async ({ params, query: { kind, ...paging }, principal }) => {
        const { items, total } = await backups.list(params.id, { kind }, paging);
        const hidden = !may(principal.role, 'operate');
        return { backups: items.map((backup) => (hidden ? shown(backup, null) : body(backup))), total, ...paging };
      },
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/backups/{backup_id}',
        tag,
        summary: 'One backup',
        access: 'view',
        responses: { 200: { schema: backupBody } },
      },
      async ({ params }) => body(await backups.get(params.id, params.backup_id)),
    ),
    defineRoute(
      {
        method: 'get',
        path: '/api/tenants/{id}/backups/{backup_id}/download',
        tag,
        summary: 'A backup’s file',
        description:
          'Supports range requests; the ETag is the file’s SHA-256. A missing file is first downloaded from the bucket.',
        access: 'operate',
        ticket: true,
        responses: {
          200: { mediaType: 'application/x-tar', description: 'The file or the requested range' },
        },
        errors: ['invalid_state', 'insufficient_storage'],
      },
      async ({ params, response }) => {
        const backup = await backups.get(params.id, params.backup_id);
        await sendFile(response, await backups.fileOf(backup), {
          mediaType: 'application/x-tar',
          name: backup.file.replace('/', '-'),
          etag: backup.sha256 ?? '',
        });
        return undefined;
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/backups/{backup_id}/restore',
        tag,
        summary: 'Restore a backup',
        description:
          'Restores into the tenant or into `target_tenant_id`. Replaces data and files with the backup’s; configuration, keys and code stay. A safety backup is made first and restored if the restore fails. Responds when the services are proven healthy; its progress is a deployment of kind `restore`.',
        access: 'administer',
        query: waitQuery,
        body: restoreBody,
        responses: {
          200: { schema: restoreAnswer },
          202: acceptedResponse,
        },
        errors: [...whileMaking],
      },
      async ({ params, query, body: request, principal }) => {
        const options = {
          targetTenantId: request.target_tenant_id,
          allowVersionMismatch: request.allow_version_mismatch,
          withoutSafetyBackup: request.without_safety_backup,
        };
        const handle = await backups.restore(params.id, params.backup_id, options, principal);
        return answerOrAccept(handle, query.wait, ({ backupId, safetyId, durationSeconds }) =>
          reply(200, {
            message: 'Restored',
            backup_id: backupId,
            duration_seconds: durationSeconds,
            safety_backup_id: safetyId,
          }),
        );
      },
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/backups/{backup_id}/confirm-loss',
        tag,
        summary: 'Confirm that a backup may hold less than the one before',
        description: 'Older backups follow the retention again.',
        access: 'operate',
        responses: { 200: { schema: backupBody } },
        errors: ['invalid_state'],
      },
      async ({ params, principal }) => body(await backups.confirmLoss(params.id, params.backup_id, principal)),
    ),
    defineRoute(
      {
        method: 'post',
        path: '/api/tenants/{id}/backups/{backup_id}/verify',
        tag,
        summary: 'Restore drill',
        description:
          'Verifies the file, loads it into a temporary database on the tenant’s server and compares rows and contents; the result is saved as `drill`. If they differ, the answer is `invalid_state` with the differences. If the tenant’s database is unavailable, the drill fails and an earlier result stays. Its progress is a deployment of kind `drill`.',
        access: 'operate',
        query: waitQuery,
        responses: {
          200: { schema: backupBody },
          202: acceptedResponse,
        },
        errors: [
          'operation_in_progress',
          'not_deployed',
          'invalid_state',
          'tenant_error',
          'runtime_unavailable',
          'database_unavailable',
          'insufficient_storage',
        ],
      },
      async ({ params, query, principal }) =>
        answerOrAccept(await backups.drill(params.id, params.backup_id, principal), query.wait, (backup) =>
          reply(200, body(backup)),
        ),
    ),
    defineRoute(
      {
        method: 'delete',
        path: '/api/tenants/{id}/backups/{backup_id}',
        tag,
        summary: 'Delete a backup',
        onFullDisk: true,
        access: 'administer',
        responses: { 200: { schema: z.object({ message: z.string() }) } },
        errors: ['invalid_state', 'operation_in_progress'],
      },
      async ({ params, principal }) => {
        await backups.remove(params.id, params.backup_id, principal);
        return { message: 'Backup deleted' };
      },
    ),
  ];
}
