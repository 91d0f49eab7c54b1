import type { OperationFailure, OperationRecord } from '../../../lib/operations/operation.ts';
import { proxyNote, rollbackNote } from './rollback.ts';
import { type UpgradeOutcome, type UpgradeState, upgradeInput, upgradeState } from './upgrade.ts';

/** Whether the upgrade changed the tenant (it was about to stop the services), and whether all changes were rolled back. */
export function rollbackOf(state: UpgradeState, error: OperationRecord['error']): 'not_needed' | 'done' | 'failed' {
  if (state.before === undefined) return 'not_needed';
  return error?.notPutBack ? 'failed' : 'done';
}

/** How an upgrade ended, derived from its record. @param slug the tenant's */
export function outcomeOf(record: OperationRecord, slug: string): UpgradeOutcome {
  const input = upgradeInput.parse(record.input);
  const state = upgradeState.parse(record.state);
  const ended = {
    id: record.id,
    tenantId: record.subject,
    previousVersion: input.previous.version,
    newVersion: input.target.version,
    backupPath: input.backupDb ? (state.backup?.path ?? null) : null,
    details: record.steps.flatMap(({ name, status, reason, duration }) => {
      if (status === 'pending') return [];
      const what = status === 'success' ? state.notes?.[name] : reason;
      return [`${name}: ${status === 'success' ? '' : `${status}, `}${what ?? 'done'} (${duration ?? 0} s)`];
    }),
  };
  const commit = state.release?.commit ?? input.target.commit;
  if (record.status === 'success')
    return { status: 'success', ...ended, commit, migrationsRun: state.migrationsRun ?? [] };

  const rollback = rollbackOf(state, record.error);
  const before = input.previous.version ?? input.previous.commit.slice(0, 12);
  const target = input.target.version ?? commit.slice(0, 12);
  const failure = record.error ? `${record.error.step}: ${withDetail(record.error)}` : record.status;
  const { [rollbackNote]: newData, [proxyNote]: unreached } = state.notes ?? {};
  const details = `${unreached ? `; but ${unreached}` : ''}${newData ? `; ${newData}` : ''}`;
  const runs = state.before === 'running' ? `${slug} runs ${before} again, proven healthy` : `${slug} is on ${before}`;
  const after = {
    not_needed: `Nothing was changed: ${slug} is still on ${before}`,
    done: `Rolled back: ${runs}${state.before === 'running' ? '' : `, ${state.before} as before`}${details}`,
    failed: `THE ROLLBACK IS INCOMPLETE, ${slug} needs your attention${state.backup?.path ? `; its previous data is in backup ${state.backup.id}` : ''}${details}`,
  }[rollback];
  return {
    status: record.status === 'cancelled' ? 'cancelled' : 'failed',
    ...ended,
    code: rollback === 'not_needed' ? (state.refusal ?? 'upgrade_failed') : 'upgrade_failed',
    summary: `${failure}. ${after}`,
    reason: `The upgrade of ${slug} to ${target} failed: ${failure}. ${after} (deployment ${record.id})`,
    rollback,
  };
}

/** A failure as one text, with the evidence for its cause in parentheses. */
export const withDetail = ({ message, detail }: OperationFailure): string =>
  detail === undefined ? message : `${message.replace(/\.$/, '')} (${detail})`;
