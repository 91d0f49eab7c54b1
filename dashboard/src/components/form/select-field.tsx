import { useId } from 'react';
import styles from '../components.module.css';

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

/** A native select, which works by keyboard and on small screens. */
export function SelectField<T extends string>(props: SelectFieldProps<T>) {
  const { label, hint, value, options, onChange, disabled = false, bare } = props;
  const id = useId();
  const select = (
    <select
      id={id}
      className={styles.control}
      value={value}
      disabled={disabled}
      onChange={(event) => onChange(event.target.value as T)}
      {...(bare ? { 'aria-label': label } : {})}
      {...(hint ? { 'aria-describedby': `${id}-hint` } : {})}
    >
      {Object.entries(options as Record<string, string>).map(([option, name]) => (
        <option key={option} value={option}>
          {name}
        </option>
      ))}
    </select>
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
