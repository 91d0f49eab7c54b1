import { useQuery } from '@tanstack/react-query';
import type { DeploymentSummary } from '../../../api/client.ts';
import { ButtonLink } from '../../../components/form/button.tsx';
import { isUnderWay } from '../../tenant/deployments/running-work.tsx';
import { UpgradeOutcome } from '../../tenant/deployments/upgrade-outcome.tsx';
import { upgradeText } from './messages.ts';
import { reportQuery } from './queries.ts';

/** What became of the last upgrade where it did not succeed: nothing else was done to the tenant's version since. */
export function LastUpgrade({ tenantId, works }: { tenantId: string; works: readonly DeploymentSummary[] }) {
  const last = works.find(({ kind }) => kind === 'upgrade' || kind === 'deploy');
  const failed = last?.kind === 'upgrade' && last.status !== 'success' && !isUnderWay(last) ? last : undefined;
  const { data: report } = useQuery({ ...reportQuery(tenantId, failed?.id ?? ''), enabled: failed !== undefined });
  if (!failed || !report) return null;
  return (
    <UpgradeOutcome
      report={report}
      error={failed.error}
      actions={<ButtonLink to={`/tenants/${tenantId}/deployments/${failed.id}`}>{upgradeText.log}</ButtonLink>}
    />
  );
}
