import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { notify } from '../../../components/feedback/toasts.tsx';
import { Button } from '../../../components/form/button.tsx';
import { CheckField } from '../../../components/form/check-field.tsx';
import { MultiSelect } from '../../../components/form/select.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { text } from '../../../lib/messages.ts';
import { notificationsText } from '../messages.ts';
import { rulesText } from './messages.ts';
import { type Choices, eventOptions, optionsOf } from './names.ts';
import { type AlertEvent, type Rule, type RuleChange, saveRule } from './queries.ts';
import { QuietHoursFields } from './quiet-hours-fields.tsx';

const newRule: RuleChange = {
  enabled: true,
  events: [],
  severity: 'error',
  tags: [],
  tenant_ids: [],
  channel_ids: [],
  user_ids: [],
  digest_minutes: null,
  quiet_hours: null,
};

const changeOf = ({ id: _id, created_at: _at, updated_at: _changed, ...rule }: Rule): RuleChange => rule;

/** The choices of a window, and the rule's own if it is another one. */
function digestsOf(minutes: number | null): Record<string, string> {
  const { digests, digestOf } = rulesText.form;
  const own = minutes === null || `${minutes}` in digests ? {} : { [minutes]: digestOf(minutes) };
  return { ...digests, ...own };
}

interface RuleFormProps {
  /** undefined: a new one. */
  rule: Rule | undefined;
  choices: Choices;
  onClose(): void;
}

/** A rule as a sentence: when what happens, for whom, who is notified. */
export function RuleForm({ rule, choices, onClose }: RuleFormProps) {
  const [values, setValues] = useState<RuleChange>(rule ? changeOf(rule) : newRule);
  const [tried, setTried] = useState(false);
  const { form, quietHours } = rulesText;
  const reachesNoOne = values.channel_ids.length + values.user_ids.length === 0;
  const change = (changes: Partial<RuleChange>): void => setValues({ ...values, ...changes });
  const save = useMutation({
    mutationFn: () => saveRule(rule?.id, values),
    onSuccess() {
      onClose();
      notify(form.saved);
    },
  });
  return (
    <Overlay place="side" title={rule ? form.edit : form.add} onClose={onClose}>
      <form
        className={parts.form}
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (!reachesNoOne && !save.isPending) save.mutate();
        }}
      >
        <MultiSelect
          label={form.events}
          none={form.anyEvent}
          options={eventOptions}
          values={values.events}
          onChange={(next) => change({ events: next as AlertEvent[] })}
        />
        <SelectField
          label={form.severity}
          value={values.severity}
          options={notificationsText.severities}
          onChange={(severity) => change({ severity })}
        />
        <MultiSelect
          label={form.tags}
          none={form.anyTenant}
          options={choices.tags}
          values={values.tags}
          onChange={(tags) => change({ tags })}
        />
        <MultiSelect
          label={form.tenants}
          none={form.anyTenant}
          options={optionsOf(choices.tenants, values.tenant_ids)}
          values={values.tenant_ids}
          onChange={(tenant_ids) => change({ tenant_ids })}
        />
        <MultiSelect
          label={form.channels}
          none={form.noOne}
          options={optionsOf(choices.channels, values.channel_ids)}
          values={values.channel_ids}
          onChange={(channel_ids) => change({ channel_ids })}
        />
        <MultiSelect
          label={form.users}
          hint={form.usersHint}
          none={form.noOne}
          options={optionsOf(choices.users, values.user_ids)}
          values={values.user_ids}
          onChange={(user_ids) => change({ user_ids })}
        />
        {tried && reachesNoOne && (
          <p role="alert" className={parts.wrong}>
            {form.chooseOne}
          </p>
        )}
        <SelectField
          label={form.digest}
          value={`${values.digest_minutes ?? ''}`}
          options={digestsOf(rule?.digest_minutes ?? null)}
          onChange={(next) => change({ digest_minutes: next === '' ? null : Number(next) })}
        />
        <QuietHoursFields
          value={values.quiet_hours}
          hint={quietHours.ofRule}
          onChange={(quiet_hours) => change({ quiet_hours })}
        />
        <CheckField label={form.enabled} checked={values.enabled} onChange={(enabled) => change({ enabled })} />
        <ErrorNote error={save.error} />
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={save.isPending}>
            {form.save}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
