import { type ChangeEvent, useEffect, useRef } from 'react';
import styles from './bulk.module.css';
import { bulkText } from './messages.ts';

interface SelectAllProps {
  all: boolean;
  some: boolean;
  onChange(event: ChangeEvent<HTMLInputElement>): void;
}

/** Selects all shown tenants. */
export function SelectAll({ all, some, onChange }: SelectAllProps) {
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // HTML has no attribute for the indeterminate state.
    if (box.current) box.current.indeterminate = some && !all;
  }, [some, all]);
  return (
    <label className={styles.one}>
      <input ref={box} type="checkbox" checked={all} onChange={onChange} />
      <span className={styles.all}>{bulkText.selectAll}</span>
    </label>
  );
}

interface SelectOneProps {
  name: string;
  selected: boolean;
  onChange(event: ChangeEvent<HTMLInputElement>): void;
}

/** Selects a tenant; with Shift, all from the last chosen one. */
export const SelectOne = ({ name, selected, onChange }: SelectOneProps) => (
  <label className={styles.one}>
    <input type="checkbox" aria-label={bulkText.selectOne(name)} checked={selected} onChange={onChange} />
  </label>
);
