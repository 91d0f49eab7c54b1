import { useState } from 'react';
import { api, dataOf, type FullTenant } from '../../api/client.ts';
import { queryClient } from '../../api/queries.ts';
import { Confirm } from '../../components/feedback/confirm.tsx';
import { tell } from '../../components/feedback/toasts.tsx';
import { CheckField } from '../../components/form/check-field.tsx';
import { control } from '../tenants/tenant-actions.ts';
import { ChangeList } from './change-list.tsx';
import { configurationText } from './messages.ts';
import { asked, type ConfigChange, configQuery } from './queries.ts';
import type { ConfigBody } from './use-draft.ts';

interface ReviewProps {
  tenant: FullTenant;
  body: ConfigBody;
  changes: readonly ConfigChange[];
  onSaved(): void;
  onClose(): void;
  onRefused(error: unknown): void;
}

const words = configurationText.dialog;

/** Shows what changes, then saves it; the services follow at once where that is wanted. */
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
        onSaved();
        tell(configurationText.saved);
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
