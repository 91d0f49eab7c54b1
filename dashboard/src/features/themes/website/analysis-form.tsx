import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { api, dataOf } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { sentence } from '../manager-text.ts';
import { themeText } from '../messages.ts';
import { analysesQuery } from '../queries.ts';
import styles from './website.module.css';

interface AnalysisFormProps {
  tenantId: string;
  /** One is running; the next must wait for its end. */
  running: boolean;
  onStarted(): void;
}

/** An address as people type it, with its scheme. */
const whole = (typed: string): string =>
  /^[a-z][a-z\d+.-]*:/i.test(typed.trim()) ? typed.trim() : `https://${typed.trim()}`;

/** Starts the analysis of a website. */
export function AnalysisForm({ tenantId, running, onStarted }: AnalysisFormProps) {
  const [address, setAddress] = useState('');
  const [picture, setPicture] = useState(true);
  const begin = useMutation({
    mutationFn: () =>
      dataOf(
        api.POST('/api/tenants/{id}/theme/analyze', {
          params: { path: { id: tenantId } },
          body: { website_url: whole(address), capture_screenshot: picture },
        }),
      ),
    async onSuccess() {
      await queryClient.invalidateQueries({ queryKey: analysesQuery(tenantId).queryKey });
      onStarted();
    },
  });
  const wrong = begin.error instanceof ApiError ? begin.error.fields.website_url : undefined;
  return (
    <form
      className={`${parts.card} ${styles.form}`}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (address.trim() && !begin.isPending) begin.mutate();
      }}
    >
      <div className={styles.ask}>
        <TextField
          name="website_url"
          label={themeText.address}
          hint={themeText.addressHint}
          value={address}
          onChange={setAddress}
          error={wrong && sentence(wrong)}
        />
        <Button type="submit" disabled={running || begin.isPending || address.trim() === ''}>
          {themeText.analyse}
        </Button>
      </div>
      <CheckField label={themeText.takePicture} checked={picture} onChange={setPicture} />
      {!wrong && <ErrorNote error={begin.error} />}
    </form>
  );
}
