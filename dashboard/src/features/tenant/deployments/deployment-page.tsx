import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useParams } from 'react-router';
import { api, dataOf } from '../../../api/client.ts';
import { useStream } from '../../../api/live.ts';
import { deploymentQuery, queryClient } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { WorkBadge } from '../../../components/data/badge.tsx';
import { Progress } from '../../../components/data/progress.tsx';
import { Time } from '../../../components/data/time.tsx';
import { ask } from '../../../components/feedback/ask.tsx';
import { tell, tellError } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { BackLink } from '../../../components/layout/page.tsx';
import { LogView } from '../../../components/log/log-view.tsx';
import { useLines } from '../../../components/log/use-lines.ts';
import { useNow } from '../../../hooks/use-now.ts';
import { text } from '../../../lib/messages.ts';
import { useMay } from '../../accounts/session/session.tsx';
import { refreshTenant } from '../../tenants/tenant-actions.ts';
import styles from '../tenant.module.css';
import { useTenant } from '../tenant-page.tsx';
import { DeployButton } from './deploy-button.tsx';
import { isUnderWay } from './running-work.tsx';
import { Steps } from './steps.tsx';

/** Loaded when there is an end to tell of. */
const WorkOutcome = lazy(async () => ({ default: (await import('./work-outcome.tsx')).WorkOutcome }));

/** One deployment (or upgrade, restore …), watched live: its steps and its log. */
export function DeploymentPage() {
  const { deploymentId = '' } = useParams();
  const tenant = useTenant();
  const operator = useMay('operator');
  const { data: work, error } = useQuery(deploymentQuery(deploymentId));
  const [lines, addLine] = useLines(deploymentId);
  const now = useNow(work ? isUnderWay(work) : false);
  useStream({ stream: 'deployment', id: deploymentId }, (message) => {
    if (message.type === 'log')
      addLine(String(message.message), { time: typeof message.timestamp === 'string' ? message.timestamp : undefined });
    else void queryClient.invalidateQueries({ queryKey: deploymentQuery(deploymentId).queryKey });
    if (message.type === 'complete') refreshTenant(tenant.id);
  });
  if (!work) return <Waiting error={error} />;
  const cancel = (): void => ask(text.ask.cancelWork, cancelNow);
  const cancelNow = (): void => {
    dataOf(api.POST('/api/deployments/{deployment_id}/cancel', { params: { path: { deployment_id: deploymentId } } }))
      .then(() => tell(text.deployment.cancelled))
      .catch(tellError);
  };
  return (
    <>
      <BackLink to={`/tenants/${tenant.id}/deployments`}>{text.deployment.back}</BackLink>
      <div className={styles.title}>
        <div>
          <h2>
            {text.deployment.kinds[work.kind] ?? work.kind} {work.version ?? work.ref ?? ''}
          </h2>
          <span role="status">
            <WorkBadge status={work.status} />
          </span>
          <span className={styles.fine}>
            <Time at={work.created_at} />
          </span>
        </div>
        {isUnderWay(work) && operator && <Button onClick={cancel}>{text.deployment.cancel}</Button>}
        {work.kind === 'deploy' && (work.status === 'failed' || work.status === 'cancelled') && (
          <DeployButton tenant={tenant} />
        )}
      </div>
      {!isUnderWay(work) && (
        <div className={styles.note}>
          <Suspense>
            <WorkOutcome work={work} tenant={tenant} />
          </Suspense>
        </div>
      )}
      <div className={styles.watch}>
        <section className={parts.card}>
          <h2>{text.deployment.steps}</h2>
          {isUnderWay(work) && <Progress label={text.deployment.progress} percent={work.progress_percent} />}
          <Steps work={work} now={now} />
        </section>
        <LogView label={text.deployment.log} lines={lines} fileName={`${tenant.slug}-${work.kind}.log`} />
      </div>
    </>
  );
}
