import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Waiting } from '../../../components/feedback/waiting.tsx';
import { Button } from '../../../components/form/button.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { PageHead } from '../../../components/layout/page.tsx';
import { browserLanguage, browserTimeZone, type Language, languages } from '../../../lib/language.ts';
import { zones } from '../../../lib/zones.ts';
import { OwnAlertsForm } from '../../notifications/rules/own-alerts-form.tsx';
import { preferencesText } from './messages.ts';
import styles from './preferences.module.css';
import { applyPreferences, type Preferences, preferencesQuery, savePreferences } from './preferences.ts';

/** The language and the time zone of the account. */
export function PreferencesPage() {
  const { data, error } = useQuery(preferencesQuery);
  const { title, hint } = preferencesText;
  return (
    <>
      <PageHead title={title} hint={hint} />
      {data ? <PreferencesForm kept={data} /> : <Waiting error={error} />}
      <OwnAlertsForm />
    </>
  );
}

function PreferencesForm({ kept }: { kept: Preferences }) {
  const texts = preferencesText;
  const [language, setLanguage] = useState<Language | ''>(kept.language ?? '');
  const [timeZone, setTimeZone] = useState(kept.time_zone ?? '');
  const save = useMutation({
    mutationFn: () => savePreferences({ language: language || null, time_zone: timeZone || null }),
    onSuccess(saved) {
      if (!applyPreferences(saved)) notify(texts.saved);
    },
  });
  return (
    <form
      className={`${parts.card} ${parts.form} ${styles.narrow}`}
      onSubmit={(event) => {
        event.preventDefault();
        if (!save.isPending) save.mutate();
      }}
    >
      <SelectField<Language | ''>
        label={texts.language}
        value={language}
        options={{ '': texts.browser(languages[browserLanguage]), ...languages }}
        onChange={setLanguage}
      />
      <SelectField
        label={texts.timeZone}
        hint={texts.timeZoneHint}
        value={timeZone}
        options={{ '': texts.browser(browserTimeZone()), ...zones(kept.time_zone) }}
        onChange={setTimeZone}
      />
      {save.error && <ErrorNote error={save.error} />}
      <div>
        <Button variant="primary" type="submit" disabled={save.isPending}>
          {texts.save}
        </Button>
      </div>
    </form>
  );
}
