import { Icon } from '../layout/icon.tsx';
import styles from './search-field.module.css';

interface SearchFieldProps {
  /** The accessible name; the placeholder is the visible hint. */
  label: string;
  placeholder: string;
  value: string;
  onChange(value: string): void;
  maxLength?: number;
}

export const SearchField = ({ label, placeholder, value, onChange, maxLength }: SearchFieldProps) => (
  <div className={styles.field}>
    <Icon name="search" />
    <input
      type="search"
      aria-label={label}
      placeholder={placeholder}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      {...(maxLength === undefined ? {} : { maxLength })}
    />
  </div>
);
