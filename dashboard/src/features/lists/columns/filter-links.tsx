import { Link, useSearchParams } from 'react-router';
import styles from '../lists.module.css';

interface FilterLinksProps {
  label: string;
  /** The URL parameter for the choice; absent for the first entry. */
  name: string;
  entries: Record<string, string>;
  value: string;
}

/** Switches between a few views of the same rows; kept in the URL. */
export function FilterLinks({ label, name, entries, value }: FilterLinksProps) {
  const [search] = useSearchParams();
  return (
    <nav className={styles.filter} aria-label={label}>
      {Object.entries(entries).map(([entry, words], at) => {
        const next = new URLSearchParams(search);
        if (at === 0) next.delete(name);
        else next.set(name, entry);
        return (
          <Link
            key={entry}
            replace
            preventScrollReset
            to={{ search: next.toString() }}
            {...(entry === value ? { 'aria-current': 'true' as const } : {})}
          >
            {words}
          </Link>
        );
      })}
    </nav>
  );
}
