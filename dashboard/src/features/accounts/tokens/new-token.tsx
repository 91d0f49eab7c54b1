import { useForm } from 'react-hook-form';
import { api, dataOf } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { ErrorNote } from '../../../components/feedback/error-note.tsx';
import { Button } from '../../../components/form/button.tsx';
import { FormSelect, FormText } from '../../../components/form/form-fields.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { useSubmission } from '../../../hooks/use-submission.ts';
import { momentOf } from '../../../lib/figures.ts';
import { text } from '../../../lib/messages.ts';
import { isAtLeast, type Role } from '../session/session.tsx';
import { tokensText } from './messages.ts';
import { type CreatedToken, refreshTokens } from './queries.ts';

/** `longest`: the maximum the manager allows; `other`: until a chosen day. */
type Lifetime = '30' | '90' | 'longest' | 'other';

interface TokenValues {
  name: string;
  role: Role;
  lifetime: Lifetime;
  day: string;
}

const dayMs = 86_400_000;

/** The last second of a day in the user's zone; undefined if the day is invalid. */
const endOf = (day: string): Date | undefined => momentOf(`${day}T23:59:59`);

/** null: the maximum the manager allows. */
function expiryOf({ lifetime, day }: TokenValues): string | null {
  if (lifetime === 'longest') return null;
  const end = lifetime === 'other' ? endOf(day) : new Date(Date.now() + Number(lifetime) * dayMs);
  return end?.toISOString() ?? null;
}

function wrongDay(day: string, maxDays: number): string | undefined {
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
  const newToken = useForm<TokenValues>({
    defaultValues: { name: '', role: ownRole, lifetime: maxDays > 90 ? '90' : 'longest', day: '' },
  });
  const { control } = newToken;
  const { onSubmit, isPending, error } = useSubmission(newToken, {
    send: (values) => {
      const { name, role } = values;
      return dataOf(api.POST('/api/auth/tokens', { body: { name, role, expires_at: expiryOf(values) } }));
    },
    onSuccess(made) {
      refreshTokens();
      onClose();
      onCreated(made);
    },
    errorsOf: ({ fields: { expires_at, ...rest } }, { lifetime }) =>
      expires_at && lifetime === 'other' ? { ...rest, day: expires_at } : rest,
  });
  const { form } = tokensText;
  return (
    <Overlay place="middle" title={form.title} onClose={onClose}>
      <form className={parts.form} noValidate onSubmit={onSubmit}>
        <FormText control={control} name="name" label={form.name} hint={form.nameHint} autoFocus />
        <FormSelect control={control} name="role" label={form.role} hint={form.roleHint} options={rolesUpTo(ownRole)} />
        <FormSelect control={control} name="lifetime" label={form.lifetime} options={lifetimesOf(maxDays)} />
        {newToken.watch('lifetime') === 'other' && (
          <FormText
            control={control}
            name="day"
            type="date"
            label={form.day}
            validate={(day) => wrongDay(day, maxDays)}
          />
        )}
        <ErrorNote error={error} />
        <div className={parts.formEnd}>
          <Button onClick={onClose}>{text.cancel}</Button>
          <Button variant="primary" type="submit" disabled={isPending}>
            {form.submit}
          </Button>
        </div>
      </form>
    </Overlay>
  );
}
