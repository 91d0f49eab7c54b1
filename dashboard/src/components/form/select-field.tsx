import { useId } from 'react';
import styles from '../components.module.css';
import { Select } from './select.tsx';

interface SelectFieldProps<T extends string> {
  label: string;
  hint?: string;
  value: T;
  options: Partial<Record<T, string>>;
  onChange(value: T): void;
  disabled?: boolean;
  /** The label is only for screen readers: a table header or sentence shows it. */
  bare?: boolean;
}

/** A choice of one of several options, with its label. */
export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, hint, value, options, onChange, disabled = false, bare } = props;
  const id = useId();
  const select = (
    <Select
      groups={[{ options: optionsOf(options as Record<string, string>) }]}
      value={value}
      disabled={disabled}
      onChange={(next) => onChange(next as T)}
      trigger={{
        id,
        ...(bare ? { 'aria-label': label } : {}),
        ...(hint ? { 'aria-describedby': `${id}-hint` } : {}),
      }}
    />
  );
  if (bare) return select;
  return (
    <div className={styles.field}>
      <label className={styles.label} htmlFor={id}>
        {label}
      </label>
      {select}
      {hint && (
        <span id={`${id}-hint`} className={styles.hint}>
          {hint}
        </span>
      )}
    </div>
  );
}

/** Names by value as options; the empty value first. */
export const optionsOf = (names: Readonly<Record<string, string>>) =>
  Object.entries(names)
    .sort(([a], [b]) => Number(a !== '') - Number(b !== ''))
    .map(([value, label]) => ({ value, label }));
