import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useParams } from 'react-router';
import { api, type Deployment, dataOf } from '../../../api/client.ts';
import { useStream } from '../../../api/live.ts';
import { deploymentQuery, queryClient } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { WorkBadge } from '../../../components/data/badge.tsx';
import { Progress } from '../../../components/data/progress.tsx';
import { StateIcon } from '../../../components/data/state-icon.tsx';
import { duration, Time } from '../../../components/data/time.tsx';
import { confirm } from '../../../components/feedback/dialogs.tsx';
import { notify, notifyError } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { BackLink } from '../../../components/layout/page.tsx';
import { LogView } from '../../../components/log/log-view.tsx';
import { useLines } from '../../../components/log/use-lines.ts';
import { useNow } from '../../../hooks/use-now.ts';
import { apiText } from '../../../lib/api-text.ts';
import { useHasRole } from '../../accounts/session/session.tsx';
import { refreshTenant } from '../../tenants/tenant-actions.ts';
import styles from '../tenant.module.css';
import { useTenant } from '../tenant-page.tsx';
import { DeployButton } from './deploy-button.tsx';
import { deploymentText, stepName } from './messages.ts';
import { isInProgress } from './running-work.tsx';
import { WayBack } from './way-back.tsx';

/** Loaded when the operation has ended. */
const WorkOutcome = lazy(async () => ({ default: (await import('./work-outcome.tsx')).WorkOutcome }));

/** A deployment (or upgrade, restore …) with live steps and log. */
export function DeploymentPage() {
  const { deploymentId = '' } = useParams();
  const tenant = useTenant();
  const operator = useHasRole('operator');
  const { data: work, error } = useQuery(deploymentQuery(deploymentId));
  const [lines, addLine] = useLines(deploymentId);
  const now = useNow(work ? isInProgress(work) : false);
  useStream({ stream: 'deployment', id: deploymentId }, (message) => {
    if (message.type === 'log') addLine(message.message, { time: message.timestamp });
    else void queryClient.invalidateQueries({ queryKey: deploymentQuery(deploymentId).queryKey });
    if (message.type === 'complete') refreshTenant(tenant.id);
  });
  if (!work) return <Waiting error={error} />;
  const cancel = (): void => confirm(deploymentText.cancelWork, cancelNow);
  const cancelNow = (): void => {
    dataOf(api.POST('/api/deployments/{deployment_id}/cancel', { params: { path: { deployment_id: deploymentId } } }))
      .then(() => notify(deploymentText.cancelled))
      .catch(notifyError);
  };
  return (
    <>
      <BackLink to={`/tenants/${tenant.id}/deployments`}>{deploymentText.back}</BackLink>
      <div className={styles.title}>
        <div>
          <h2>
            {deploymentText.kinds[work.kind] ?? work.kind} {work.version ?? work.ref ?? ''}
          </h2>
          <span role="status">
            <WorkBadge status={work.status} />
          </span>
          <span className={styles.fine}>
            <Time at={work.created_at} />
          </span>
        </div>
        {isInProgress(work) && operator && <Button onClick={cancel}>{deploymentText.cancel}</Button>}
        {!(isInProgress(work) || tenant.deployed_at) && <DeployButton tenant={tenant} />}
        <WayBack work={work} tenant={tenant} />
      </div>
      {!isInProgress(work) && (
        <div className={styles.note}>
          <Suspense>
            <WorkOutcome work={work} tenant={tenant} />
          </Suspense>
        </div>
      )}
      <div className={styles.watch}>
        <section className={parts.card}>
          <h2>{deploymentText.steps}</h2>
          {isInProgress(work) && <Progress label={deploymentText.progress} percent={work.progress_percent} />}
          <Steps work={work} now={now} />
        </section>
        <LogView label={deploymentText.log} lines={lines} fileName={`${tenant.slug}-${work.kind}.log`} />
      </div>
    </>
  );
}

type Step = Deployment['steps'][number];

function took({ status, started, duration: seconds }: Step, now: number): string {
  if (status === 'running' && started) return duration((now - Date.parse(started)) / 1000);
  return seconds !== null && status !== 'skipped' ? duration(seconds) : '';
}

/** The steps of an operation in order, each with its state and duration. */
const Steps = ({ work: { steps, status, error }, now }: { work: Deployment; now: number }) => (
  <ol className={styles.steps}>
    {steps.map((one) => {
      // The step in which work was cancelled did not fail.
      const step: Step = status === 'cancelled' && one.status === 'failed' ? { ...one, status: 'skipped' } : one;
      return (
        <li key={step.name} data-status={step.status}>
          <span className={styles.sign} role="img" aria-label={deploymentText.stepStates[step.status]}>
            <StateIcon state={step.status} />
          </span>
          <span>{stepName(step.name)}</span>
          <span className={styles.took}>{took(step, now)}</span>
          {/* Said above already, where it is why the whole failed. */}
          {step.reason && !(status === 'failed' && step.reason === error?.message) && (
            <span className={styles.reason}>{apiText(deploymentText.stepReasons, step.reason)}</span>
          )}
        </li>
      );
    })}
  </ol>
);
