import type { OperationSummary } from '../../../lib/operations/operation.ts';
import type { Alert, AlertEvent } from '../../notifications/alert.ts';

/** Operations that are reported, by kind. Successes of frequent ones are not news. */
const reported: Readonly<Record<string, { event: AlertEvent; name: string; success: boolean }>> = {
  deploy: { event: 'deployment', name: 'Deployment', success: true },
  upgrade: { event: 'upgrade', name: 'Upgrade', success: true },
  move: { event: 'deployment', name: 'Move to another runtime', success: true },
  restore: { event: 'backup', name: 'Restore', success: true },
  backup: { event: 'backup', name: 'Backup', success: false },
  drill: { event: 'drill', name: 'Restore drill', success: false },
};

/**
 * The alert about an operation that ended; undefined: none. Retries of a failed backup are one alert a day.
 * @param isOfFleet part of a fleet upgrade, which reports its own end
 */
export function alertOfOperation(
  { id, kind, status, error, finishedAt, createdAt }: OperationSummary,
  tenant: Alert['tenants'][number],
  isOfFleet: boolean,
): Alert | undefined {
  const rule = reported[kind];
  if (!rule || (status !== 'failed' && !(status === 'success' && rule.success && !isOfFleet))) return undefined;
  const at = finishedAt ?? createdAt;
  const failed = status === 'failed';
  const isBackup = kind === 'backup';
  return {
    event: rule.event,
    severity: failed ? 'error' : 'info',
    key: isBackup ? `backup/${tenant.id}/failed/${at.toISOString().slice(0, 10)}` : `operation/${id}/${status}`,
    title: `${tenant.name}: ${rule.name} ${failed ? 'failed' : 'succeeded'}`,
    text: failed && error ? `${error.step}: ${error.message}` : `${rule.name} of ${tenant.slug} has ended.`,
    link: isBackup ? `/tenants/${tenant.id}/backups` : `/tenants/${tenant.id}/deployments/${id}`,
    tenants: [tenant],
    at,
  };
}
