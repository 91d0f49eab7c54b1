import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { useStream } from '../../api/live.ts';
import { Empty } from '../../components/feedback/empty.tsx';
import { CheckField } from '../../components/form/check-field.tsx';
import { isHealthCheck } from '../../components/log/log-time.ts';
import { Choice, LogView } from '../../components/log/log-view.tsx';
import { logText } from '../../components/log/messages.ts';
import { useLines } from '../../components/log/use-lines.ts';
import { useQueryValue } from '../../hooks/use-query-value.ts';
import { DeployButton } from './deployments/deploy-button.tsx';
import { KeptLogs } from './kept-logs/kept-logs.tsx';
import { keptText } from './kept-logs/messages.ts';
import { logArchiveQuery } from './kept-logs/queries.ts';
import { tenantText } from './messages.ts';
import { useTenant } from './tenant-page.tsx';

const isService = (name: string): name is keyof typeof logText.services => Object.hasOwn(logText.services, name);

/** The logs of a tenant's services: live, or those that are kept past the services' life. */
export function LogsTab() {
  const tenant = useTenant();
  const never = !tenant.deployed_at;
  const { data } = useQuery({ ...logArchiveQuery(tenant.id), enabled: never });
  // Those of a failed first deployment.
  const isKept = never && (data?.generations.length ?? 0) > 0;
  const [view, setView] = useQueryValue('view', isKept ? 'kept' : 'live');
  const choice = <Choice label={keptText.view} options={keptText.views} value={view} onChange={setView} />;
  return view === 'kept' ? <KeptLogs tenantId={tenant.id}>{choice}</KeptLogs> : <LiveLogs>{choice}</LiveLogs>;
}

function LiveLogs({ children }: { children: ReactNode }) {
  const tenant = useTenant();
  const [chosen, setService] = useQueryValue('service', 'both');
  const service = isService(chosen) ? chosen : 'both';
  const [quiet, setQuiet] = useState(false);
  const [lines, addLine] = useLines(`${tenant.id} ${service}`);
  useStream(
    tenant.deployed_at
      ? { stream: 'tenant_logs', id: tenant.id, ...(service === 'both' ? {} : { service }) }
      : undefined,
    ({ service: from, message, timestamp, node }, restarted) =>
      addLine(message, { from, restarted, node, time: timestamp ?? undefined }),
  );
  const shown = useMemo(() => (quiet ? lines.filter((line) => !isHealthCheck(line)) : lines), [lines, quiet]);
  if (!tenant.deployed_at)
    return (
      <Empty title={logText.empty} hint={logText.notDeployed}>
        {tenant.git_repo && <DeployButton tenant={tenant} />}
      </Empty>
    );
  return (
    <LogView
      label={tenantText.logs}
      lines={shown}
      {...(service === 'both' ? { services: logText.services } : {})}
      fileName={`${tenant.slug}-${service}.log`}
    >
      {children}
      <Choice label={logText.service} options={logText.services} value={service} onChange={setService} />
      <CheckField label={logText.hideHealthChecks} checked={quiet} onChange={setQuiet} />
    </LogView>
  );
}
