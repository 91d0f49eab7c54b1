import { Icon } from '../layout/icon.tsx';
import styles from './search-field.module.css';

interface SearchFieldProps {
  /** Read out; what is shown while it is empty is the placeholder. */
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
