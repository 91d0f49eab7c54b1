import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useNavigate } from 'react-router';
import { ApiError } from '../../../api/api-error.ts';
import { api, dataOf } from '../../../api/client.ts';
import { tenantsQuery, versionQuery } from '../../../api/queries.ts';
import { timeText } from '../../../components/data/time.tsx';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { useTenant } from '../../tenant/tenant-page.tsx';
import styles from '../backups.module.css';
import { backupsText } from '../messages.ts';
import { type Backup, refreshBackups } from '../queries.ts';

const texts = backupsText.restore;

/** Confirms a restore: says what it does; the user types the tenant's short name. */
export function RestoreDialog({ backup, onClose }: { backup: Backup; onClose(): void }) {
  const own = useTenant();
  const navigate = useNavigate();
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const [target, setTarget] = useState(own.id);
  const [allowed, setAllowed] = useState(false);
  const [refused, setRefused] = useState(false);
  const [unsaved, setUnsaved] = useState(false);
  const version = useQuery({ ...versionQuery(target), retry: false });
  const { name, slug, health_status: health } = tenants.find(({ id }) => id === target) ?? own;
  const others = tenants.filter(({ id, deployed_at }) => id !== own.id && deployed_at !== null);
  const { deployed_version, deployed_commit: runs } = version.data ?? {};
  const unlike = version.data ? runs !== backup.commit : version.isError;

  const restore = async (): Promise<string> => {
    const body = { target_tenant_id: target, allow_version_mismatch: allowed, without_safety_backup: unsaved };
    const params = { path: { id: own.id, backup_id: backup.id }, query: { wait: 'false' as const } };
    try {
      const answer = await dataOf(api.POST('/api/tenants/{id}/backups/{backup_id}/restore', { params, body }));
      return 'deployment_id' in answer ? answer.deployment_id : '';
    } catch (error) {
      if (error instanceof ApiError && error.code === 'invalid_state') setRefused(true);
      throw error;
    }
  };
  return (
    <Confirm
      bad
      title={texts.title}
      hint={texts.hint(timeText(backup.created_at), backup.version ?? '')}
      submit={texts.submit}
      typed={slug}
      act={restore}
      onDone={(deployment) => {
        refreshBackups(target);
        void navigate(`/tenants/${target}/deployments/${deployment}`);
      }}
      onClose={onClose}
    >
      {others.length > 0 && (
        <SelectField
          label={texts.into}
          value={target}
          options={{
            [own.id]: texts.self(own.name),
            ...Object.fromEntries(others.map((tenant) => [tenant.id, `${tenant.name} (${tenant.slug})`])),
          }}
          onChange={(chosen) => {
            setTarget(chosen);
            // The confirmation was for the other.
            setAllowed(false);
            setRefused(false);
            setUnsaved(false);
          }}
        />
      )}
      <section className={styles.will} aria-label={texts.what}>
        <h3>{texts.what}</h3>
        <ol>
          {texts.steps(name, unsaved).map((step) => (
            <li key={step}>{step}</li>
          ))}
        </ol>
      </section>
      {(unsaved || health !== 'healthy') && (
        <CheckField label={texts.unsaved} hint={texts.unsavedHint} checked={unsaved} onChange={setUnsaved} />
      )}
      {(unlike || refused) && (
        <CheckField
          label={texts.mismatch}
          hint={texts.mismatchHint(
            backup.version ?? backup.commit.slice(0, 10),
            runs ? texts.runs(name, deployed_version ?? runs.slice(0, 10)) : texts.unknown(name),
          )}
          checked={allowed}
          onChange={setAllowed}
        />
      )}
    </Confirm>
  );
}
