import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { api, dataOf } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { text } from '../../../lib/messages.ts';
import styles from '../backups.module.css';
import { backupsText } from '../messages.ts';
import { type Keep, refreshBackups, type Schedule } from '../queries.ts';
import { cronWords, keepWords } from './cron-words.ts';
import { type Choice, choiceOf, cronOf, hoursOf } from './schedule-choice.ts';

const texts = backupsText.schedule;
const counts = ['last', 'daily', 'weekly', 'monthly'] as const;
const isWhole = (value: string): boolean => /^\d{1,4}$/.test(value);

/** Edits a tenant's backup schedule and its retention. */
export function ScheduleForm({ schedule, onClose }: { schedule: Schedule; onClose(): void }) {
  const { tenant_id: id, cron, effective_cron, keep, effective_keep } = schedule;
  const [choice, setChoice] = useState(choiceOf(cron));
  const choose = (part: Partial<Choice>): void => setChoice((before) => ({ ...before, ...part }));
  const [own, setOwn] = useState(keep !== null);
  const [kept, setKept] = useState(() => textsOf(effective_keep));
  const save = useMutation({
    mutationFn: () => {
      const body = { cron: cronOf(choice), keep: own ? keepOf(kept) : null };
      return dataOf(api.PUT('/api/tenants/{id}/backup-schedule', { params: { path: { id } }, body }));
    },
    onSuccess() {
      refreshBackups(id);
      notify(texts.saved);
      onClose();
    },
  });
  const wrong = save.error instanceof ApiError ? save.error.fields : {};
  const wrongCount = own && counts.some((name) => !isWhole(kept[name]));
  const { default: asAll, ...others } = texts.choices;
  // Any tenant without its own schedule shows the default.
  const often = { default: asAll(cron === null ? cronWords(effective_cron) : ''), ...others };
  return (
    <Overlay place="side" title={texts.title} hint={texts.hint} onClose={onClose}>
      <form
        className={parts.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!wrongCount) save.mutate();
        }}
      >
        <SelectField
          label={texts.often}
          value={choice.often}
          options={often}
          onChange={(value) => choose({ often: value })}
        />
        {choice.often === 'weekly' && (
          <SelectField label={texts.day} value={choice.day} options={texts.days} onChange={(day) => choose({ day })} />
        )}
        {(choice.often === 'daily' || choice.often === 'weekly') && (
          <SelectField
            label={texts.hour}
            hint={texts.hourHint}
            value={choice.hour}
            options={hoursOf(texts.atHour, choice.often === 'weekly' ? { day: choice.day } : {})}
            onChange={(hour) => choose({ hour })}
          />
        )}
        {choice.often === 'cron' && (
          <TextField
            name="cron"
            label={texts.cron}
            hint={texts.cronHint}
            value={choice.cron}
            onChange={(value) => choose({ cron: value })}
            error={wrong.cron}
          />
        )}
        <SelectField
          label={texts.keep}
          hint={texts.keepHint}
          value={own ? 'own' : 'default'}
          options={{ default: texts.keepDefault(keep === null ? keepWords(effective_keep) : ''), own: texts.keepOwn }}
          onChange={(value) => setOwn(value === 'own')}
        />
        {own && (
          <div className={styles.counts}>
            {counts.map((name) => (
              <TextField
                key={name}
                name={`keep.${name}`}
                label={texts[name]}
                value={kept[name]}
                onChange={(value) => setKept((before) => ({ ...before, [name]: value.trim() }))}
                error={isWhole(kept[name]) ? wrong[`keep.${name}`] : texts.whole}
              />
            ))}
          </div>
        )}
        {Object.keys(wrong).length === 0 && <ErrorNote error={save.error} />}
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={save.isPending || wrongCount}>
            {texts.save}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}

type Texts = Record<keyof Keep, string>;
const textsOf = (keep: Keep): Texts => mapped(keep, String);
const keepOf = (kept: Texts): Keep => mapped(kept, Number);

const mapped = <From, To>(of: Record<keyof Keep, From>, to: (value: From) => To): Record<keyof Keep, To> => ({
  last: to(of.last),
  daily: to(of.daily),
  weekly: to(of.weekly),
  monthly: to(of.monthly),
});
