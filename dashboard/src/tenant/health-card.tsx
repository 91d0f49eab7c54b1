import { useMutation, useQuery } from '@tanstack/react-query';
import { api, dataOf, type FullTenant, type HealthReport } from '../api/client.ts';
import { healthQuery, queryClient } from '../api/queries.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import parts from '../parts/parts.module.css';
import { Time } from '../parts/time.tsx';
import { tellError } from '../parts/toasts.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { useMay } from '../session/session.tsx';
import { text } from '../text/en.ts';
import styles from './tenant.module.css';

export function HealthCard({ tenant }: { tenant: FullTenant }) {
  const { id } = tenant;
  const deployed = tenant.deployed_at !== null;
  const operator = useMay('operator');
  const { data: health, error } = useQuery({ ...healthQuery(id), enabled: deployed });
  const check = useMutation({
    mutationFn: () => dataOf(api.POST('/api/tenants/{id}/health-check', { params: { path: { id } } })),
    onSuccess(report) {
      queryClient.setQueryData(healthQuery(id).queryKey, report);
      void queryClient.invalidateQueries({ queryKey: ['tenant', id] });
    },
    onError: tellError,
  });
  return (
    <section className={parts.card}>
      <div className={styles.cardHead}>
        <h2>{text.tenant.healthTitle}</h2>
        {deployed && operator && (
          <Button onClick={() => check.mutate()} disabled={check.isPending}>
            {text.tenant.checkNow}
          </Button>
        )}
      </div>
      {!deployed && <p className={styles.fine}>{text.tenant.notDeployed}</p>}
      {deployed && !health && <Waiting error={error} />}
      {health && error && <ErrorNote error={error} />}
      {deployed && health && (
        <>
          <ul className={styles.checks}>
            {Object.entries(health.checks).map(([name, one]) => (
              <Check key={name} name={name} check={one} />
            ))}
          </ul>
          <p className={styles.fine}>
            {text.tenant.lastCheck}: <Time at={health.last_check} />
          </p>
        </>
      )}
    </section>
  );
}

type Checks = HealthReport['checks'];

function Check({ name, check }: { name: string; check: NonNullable<Checks[keyof Checks]> }) {
  const good =
    'status' in check
      ? check.status === 'up' || check.status === 'healthy'
      : check.frontend_service === 'active' && check.backend_service === 'active';
  const word = 'status' in check ? check.status : good ? 'active' : 'inactive';
  const ms = 'response_time_ms' in check && check.response_time_ms !== null ? `${check.response_time_ms} ms` : '';
  return (
    <li>
      <span>
        {text.tenant.checks[name] ?? name} <span className={styles.took}>{ms}</span>
      </span>
      <span className={good ? styles.up : styles.down}>{text.tenant.states[word]}</span>
      {check.error && <span className={styles.why}>{check.error}</span>}
    </li>
  );
}
