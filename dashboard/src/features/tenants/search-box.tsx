import { useEffect, useRef, useState } from 'react';
import { SearchField } from '../../components/form/search-field.tsx';
import { text } from '../../lib/messages.ts';
import styles from './tenants.module.css';

interface SearchBoxProps {
  /** As the address bar has it. */
  value: string;
  onChange(value: string): void;
}

/**
 * Shows what is typed at once. The address follows a little later, so that an input that showed the address alone would lose
 * letters of who types fast; an address that changes for another reason (a link, Back) is taken up.
 */
export function SearchBox({ value, onChange }: SearchBoxProps) {
  const [typed, setTyped] = useState(value);
  /** Told to the address and not seen there yet. */
  const told = useRef<string[]>([]);
  useEffect(() => {
    const at = told.current.lastIndexOf(value);
    told.current.splice(0, at === -1 ? told.current.length : at + 1);
    if (at === -1) setTyped(value);
  }, [value]);
  return (
    <div className={styles.search}>
      <SearchField
        label={text.list.search}
        placeholder={text.list.searchHint}
        value={typed}
        onChange={(next) => {
          setTyped(next);
          told.current.push(next);
          onChange(next);
        }}
      />
    </div>
  );
}
