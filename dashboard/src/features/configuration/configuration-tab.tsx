import { useQuery } from '@tanstack/react-query';
import type { FullTenant } from '../../api/client.ts';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button } from '../../components/form/button.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { servicesQuery } from '../tenant/overview/queries.ts';
import { useRestart } from '../tenant/overview/use-restart.ts';
import { useTenant } from '../tenant/tenant-page.tsx';
import { ConfigForm } from './config-form.tsx';
import { ConfigView } from './config-view.tsx';
import styles from './configuration.module.css';
import { EnvFileCard } from './environment/env-file-card.tsx';
import { History } from './history.tsx';
import { configurationText } from './messages.ts';
import { configQuery } from './queries.ts';

/** A tenant's configuration, to view or edit. */
export function ConfigurationTab() {
  const tenant = useTenant();
  const operator = useHasRole('operator');
  const { data: config, error } = useQuery(configQuery(tenant.id));
  return (
    <div className={styles.page}>
      <PagePart
        title={configurationText.section}
        hint={operator ? configurationText.hint : configurationText.viewerHint}
      />
      <PendingNote tenant={tenant} />
      {!config && <Waiting error={error} />}
      {config && !operator && <ConfigView config={config} />}
      {config && operator && (
        <>
          <ConfigForm key={tenant.id} tenant={tenant} config={config} />
          <History tenant={tenant} config={config} />
          <EnvFileCard id={tenant.id} />
        </>
      )}
    </div>
  );
}

const words = configurationText.pending;

/** Says that the services still run with the former configuration, with the button to apply the saved one; else nothing. */
function PendingNote({ tenant }: { tenant: FullTenant }) {
  const { id, deployed_at, status } = tenant;
  const operator = useHasRole('operator');
  const { restarting, restart } = useRestart(tenant);
  const { data } = useQuery({ ...servicesQuery(id), enabled: deployed_at !== null });
  const pending = data?.applied === 'pending_restart' && status === 'running';
  return (
    <div role="status">
      {pending && (
        <div className={styles.pending}>
          <div>
            <strong>{words.title}</strong>
            <p>{operator ? words.hint : words.viewerHint}</p>
          </div>
          {operator && (
            <Button disabled={restarting} onClick={restart}>
              {restarting ? words.restarting : words.restart}
            </Button>
          )}
        </div>
      )}
    </div>
  );
}
