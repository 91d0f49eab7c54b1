import { SelectField } from '../../../components/form/select-field.tsx';
import { TextField } from '../../../components/form/text-field.tsx';
import { text } from '../../../lib/messages.ts';
import { usersText } from './messages.ts';
import type { User } from './queries.ts';

export type UserValues = Pick<User, 'username' | 'email' | 'role'>;

interface UserFieldsProps {
  values: UserValues;
  onChange(values: UserValues): void;
  /** Errors of rejected fields, by name. */
  wrong: Record<string, string>;
  /** Users can't accidentally remove their own administrator role. */
  isSelf?: boolean;
}

/** A user's name, address and role. */
export function UserFields({ values, onChange, wrong, isSelf = false }: UserFieldsProps) {
  const { form, roleHints } = usersText;
  return (
    <>
      <TextField
        name="username"
        label={form.username}
        hint={form.usernameHint}
        value={values.username}
        onChange={(username) => onChange({ ...values, username })}
        error={wrong.username}
        autoFocus
      />
      <TextField
        name="email"
        type="email"
        label={form.email}
        value={values.email}
        onChange={(email) => onChange({ ...values, email })}
        error={wrong.email}
      />
      <SelectField<User['role']>
        label={form.role}
        hint={isSelf ? form.ownRole : roleHints[values.role]}
        value={values.role}
        options={text.roles}
        onChange={(role) => onChange({ ...values, role })}
        disabled={isSelf}
      />
    </>
  );
}
