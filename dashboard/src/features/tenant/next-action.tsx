import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, dataOf, type FullTenant } from '../../api/client.ts';
import { deploymentsQuery, healthQuery } from '../../api/queries.ts';
import { notifyError } from '../../components/feedback/toasts.tsx';
import { Button, OutLink } from '../../components/form/button.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { isAlarm } from '../tenants/filter.ts';
import { control, controlConfirmation, refreshTenant } from '../tenants/tenant-actions.ts';
import { TenantForm } from '../tenants/tenant-form.tsx';
import { openDeployDialog } from './deployments/deploy-button.tsx';
import { UnwellSince } from './diagnosis/diagnosis-card.tsx';
import { tenantText } from './messages.ts';
import { type Next, nextOf, unwellOf } from './next-step.ts';
import { servicesQuery } from './overview/queries.ts';
import styles from './tenant.module.css';

const byOperator: readonly Next[] = ['repository', 'deploy', 'stopped', 'unchecked', 'pending'];

type Tone = 'good' | 'warn' | 'bad' | 'plain';
const tones: Partial<Record<Next, Tone>> = {
  well: 'good',
  failed: 'bad',
  error: 'bad',
  pending: 'warn',
  stopped: 'plain',
};
const toneOf = (next: Next, { health_status }: FullTenant): Tone | undefined =>
  next === 'unwell' ? (health_status === 'unhealthy' ? 'bad' : 'warn') : tones[next];

/** The site's address for a browser on the manager's host. */
export const siteOf = ({ frontend_port }: { frontend_port: number }): string =>
  `${location.protocol === 'https:' ? 'http:' : location.protocol}//${location.hostname}:${frontend_port}/`;

export function NextAction({ tenant }: { tenant: FullTenant }) {
  const { id } = tenant;
  const { data } = useQuery(deploymentsQuery(id));
  const { data: services } = useQuery({ ...servicesQuery(id), enabled: tenant.deployed_at !== null });
  const { data: health } = useQuery({ ...healthQuery(id), enabled: tenant.deployed_at !== null });
  const navigate = useNavigate();
  const operator = useHasRole('operator');
  const [editing, setEditing] = useState(false);
  const [acting, setActing] = useState(false);
  if (!data) return null;
  const { next, work } = nextOf(tenant, data.deployments, services?.applied === 'pending_restart');
  const [title, hint, label] = tenantText.next[next];
  const unwell = next === 'unwell' && health ? unwellOf(health) : undefined;
  const watch = (deployment: string | undefined): void => {
    if (deployment) void navigate(`/tenants/${id}/deployments/${deployment}`);
  };
  const whileActing = (acted: Promise<void>): Promise<void> => {
    setActing(true);
    return acted.finally(() => setActing(false));
  };
  const act: Record<Exclude<Next, 'well'>, () => void> = {
    repository: () => setEditing(true),
    deploy: () => openDeployDialog(tenant),
    underWay: () => watch(work?.id),
    failed: () => watch(work?.id),
    error: () => void navigate(`/tenants/${id}/logs`),
    unwell: () => void navigate(`/tenants/${id}/logs`),
    stopped: () => void whileActing(control('start', tenant)),
    pending: () => controlConfirmation('restart', tenant, (action, one) => whileActing(control(action, one))),
    unchecked: () =>
      void dataOf(api.POST('/api/tenants/{id}/health-check', { params: { path: { id } } }))
        .then(() => refreshTenant(id))
        .catch(notifyError),
  };
  return (
    <section className={styles.next} data-tone={toneOf(next, tenant)} role={isAlarm(tenant) ? 'alert' : undefined}>
      <div>
        <h2>{unwell?.title ?? title}</h2>
        {(next === 'unwell' || next === 'error') && <UnwellSince tenant={tenant} />}
        {unwell && unwell.reasons.length > 0 ? (
          <p>{unwell.reasons.join('; ')}</p>
        ) : (
          <p>{operator || !byOperator.includes(next) ? hint : `${hint} ${tenantText.nextByOperator}`}</p>
        )}
      </div>
      {next === 'well' ? (
        <OutLink variant="primary" href={siteOf(tenant)}>
          {label}
        </OutLink>
      ) : (
        (operator || !byOperator.includes(next)) && (
          <Button variant="primary" onClick={act[next]} disabled={acting}>
            {label}
          </Button>
        )
      )}
      {editing && <TenantForm tenantId={id} onClose={() => setEditing(false)} onSaved={() => undefined} />}
    </section>
  );
}
