import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../api/api-error.ts';
import { api, dataOf } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { ErrorNote } from '../parts/error-note.tsx';
import { Overlay } from '../parts/overlays.tsx';
import parts from '../parts/parts.module.css';
import { SelectField } from '../parts/select-field.tsx';
import { TextField } from '../parts/text-field.tsx';
import { text } from '../text/en.ts';
import { tokensText } from '../text/tokens.ts';
import { type CreatedToken, refreshTokens } from './queries.ts';

type Lifetime = keyof typeof tokensText.form.lifetimes;

/** The last moment of a day in the viewer's zone; undefined where it is none. */
function endOf(day: string): Date | undefined {
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? undefined : end;
}

function expiryOf(lifetime: Lifetime, day: string): string | null {
  if (lifetime === 'none') return null;
  const after = new Date();
  after.setDate(after.getDate() + Number(lifetime));
  return (lifetime === 'other' ? endOf(day) : after)?.toISOString() ?? null;
}

function wrongDay(lifetime: Lifetime, day: string): string | undefined {
  if (lifetime !== 'other') return undefined;
  const end = endOf(day);
  if (!end) return tokensText.form.dayMissing;
  return end.getTime() <= Date.now() ? tokensText.form.dayPast : undefined;
}

interface NewTokenProps {
  onClose(): void;
  onCreated(made: CreatedToken): void;
}

/** Makes a token; it has an end unless one wants none. */
export function NewToken({ onClose, onCreated }: NewTokenProps) {
  const [name, setName] = useState('');
  const [lifetime, setLifetime] = useState<Lifetime>('90');
  const [day, setDay] = useState('');
  const [dayWrong, setDayWrong] = useState<string>();
  const create = useMutation({
    mutationFn: () => dataOf(api.POST('/api/auth/tokens', { body: { name, expires_at: expiryOf(lifetime, day) } })),
    onSuccess(made) {
      refreshTokens();
      onClose();
      onCreated(made);
    },
  });
  const wrong = create.error instanceof ApiError ? create.error.fields : {};
  const { form } = tokensText;
  return (
    <Overlay place="middle" title={form.title} onClose={onClose}>
      <form
        className={parts.form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          const problem = wrongDay(lifetime, day);
          setDayWrong(problem);
          if (!problem && !create.isPending) create.mutate();
        }}
      >
        <TextField
          name="name"
          label={form.name}
          hint={form.nameHint}
          value={name}
          onChange={setName}
          error={wrong.name}
          autoFocus
        />
        <SelectField<Lifetime>
          label={form.lifetime}
          value={lifetime}
          options={form.lifetimes}
          onChange={setLifetime}
          {...(lifetime === 'none' ? { hint: form.noEndHint } : {})}
        />
        {lifetime === 'other' && (
          <TextField
            name="day"
            type="date"
            label={form.day}
            value={day}
            onChange={setDay}
            error={dayWrong ?? wrong.expires_at}
          />
        )}
        {Object.keys(wrong).length === 0 && <ErrorNote error={create.error} />}
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button look="primary" type="submit" disabled={create.isPending}>
            {form.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
