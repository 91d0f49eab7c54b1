import type { OperationFailure, OperationRecord } from '../../../lib/operations/operation.ts';
import { proxyNote, rollbackNote } from './rollback.ts';
import { readUpgradeState, type UpgradeState } from './state.ts';
import { type UpgradeInput, type UpgradeOutcome, upgradeInput } from './upgrade.ts';

/** Whether the upgrade changed the tenant (it was about to stop the services), and whether all changes were rolled back. */
export function rollbackOf(state: UpgradeState, error: OperationRecord['error']): 'not_needed' | 'done' | 'failed' {
  if (!('before' in state)) return 'not_needed';
  return error?.notPutBack ? 'failed' : 'done';
}

/** The commit that an upgrade fetched, or should have. */
export const commitOf = (state: UpgradeState, { target }: UpgradeInput): string =>
  'release' in state ? state.release.commit : target.commit;

/** Whether a business error ended it before the tenant was changed. */
export const isRefused = (state: UpgradeState): boolean => !('before' in state) && state.refusal !== null;

/** How an upgrade ended, derived from its record. @param slug the tenant's */
export function outcomeOf(record: OperationRecord, slug: string): UpgradeOutcome {
  const input = upgradeInput.parse(record.input);
  const state = readUpgradeState(record.state);
  const changed = 'before' in state ? state : undefined;
  const ended = {
    id: record.id,
    tenantId: record.subject,
    previousVersion: input.previous.version,
    newVersion: input.target.version,
    backupPath: input.backupDb ? (changed?.backup?.path ?? null) : null,
    details: record.steps.flatMap(({ name, status, reason, duration }) => {
      if (status === 'pending') return [];
      const what = status === 'success' ? state.notes[name] : reason;
      return [`${name}: ${status === 'success' ? '' : `${status}, `}${what ?? 'done'} (${duration ?? 0} s)`];
    }),
  };
  const commit = commitOf(state, input);
  if (record.status === 'success')
    return { status: 'success', ...ended, commit, migrationsRun: 'migrationsRun' in state ? state.migrationsRun : [] };

  const rollback = rollbackOf(state, record.error);
  const before = input.previous.version ?? input.previous.commit.slice(0, 12);
  const target = input.target.version ?? commit.slice(0, 12);
  const failure = record.error ? `${record.error.step}: ${withDetail(record.error)}` : record.status;
  const { [rollbackNote]: newData, [proxyNote]: unreached } = state.notes;
  const details = `${unreached ? `; but ${unreached}` : ''}${newData ? `; ${newData}` : ''}`;
  const runs =
    changed?.before === 'running' ? `${slug} runs ${before} again, proven healthy` : `${slug} is on ${before}`;
  const after = {
    not_needed: `Nothing was changed: ${slug} is still on ${before}`,
    done: `Rolled back: ${runs}${changed?.before === 'running' ? '' : `, ${changed?.before} as before`}${details}`,
    failed: `THE ROLLBACK IS INCOMPLETE, ${slug} needs your attention${changed?.backup?.path ? `; its previous data is in backup ${changed.backup.id}` : ''}${details}`,
  }[rollback];
  return {
    status: record.status === 'cancelled' ? 'cancelled' : 'failed',
    ...ended,
    code: ('refusal' in state && state.refusal) || (state.workerFailed ? 'internal_error' : 'upgrade_failed'),
    summary: `${failure}. ${after}`,
    reason: `The upgrade of ${slug} to ${target} failed: ${failure}. ${after} (deployment ${record.id})`,
    rollback,
  };
}

/** A failure as one text, with the evidence for its cause in parentheses. */
export const withDetail = ({ message, detail }: OperationFailure): string =>
  detail === undefined ? message : `${message.replace(/\.$/, '')} (${detail})`;
