import { useQuery } from '@tanstack/react-query';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import { useMay } from '../accounts/session/session.tsx';
import { useTenant } from '../tenant/tenant-page.tsx';
import { ConfigForm } from './config-form.tsx';
import { ConfigView } from './config-view.tsx';
import styles from './configuration.module.css';
import { EnvFileCard } from './environment/env-file-card.tsx';
import { configurationText } from './messages.ts';
import { PendingNote } from './pending-note.tsx';
import { configQuery } from './queries.ts';

/** What a tenant's application is told, to be looked at or changed. */
export function ConfigurationTab() {
  const tenant = useTenant();
  const operator = useMay('operator');
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
          <EnvFileCard id={tenant.id} />
        </>
      )}
    </div>
  );
}
