import type { OperationDefinition } from '../../../lib/operations/operation.ts';
import { spaceOf } from '../../tenants/tenant.ts';
import type { FailureStore } from '../store.ts';
import { shouldRun, stateAt } from './context.ts';
import { commitOf, isRefused, rollbackOf } from './outcome.ts';
import { readUpgradeState, type UpgradeState } from './state.ts';
import { upgradeSteps } from './steps.ts';
import { type UpgradeInput, type UpgradesDeps, upgradeInput } from './upgrade.ts';
import { withRuntimeRetry } from './with-runtime-retry.ts';

/** An upgrade as an operation: its steps, and what its end means for the tenant. */
export function upgradeOperation(
  failures: FailureStore,
  deps: UpgradesDeps,
): OperationDefinition<UpgradeInput, UpgradeState> {
  const { tenants, runtime, writeAuditLog, clock, deployments } = deps;
  return {
    kind: 'upgrade',
    steps: upgradeSteps(deps).map((step) => withRuntimeRetry(step, deps)),
    parseInput: (value) => upgradeInput.parse(value),
    parseState: readUpgradeState,
    async settle({ operationId, subject, input, state }, { outcome, error }) {
      const tenant = await tenants.get(subject);
      const target = { version: input.target.version, commit: commitOf(state, input) };
      if (outcome === 'success') {
        const upgraded = stateAt({ state }, 'started');
        await tenants.recordDeployment(tenant.id, upgraded.release, clock.now());
        await runtime.commit(spaceOf(tenant));
        if (shouldRun(upgraded)) await tenants.setStatus(tenant.id, 'running');
        await failures.clear(tenant.id, target);
      } else if (rollbackOf(state, error) === 'failed') {
        await tenants.setStatus(tenant.id, 'error');
      }
      if (outcome === 'failed' && error && !isRefused(state) && !state.engineAway && !state.workerFailed) {
        const reason = `${error.step}: ${error.message}`;
        await failures.save({ tenantId: tenant.id, ...target, failedAt: clock.now(), reason });
      }
      await writeAuditLog({
        level: outcome === 'failed' ? 'error' : 'info',
        category: 'deployment',
        message: `Upgrade to ${target.version ?? target.commit.slice(0, 12)}: ${outcome}`,
        tenant,
        details: {
          deployment_id: operationId,
          outcome,
          error,
          previous_version: input.previous.version,
          commit: target.commit,
          created_by: input.createdBy,
        },
      });
      // Not part of the upgrade: the schedule retries a failed collection.
      void deployments.collectGarbage().catch(() => undefined);
    },
  };
}
