import { TextField } from '../../../components/form/text-field.tsx';

interface PasswordFieldProps {
  name: string;
  label: string;
  hint?: string;
  value: string;
  onChange(value: string): void;
  /** Current or new password: password managers fill in the one and suggest the other. */
  which: 'current' | 'new';
  error?: string | undefined;
  autoFocus?: boolean;
}

/** The current user's password: never shown, always required. */
export const PasswordField = ({ which, ...field }: PasswordFieldProps) => (
  <TextField {...field} type="password" autoComplete={`${which}-password`} required />
);
