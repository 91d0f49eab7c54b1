import { Field } from '@base-ui/react/field';
import type { ReactElement } from 'react';
import styles from '../components.module.css';

interface TextFieldProps {
  name: string;
  label: string;
  hint?: string;
  value?: string;
  onChange?(value: string): void;
  type?: 'text' | 'email' | 'url' | 'password' | 'date' | 'time' | 'datetime-local' | 'textarea';
  required?: boolean;
  autoComplete?: string;
  autoFocus?: boolean;
  /** The error of the manager or the form. */
  error?: string | undefined;
}

/** A labelled input with its error message. */
export function TextField(props: TextFieldProps) {
  const { name, label, hint, value, onChange, type = 'text', error, required, autoComplete, autoFocus } = props;
  const control: { render?: ReactElement } = type === 'textarea' ? { render: <textarea /> } : {};
  return (
    <Field.Root name={name} className={styles.field} invalid={error !== undefined}>
      <Field.Label className={styles.label}>{label}</Field.Label>
      <Field.Control
        {...control}
        {...(type === 'textarea' ? {} : { type })}
        className={styles.control}
        {...(value === undefined ? {} : { value })}
        {...(onChange ? { onValueChange: onChange } : {})}
        {...(required ? { required } : {})}
        {...(autoFocus ? { autoFocus } : {})}
        autoComplete={autoComplete ?? 'off'}
        spellCheck={false}
      />
      {hint && <Field.Description className={styles.hint}>{hint}</Field.Description>}
      {error !== undefined && (
        <Field.Error match={true} className={styles.wrong}>
          {error}
        </Field.Error>
      )}
    </Field.Root>
  );
}
