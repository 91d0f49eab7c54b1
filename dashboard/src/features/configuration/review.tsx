import { useState } from 'react';
import { api, dataOf, type FullTenant } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/feedback/confirm.tsx';
import { notify } from '../../components/feedback/toasts.tsx';
import { CheckField } from '../../components/form/check-field.tsx';
import { control } from '../tenants/tenant-actions.ts';
import styles from './configuration.module.css';
import { isHidden } from './environment/env-rows.ts';
import type { FieldName } from './fields.ts';
import { configurationText } from './messages.ts';
import { asked, type Config, type ConfigChange, configQuery } from './queries.ts';
import type { ConfigBody } from './use-config-form.ts';

interface ReviewProps {
  tenant: FullTenant;
  body: ConfigBody;
  changes: readonly ConfigChange[];
  onSaved(config: Config): void;
  onClose(): void;
  onRefused(error: unknown): void;
}

const words = configurationText.dialog;

/** Shows the changes, then saves them; restarts the services if chosen. */
export function Review({ tenant, body, changes, onSaved, onClose, onRefused }: ReviewProps) {
  const { id, status } = tenant;
  const [restart, setRestart] = useState(false);
  return (
    <Confirm
      title={words.title}
      hint={words.hint}
      submit={restart ? words.submitAndRestart : words.submit}
      act={() =>
        dataOf(api.PUT('/api/tenants/{id}/config', { ...asked(id), body })).catch((error: unknown) => {
          onRefused(error);
          throw error;
        })
      }
      onDone={(config) => {
        queryClient.setQueryData(configQuery(id).queryKey, config);
        onSaved(config);
        notify(configurationText.saved);
        if (restart) void control('restart', tenant);
        else void queryClient.invalidateQueries({ queryKey: ['tenant', id] });
      }}
      onClose={onClose}
    >
      <ChangeList changes={changes} />
      {status === 'running' && (
        <CheckField label={words.restart} hint={words.restartHint} checked={restart} onChange={setRestart} />
      )}
    </Confirm>
  );
}

/** Changes with the values before and after, without secrets. */
export const ChangeList = ({ changes }: { changes: readonly ConfigChange[] }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
  <section className={styles.changes} tabIndex={0} aria-label={words.changes}>
    <ul>
      {changes.map((change) => (
        <li key={`${change.field} ${change.entry}`}>
          <strong className={change.entry === null ? undefined : styles.mono}>{nameOf(change)}</strong>
          <dl>
            <dt>{words.before}</dt>
            <dd className={styles.before}>{shown(change.before, words.hidden)}</dd>
            <dt>{words.after}</dt>
            <dd>{shown(change.after, isHidden(change.before) ? words.changedHidden : words.hidden)}</dd>
          </dl>
          {change.before === change.after && !isHidden(change.after) && <p>{words.sameStart}</p>}
        </li>
      ))}
    </ul>
  </section>
);

const nameOf = ({ field, entry }: ConfigChange): string =>
  entry ?? configurationText.fields[field as FieldName]?.label ?? field;

function shown(value: string | null, hidden: string) {
  if (value === null) return <i>{words.none}</i>;
  return isHidden(value) ? <i>{hidden}</i> : value;
}
