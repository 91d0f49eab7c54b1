import { TextField } from '../../../components/form/text-field.tsx';

interface PasswordFieldProps {
  name: string;
  label: string;
  hint?: string;
  value: string;
  onChange(value: string): void;
  /** Whether it is known, or being chosen: password managers fill in the one and offer to make the other. */
  which: 'current' | 'new';
  error?: string | undefined;
  autoFocus?: boolean;
}

/** A password of who sits there: never shown, never left out. */
export const PasswordField = ({ which, ...field }: PasswordFieldProps) => (
  <TextField {...field} type="password" autoComplete={`${which}-password`} required />
);
