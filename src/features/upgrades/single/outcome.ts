import type { OperationFailure, OperationRecord } from '../../../lib/operations/operation.ts';
import { proxyNote, rollbackNote } from './rollback.ts';
import { type UpgradeOutcome, type UpgradeState, upgradeInput, upgradeState } from './upgrade.ts';

/** Whether anything of the tenant was changed (its services were about to be stopped), and whether all of that was put back. */
export function rollbackOf(state: UpgradeState, error: OperationRecord['error']): 'not_needed' | 'done' | 'failed' {
  if (state.before === undefined) return 'not_needed';
  return error?.notPutBack ? 'failed' : 'done';
}

/** How an upgrade ended, from its record alone. @param slug the tenant's */
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
  const { [rollbackNote]: kept, [proxyNote]: unreached } = state.notes ?? {};
  const beside = `${unreached ? `; but ${unreached}` : ''}${kept ? `; ${kept}` : ''}`;
  const runs = state.before === 'running' ? `${slug} runs ${before} again, proven healthy` : `${slug} is on ${before}`;
  const after = {
    not_needed: `Nothing was changed: ${slug} is on ${before} as before`,
    done: `Rolled back: ${runs}${state.before === 'running' ? '' : `, ${state.before} as before`}${beside}`,
    failed: `NOT ALL OF IT COULD BE ROLLED BACK, ${slug} needs you${state.backup?.path ? `; its data of before is in backup ${state.backup.id}` : ''}${beside}`,
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

/** A failure as one text: what was seen of its cause comes in parentheses. */
export const withDetail = ({ message, detail }: OperationFailure): string =>
  detail === undefined ? message : `${message.replace(/\.$/, '')} (${detail})`;
