import { useState } from 'react';
import { useNavigate } from 'react-router';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { Note } from '../../../components/feedback/note.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { DeployChanges } from '../../tenant/deployments/deploy-changes.tsx';
import { useTenant } from '../../tenant/tenant-page.tsx';
import { upgradeText } from './messages.ts';
import { begin } from './queries.ts';
import styles from './upgrade.module.css';
import type { Warning } from './warnings.ts';

/** The version that the user has chosen. */
export interface Target {
  /** null: the newest commit of a repository without releases */
  version: string | null;
  name: string;
  older: boolean;
  /** Warnings. */
  warning?: Warning;
}

const texts = upgradeText.ask;

/** Confirms an upgrade; for an older version the user types the tenant's short name. */
export function UpgradeDialog({ target, runs, onClose }: { target: Target; runs: string; onClose(): void }) {
  const tenant = useTenant();
  const navigate = useNavigate();
  const [backup, setBackup] = useState(true);
  const [migrations, setMigrations] = useState(true);
  const { version, name, older, warning } = target;
  return (
    <Confirm
      bad={older}
      title={older ? texts.backTitle(name) : texts.title(name)}
      hint={texts.hint(tenant.name, runs)}
      submit={older ? texts.submitBack(name) : texts.submit(name)}
      {...(older ? { typed: tenant.slug } : {})}
      act={() => begin(tenant.id, 'upgrade', { version, backup, migrations, back: older })}
      onDone={(deploymentId) => void navigate(`/tenants/${tenant.id}/deployments/${deploymentId}`)}
      onClose={onClose}
    >
      {warning && (
        <Note tone="warn" title={warning.title}>
          {warning.reason}
        </Note>
      )}
      {older && (
        <Note tone="warn" title={texts.back[0] ?? ''}>
          {texts.back[1]}
        </Note>
      )}
      <section className={styles.will} aria-label={texts.what}>
        <h3>{texts.what}</h3>
        <ol>
          {texts.steps(name, runs).map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </section>
      {version !== null && <DeployChanges id={tenant.id} body={{ target_version: version }} />}
      <details className={styles.more}>
        <summary>{texts.more}</summary>
        <CheckField label={texts.backup} hint={texts.backupHint} checked={backup} onChange={setBackup} />
        <CheckField
          label={texts.migrations}
          hint={texts.migrationsHint}
          checked={migrations}
          onChange={setMigrations}
        />
      </details>
    </Confirm>
  );
}
