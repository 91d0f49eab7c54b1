import { type Control, useWatch } from 'react-hook-form';
import { FormSelect, FormText } from '../../../components/form/form-fields.tsx';
import { text } from '../../../lib/messages.ts';
import { usersText } from './messages.ts';
import type { User } from './queries.ts';

export interface UserValues extends Pick<User, 'username' | 'email' | 'role'> {
  /** Of a new user. */
  password: string;
  must_change_password: boolean;
}

interface UserFieldsProps {
  control: Control<UserValues>;
  /** Users can't accidentally remove their own administrator role. */
  isSelf?: boolean;
}

/** A user's name, address and role. */
export function UserFields({ control, isSelf = false }: UserFieldsProps) {
  const role = useWatch({ control, name: 'role' });
  const { form, roleHints } = usersText;
  return (
    <>
      <FormText control={control} name="username" label={form.username} hint={form.usernameHint} autoFocus />
      <FormText control={control} name="email" type="email" label={form.email} />
      <FormSelect
        control={control}
        name="role"
        label={form.role}
        hint={isSelf ? form.ownRole : roleHints[role]}
        options={text.roles}
        disabled={isSelf}
      />
    </>
  );
}
