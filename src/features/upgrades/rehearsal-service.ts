import { AppError, type ErrorCode, statusOfCode } from '../../kernel/errors.ts';
import type { Actor } from '../../platform/events/journal-entry.ts';
import { deployedRelease } from '../tenants/tenant.ts';
import { type Findings, type RehearsalDependencies, rehearsalState } from './rehearsal.ts';
import { rehearsalOperation } from './rehearsal-operation.ts';
import { chooseTarget, type Version } from './target.ts';

export interface Rehearsal {
  /** The operation's. */
  id: string;
  previousVersion: string | null;
  target: Version;
  findings: Findings;
  durationMs: number;
}

/**
 * Rehearses an upgrade and waits for its end.
 * @throws AppError not_found, operation_in_progress, not_deployed, already_latest, downgrade_refused, validation_error without
 *   git_repo, git_error, insufficient_storage, runtime_unavailable; upgrade_failed where it could not be rehearsed; shutting_down
 */
export type Rehearse = (
  tenantId: string,
  request: { targetVersion: string | null; allowDowngrade: boolean },
  actor: Actor,
) => Promise<Rehearsal>;

export function createRehearsals(dependencies: RehearsalDependencies): Rehearse {
  const { engine, tenants, runtime, source, journal } = dependencies;
  engine.register(rehearsalOperation(dependencies));

  return async (tenantId, { targetVersion, allowDowngrade }, actor) => {
    const tenant = await tenants.get(tenantId);
    engine.assertIdle(tenantId);
    const { version, commit } = deployedRelease(tenant);
    const availability = await runtime.availability();
    if (!availability.available) throw new AppError('runtime_unavailable', availability.reason);
    const address = await tenants.repositoryOf(tenantId);
    if (address === null)
      throw new AppError('validation_error', 'git_repo: set the tenant’s git_repo before upgrading it');
    const refs = await source.refs(address);
    const target = chooseTarget(refs, targetVersion, { version, commit }, { allowDowngrade });
    const began = performance.now();
    const { id } = await engine.submit('rehearsal', tenantId, { ...target, createdBy: actor.username });
    await journal({
      level: 'info',
      category: 'audit',
      message: `${actor.username} asked for a rehearsal of ${target.version ?? target.commit}`,
      tenant,
      details: { user_id: actor.userId, username: actor.username, deployment_id: id, target_version: target.version },
    });
    const record = await engine.ended(id)?.catch(() => undefined);
    if (!record)
      throw new AppError('shutting_down', `The manager is stopping; the rehearsal (${id}) goes on at its next start`);
    const { findings, refusal } = rehearsalState.parse(record.state);
    if (record.status === 'success' && findings)
      return { id, previousVersion: version, target, findings, durationMs: Math.round(performance.now() - began) };
    throw new AppError(
      codeOf(refusal) ?? (record.status === 'cancelled' ? 'invalid_state' : 'upgrade_failed'),
      `The rehearsal did not come to its end: ${record.error?.message ?? record.status}. The tenant is untouched`,
    );
  };
}

const codeOf = (text: string | undefined): ErrorCode | undefined =>
  text !== undefined && Object.hasOwn(statusOfCode, text) ? (text as ErrorCode) : undefined;
