import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DeploymentSummary } from '../../../api/client.ts';
import { deploymentsQuery } from '../../../api/queries.ts';
import { Progress } from '../../../components/data/progress.tsx';
import { ButtonLink } from '../../../components/form/button.tsx';
import { stepName } from './messages.ts';
import styles from './running-work.module.css';

export const isInProgress = ({ status }: Pick<DeploymentSummary, 'status'>): boolean =>
  status === 'queued' || status === 'running';

/** A tenant's running or queued operation. */
export function useRunningWork(id: string): DeploymentSummary | undefined {
  const { data } = useQuery(deploymentsQuery(id));
  return data?.deployments.find(isInProgress);
}

interface UnderWayProps {
  work: DeploymentSummary;
  texts: readonly [title: string, hint: string];
  watch: string;
  children?: ReactNode;
}

/** The running operation, started by any user, and where to watch it. */
export const RunningWork = ({ work, texts: [title, hint], watch, children }: UnderWayProps) => (
  <section className={styles.underWay} aria-label={title}>
    <div className={styles.words}>
      <strong role="status">{title}</strong>
      <p>{hint}</p>
    </div>
    <ButtonLink to={`/tenants/${work.tenant_id}/deployments/${work.id}`}>{watch}</ButtonLink>
    <div className={styles.bar}>
      <Progress label={title} {...(work.progress_percent > 0 ? { percent: work.progress_percent } : {})} />
      {work.current_step && <span className={styles.step}>{stepName(work.current_step)}</span>}
    </div>
    {children}
  </section>
);
