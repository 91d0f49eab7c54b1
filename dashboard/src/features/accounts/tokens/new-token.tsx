import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../api/api-error.ts';
import { api, dataOf } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { SelectField } from '../../../components/form/select-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { text } from '../../../lib/messages.ts';
import { isAtLeast, type Role } from '../session/session.tsx';
import { tokensText } from './messages.ts';
import { type CreatedToken, refreshTokens } from './queries.ts';

/** `longest`: the maximum the manager allows; `other`: until a chosen day. */
type Lifetime = '30' | '90' | 'longest' | 'other';

const dayMs = 86_400_000;

/** The last millisecond of a day in the viewer's zone; undefined if the day is invalid. */
function endOf(day: string): Date | undefined {
  const end = new Date(`${day}T23:59:59`);
  return Number.isNaN(end.getTime()) ? undefined : end;
}

/** null: the maximum the manager allows. */
function expiryOf(lifetime: Lifetime, day: string): string | null {
  if (lifetime === 'longest') return null;
  const end = lifetime === 'other' ? endOf(day) : new Date(Date.now() + Number(lifetime) * dayMs);
  return end?.toISOString() ?? null;
}

function wrongDay(lifetime: Lifetime, day: string, maxDays: number): string | undefined {
  if (lifetime !== 'other') return undefined;
  const { form } = tokensText;
  const end = endOf(day);
  if (!end) return form.dayMissing;
  if (end.getTime() <= Date.now()) return form.dayPast;
  return end.getTime() > Date.now() + maxDays * dayMs ? form.dayLate(maxDays) : undefined;
}

function lifetimesOf(maxDays: number): Partial<Record<Lifetime, string>> {
  const { days, longest, other } = tokensText.form;
  return {
    ...(maxDays > 30 ? { '30': days(30) } : {}),
    ...(maxDays > 90 ? { '90': days(90) } : {}),
    longest: longest(maxDays),
    other,
  };
}

const rolesUpTo = (role: Role): Partial<Record<Role, string>> =>
  Object.fromEntries(Object.entries(text.roles).filter(([name]) => isAtLeast({ role }, name as Role)));

interface NewTokenProps {
  ownRole: Role;
  maxDays: number;
  onClose(): void;
  onCreated(made: CreatedToken): void;
}

/** Creates a token with an expiry and a role. */
export function NewToken({ ownRole, maxDays, onClose, onCreated }: NewTokenProps) {
  const [name, setName] = useState('');
  const [role, setRole] = useState(ownRole);
  const [lifetime, setLifetime] = useState<Lifetime>(maxDays > 90 ? '90' : 'longest');
  const [day, setDay] = useState('');
  const [dayWrong, setDayWrong] = useState<string>();
  const create = useMutation({
    mutationFn: () =>
      dataOf(api.POST('/api/auth/tokens', { body: { name, role, expires_at: expiryOf(lifetime, day) } })),
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
          const problem = wrongDay(lifetime, day, maxDays);
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
        <SelectField<Role>
          label={form.role}
          hint={form.roleHint}
          value={role}
          options={rolesUpTo(ownRole)}
          onChange={setRole}
        />
        <SelectField<Lifetime>
          label={form.lifetime}
          value={lifetime}
          options={lifetimesOf(maxDays)}
          onChange={setLifetime}
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
          <Button variant="primary" type="submit" disabled={create.isPending}>
            {form.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
