import { memo } from 'react';
import type { Tenant } from '../../../api/client.ts';
import styles from './bulk.module.css';
import { bulkText } from './messages.ts';
import type { SelectRow } from './selection.ts';

interface SelectBoxProps {
  tenant: Pick<Tenant, 'id' | 'name'>;
  selected: boolean;
  onSelect: SelectRow;
}

/** Selects a row; with Shift held, all from the one that was chosen before. */
export const SelectBox = memo(({ tenant: { id, name }, selected, onSelect }: SelectBoxProps) => (
  <label className={styles.one}>
    <input
      type="checkbox"
      aria-label={bulkText.selectOne(name)}
      checked={selected}
      onChange={(event) => {
        const { nativeEvent, target } = event;
        onSelect(id, target.checked, 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true);
      }}
    />
  </label>
));
