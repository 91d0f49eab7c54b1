import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'react-router';
import parts from '../../components/components.module.css';
import { Empty } from '../../components/feedback/empty.tsx';
import { ErrorNote } from '../../components/feedback/error-note.tsx';
import { LeaveGuard } from '../../components/feedback/leave-guard.tsx';
import { notify, notifyError } from '../../components/feedback/toasts.tsx';
import { Waiting } from '../../components/feedback/waiting.tsx';
import { Button } from '../../components/form/button.tsx';
import { SearchField } from '../../components/form/search-field.tsx';
import { PagePart } from '../../components/layout/page.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { settingsText } from './messages.ts';
import { settingsQuery } from './queries.ts';
import { ReviewChanges } from './review-changes.tsx';
import { fits, namesOf, type Setting } from './setting.ts';
import { SettingRow } from './setting-row.tsx';
import styles from './settings.module.css';
import { useSettingsForm } from './use-settings-form.ts';

/** Delay before the focus is moved after a dialog closes, since the dialog returns it first. Milliseconds. */
const afterDialog = 100;

/** The manager's settings: edited together, with a preview before saving. */
export function SettingsPage() {
  const { data: settings, error } = useQuery(settingsQuery);
  if (!settings) return <Waiting error={error} />;
  return (
    <>
      <ErrorNote error={error} />
      <Settings settings={settings} />
    </>
  );
}

function Settings({ settings }: { settings: readonly Setting[] }) {
  const mayChange = useHasRole('admin');
  const [query, setQuery] = useSearchParams();
  const search = query.get('q') ?? '';
  const form = useSettingsForm(settings);
  const [reviewing, setReviewing] = useState(false);
  const [refused, setRefused] = useState(0);
  const page = useRef<HTMLDivElement>(null);
  // Focuses the first invalid field; all fields must be visible for that.
  useEffect(() => {
    if (refused === 0) return;
    const timer = setTimeout(() => {
      const field = page.current?.querySelector<HTMLElement>('[aria-invalid="true"]');
      field?.focus({ preventScroll: true });
      field?.scrollIntoView({ block: 'center' });
    }, afterDialog);
    return () => clearTimeout(timer);
  }, [refused]);
  const pointOut = (): void => {
    setQuery({}, { replace: true });
    setRefused((times) => times + 1);
  };
  const review = async (): Promise<void> => {
    try {
      if (await form.check()) setReviewing(true);
      else pointOut();
    } catch (error) {
      notifyError(error);
    }
  };
  const shown = settings.filter((setting) => fits(setting, search));
  return (
    <div ref={page}>
      <PagePart title={settingsText.title} hint={mayChange ? settingsText.hint : settingsText.readOnly}>
        <div className={styles.search}>
          <SearchField
            label={settingsText.search}
            placeholder={settingsText.search}
            value={search}
            onChange={(value) => setQuery(value ? { q: value } : {}, { replace: true })}
          />
        </div>
      </PagePart>
      {shown.length === 0 && (
        <Empty title={settingsText.nothingTitle} hint={settingsText.nothingHint}>
          <Button onClick={() => setQuery({}, { replace: true })}>{settingsText.clear}</Button>
        </Empty>
      )}
      <div className={styles.groups}>
        {Object.entries(Object.groupBy(shown, ({ group }) => group)).map(([group, members]) => (
          <section key={group} className={parts.card} aria-labelledby={`group-${group}`}>
            <h3 id={`group-${group}`}>{settingsText.groups[group as Setting['group']] ?? group}</h3>
            {members.map((setting) => (
              <SettingRow
                key={setting.key}
                setting={setting}
                control={form.control}
                changed={form.changes.some((change) => change.setting === setting)}
                mayChange={mayChange}
              />
            ))}
          </section>
        ))}
      </div>
      {form.changes.length > 0 && (
        <section className={styles.bar} aria-label={settingsText.unsaved(form.changes.length)}>
          <span role="status">
            {form.wrong > 0 ? settingsText.refused(form.wrong) : settingsText.unsaved(form.changes.length)}
          </span>
          <div>
            <Button onClick={form.discard}>{settingsText.discard}</Button>
            <Button variant="primary" onClick={() => void review()}>
              {settingsText.review}
            </Button>
          </div>
        </section>
      )}
      {reviewing && (
        <ReviewChanges
          form={form}
          onClose={() => setReviewing(false)}
          onDone={({ saved, refused: count }) => {
            if (count > 0) pointOut();
            if (count === 0) notify(settingsText.saved(saved.length));
            else if (saved.length > 0) notify(settingsText.savedOthers(namesOf(saved)));
          }}
        />
      )}
      <LeaveGuard unsaved={form.changes.length > 0} />
    </div>
  );
}
