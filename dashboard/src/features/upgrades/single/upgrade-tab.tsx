import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useSearchParams } from 'react-router';
import type { DeploymentSummary } from '../../../api/client.ts';
import { deploymentsQuery, versionQuery } from '../../../api/queries.ts';
import { Empty } from '../../../components/feedback/empty.tsx';
import { notify, notifyError } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { ButtonLink } from '../../../components/form/button.tsx';
import { DeployButton } from '../../tenant/deployments/deploy-button.tsx';
import { isInProgress, RunningWork } from '../../tenant/deployments/running-work.tsx';
import { UpgradeOutcome } from '../../tenant/deployments/upgrade-outcome.tsx';
import { useTenant } from '../../tenant/tenant-page.tsx';
import { upgradeText } from './messages.ts';
import { NextVersion } from './next-version.tsx';
import { begin, maxOffered, releasesEvery, reportQuery, versionsQuery } from './queries.ts';
import { RehearsalPart } from './rehearsal-part.tsx';
import styles from './upgrade.module.css';
import { type Target, UpgradeDialog } from './upgrade-dialog.tsx';
import { targetOf, Versions } from './versions.tsx';

/** A tenant's version, the available versions, and the upgrade. */
export function UpgradeTab() {
  const tenant = useTenant();
  const { id, deployed_at, git_repo } = tenant;
  const [search, setSearch] = useSearchParams();
  const [target, setTarget] = useState<Target>();
  const { data: version, error } = useQuery({
    ...versionQuery(id),
    refetchInterval: releasesEvery,
    enabled: deployed_at !== null && git_repo !== null,
  });
  const named = search.get('version');
  const { data: offered } = useQuery({ ...versionsQuery(id, maxOffered), enabled: named !== null });
  const wanted = offered?.versions.find((one) => one.version === named);
  useEffect(() => {
    if (!wanted) return;
    setTarget(targetOf(wanted));
    setSearch({}, { replace: true });
  }, [wanted, setSearch]);
  const { data: works } = useQuery(deploymentsQuery(id));
  const newest = works?.deployments.find(({ kind }) => kind === 'rehearsal');
  const rehearsalId = search.get('rehearsal') ?? newest?.id;
  const { data: found } = useQuery({ ...reportQuery(id, rehearsalId ?? ''), enabled: rehearsalId !== undefined });
  const rehearse = useMutation({
    mutationFn: (asked: string | null) => begin(id, 'rehearsal', { version: asked, back: true }),
    onSuccess(deploymentId) {
      notify(upgradeText.rehearsalStarted);
      setSearch({ rehearsal: deploymentId });
    },
    onError: notifyError,
  });
  if (!deployed_at)
    return (
      <Empty title={upgradeText.notDeployedTitle} hint={upgradeText.notDeployedHint}>
        {git_repo && <DeployButton tenant={tenant} />}
      </Empty>
    );
  if (!git_repo) return <Empty title={upgradeText.noRepositoryTitle} hint={upgradeText.noRepositoryHint} />;
  if (!version || !works) return <Waiting error={error} />;

  const work = works.deployments.find(isInProgress);
  const busy = work !== undefined || rehearse.isPending;
  const { upgrade, rehearsal, other, watch } = upgradeText.underWay;
  const texts = { upgrade, rehearsal }[work?.kind ?? ''] ?? other;
  const runs = version.deployed_version ?? upgradeText.head;
  const ways = { busy, rehearse: rehearse.mutate, upgrade: setTarget };
  return (
    <div className={styles.parts}>
      {work && <RunningWork work={work} texts={texts} watch={watch} />}
      <NextVersion version={version} rehearsed={found?.rehearsed} ways={ways} />
      <LastUpgrade tenantId={id} works={works.deployments} />
      <RehearsalPart
        tenantId={id}
        rehearsalId={rehearsalId}
        asked={search.has('rehearsal')}
        runs={version.deployed_version}
      />
      <Versions tenantId={id} ways={ways} />
      {target && <UpgradeDialog target={target} runs={runs} onClose={() => setTarget(undefined)} />}
    </div>
  );
}

/** The result of a failed last upgrade, if the version has not changed since. */
function LastUpgrade({ tenantId, works }: { tenantId: string; works: readonly DeploymentSummary[] }) {
  const last = works.find(({ kind }) => kind === 'upgrade' || kind === 'deploy');
  const failed = last?.kind === 'upgrade' && last.status !== 'success' && !isInProgress(last) ? last : undefined;
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
