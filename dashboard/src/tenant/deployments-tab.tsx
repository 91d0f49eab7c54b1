import { useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import type { DeploymentSummary } from '../api/client.ts';
import { deploymentsQuery } from '../api/queries.ts';
import { WorkBadge } from '../parts/badge.tsx';
import { Empty } from '../parts/empty.tsx';
import { duration, Time } from '../parts/time.tsx';
import { Waiting } from '../parts/waiting.tsx';
import { text } from '../text/en.ts';
import { DeployButton } from './deploy-button.tsx';
import styles from './tenant.module.css';
import { useTenant } from './tenant-page.tsx';

const secondsOf = ({ started_at, finished_at }: DeploymentSummary): string =>
  started_at && finished_at ? duration((Date.parse(finished_at) - Date.parse(started_at)) / 1000) : '';

export function DeploymentsTab() {
  const tenant = useTenant();
  const { data, error } = useQuery(deploymentsQuery(tenant.id));
  if (!data) return <Waiting error={error} />;
  const deploy = tenant.git_repo ? <DeployButton tenant={tenant} /> : null;
  if (data.deployments.length === 0)
    return (
      <Empty title={text.deployment.empty} hint={text.deployment.emptyHint}>
        {deploy}
      </Empty>
    );
  const { what, version, status, began, took } = text.deployment.columns;
  return (
    <>
      <div className={styles.title}>
        <h2>{text.tenant.deployments}</h2>
        {deploy}
      </div>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section className={styles.wide} tabIndex={0} aria-label={text.tenant.deployments}>
        <table className={styles.table}>
          <thead>
            <tr>
              {[what, version, status, began, took].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {data.deployments.map((one) => (
              <tr key={one.id}>
                <td>
                  <Link to={`/tenants/${tenant.id}/deployments/${one.id}`}>
                    {text.deployment.kinds[one.kind] ?? one.kind}
                  </Link>
                </td>
                <td>
                  {one.version ?? ''} <span className={styles.mono}>{one.commit?.slice(0, 10)}</span>
                </td>
                <td>
                  <WorkBadge status={one.status} />
                </td>
                <td>
                  <Time at={one.created_at} />
                </td>
                <td className={styles.took}>{secondsOf(one)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}
