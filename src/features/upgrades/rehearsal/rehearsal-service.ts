import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { AppError, type ErrorCode, errorOf, invalid, statusOfCode } from '../../../lib/errors.ts';
import type { OperationRecord } from '../../../lib/operations/operation.ts';
import { type OperationHandle, operationHandle } from '../../../lib/operations/operation-handle.ts';
import { deployedRelease } from '../../tenants/tenant.ts';
import { chooseTarget, type Version } from '../single/target.ts';
import type { UpgradesDeps } from '../single/upgrade.ts';
import { type Findings, rehearsalInput, rehearsalState } from './rehearsal.ts';
import { rehearsalOperation } from './rehearsal-operation.ts';

export interface Rehearsal {
  /** The operation's id. */
  id: string;
  previousVersion: string | null;
  target: Version;
  findings: Findings;
  durationMs: number;
}

/**
 * Rehearses an upgrade.
 * @throws AppError not_found, operation_in_progress, not_deployed, already_latest, downgrade_refused, validation_error without
 *   git_repo, git_error, runtime_unavailable; when it ends, insufficient_storage, upgrade_failed if the rehearsal itself failed;
 *   shutting_down
 */
export type Rehearse = (
  tenantId: string,
  request: { targetVersion: string | null; allowDowngrade: boolean },
  actor: Actor,
) => Promise<OperationHandle<Rehearsal>>;

export function createRehearsals(deps: UpgradesDeps): Rehearse {
  const { engine, tenants, runtime, source, writeAuditLog } = deps;
  engine.register(rehearsalOperation(deps));

  return async (tenantId, { targetVersion, allowDowngrade }, actor) => {
    const tenant = await tenants.get(tenantId);
    engine.assertIdle(tenantId);
    const { version, commit } = deployedRelease(tenant);
    const availability = await runtime.availability();
    if (!availability.available) throw new AppError('runtime_unavailable', availability.reason);
    const address = await tenants.repositoryOf(tenantId);
    if (address === null) throw invalid('git_repo', 'set the tenant’s git_repo before upgrading it');
    const refs = await source.refs(address);
    const target = chooseTarget(refs, targetVersion, { version, commit }, { allowDowngrade });
    const input = { ...target, previous: version, createdBy: actor.username };
    const { id } = await engine.submit('rehearsal', tenantId, input);
    const work = operationHandle(id, endOf(id));
    await writeAuditLog({
      level: 'info',
      category: 'audit',
      message: `${actor.username} requested a rehearsal of ${target.version ?? target.commit}`,
      tenant,
      details: { user_id: actor.userId, username: actor.username, deployment_id: id, target_version: target.version },
    });
    return work;
  };

  async function endOf(id: string): Promise<Rehearsal> {
    const record = await engine.ended(id)?.catch(() => undefined);
    if (!record)
      throw new AppError(
        'shutting_down',
        `The manager is stopping; it resumes the rehearsal (${id}) after its restart`,
      );
    const rehearsal = rehearsalOf(record);
    if (rehearsal) return rehearsal;
    const { refusal } = rehearsalState.parse(record.state);
    throw errorOf(
      codeOf(refusal) ?? (record.status === 'cancelled' ? 'invalid_state' : 'upgrade_failed'),
      rehearsalFailure(record),
    );
  }
}

/** A rehearsal from its record; undefined unless it is complete. */
export function rehearsalOf({
  id,
  status,
  input,
  state,
  createdAt,
  finishedAt,
}: OperationRecord): Rehearsal | undefined {
  const { findings } = rehearsalState.parse(state);
  if (status !== 'success' || !findings) return undefined;
  const { previous, version, commit } = rehearsalInput.parse(input);
  const durationMs = (finishedAt ?? createdAt).getTime() - createdAt.getTime();
  return { id, previousVersion: previous, target: { version, commit }, findings, durationMs };
}

/** Why a rehearsal is not complete, for people. */
export const rehearsalFailure = ({ error, status }: OperationRecord): string =>
  `The rehearsal could not be completed: ${error?.message ?? status}. The tenant was not changed`;

const codeOf = (text: string | undefined): ErrorCode | undefined =>
  text !== undefined && Object.hasOwn(statusOfCode, text) ? (text as ErrorCode) : undefined;
