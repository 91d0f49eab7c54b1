import { useMemo, useState } from 'react';
import { useStream } from '../../api/live.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { CheckField } from '../../components/form/check-field.tsx';
import { isHealthCheck } from '../../components/log/log-time.ts';
import { LogView } from '../../components/log/log-view.tsx';
import { useLines } from '../../components/log/use-lines.ts';
import { text } from '../../lib/messages.ts';
import { DeployButton } from './deployments/deploy-button.tsx';
import styles from './tenant.module.css';
import { useTenant } from './tenant-page.tsx';

type Service = 'both' | 'backend' | 'frontend';

/** What the tenant's units say, followed. */
export function LogsTab() {
  const tenant = useTenant();
  const [service, setService] = useState<Service>('both');
  const [quiet, setQuiet] = useState(false);
  const [lines, addLine] = useLines(`${tenant.id} ${service}`);
  useStream(
    tenant.deployed_at
      ? { stream: 'tenant_logs', id: tenant.id, ...(service === 'both' ? {} : { service }) }
      : undefined,
    ({ service: from, message, timestamp }, restarted) =>
      addLine(String(message), {
        from: String(from),
        restarted,
        time: typeof timestamp === 'string' ? timestamp : undefined,
      }),
  );
  const shown = useMemo(() => (quiet ? lines.filter((line) => !isHealthCheck(line)) : lines), [lines, quiet]);
  if (!tenant.deployed_at)
    return (
      <Empty title={text.log.empty} hint={text.log.notDeployed}>
        {tenant.git_repo && <DeployButton tenant={tenant} />}
      </Empty>
    );
  return (
    <LogView
      label={text.tenant.logs}
      lines={shown}
      {...(service === 'both' ? { services: text.log.services } : {})}
      fileName={`${tenant.slug}-${service}.log`}
    >
      <select
        className={styles.select}
        aria-label={text.log.service}
        value={service}
        onChange={(event) => setService(event.target.value as Service)}
      >
        {Object.entries(text.log.services).map(([value, name]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </select>
      <CheckField label={text.log.hideHealthChecks} checked={quiet} onChange={setQuiet} />
    </LogView>
  );
}
