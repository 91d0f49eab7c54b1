import { useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Tenant } from '../../../api/client.ts';
import { Button } from '../../../components/form/button.tsx';
import { type Control, controls } from '../tenant-actions.ts';
import styles from './bulk.module.css';
import { ConfirmControl } from './confirm-control.tsx';
import { bulkText } from './messages.ts';
import { select, selection } from './selection.ts';

interface SelectionBarProps {
  tenants: readonly Tenant[];
  /** The tenants that match search and filters. */
  shown: readonly Tenant[];
}

/** Selects all shown tenants, and offers the actions for the selected ones. */
export function SelectionBar({ tenants, shown }: SelectionBarProps) {
  const ids = selection.use();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<Control>();
  // In the list's order; tenants hidden by search and filters come last.
  const { selected, visible } = useMemo(() => {
    const here = shown.filter(({ id }) => ids.has(id));
    const known = new Set(here);
    return {
      selected: [...here, ...tenants.filter((one) => ids.has(one.id) && !known.has(one))],
      visible: here.length,
    };
  }, [tenants, shown, ids]);
  const all = shown.length > 0 && visible === shown.length;
  const box = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // HTML has no attribute for the indeterminate state.
    if (box.current) box.current.indeterminate = visible > 0 && !all;
  }, [visible, all]);
  const some = selected.length > 0;
  const hidden = selected.length - visible;
  return (
    <fieldset className={styles.bar} aria-label={bulkText.actions}>
      <label className={styles.all}>
        <input
          ref={box}
          type="checkbox"
          checked={all}
          onChange={(event) =>
            select(
              shown.map(({ id }) => id),
              event.target.checked,
            )
          }
        />
        <span className={some ? styles.unseen : undefined}>{bulkText.selectAll}</span>
      </label>
      <span className={styles.count} role="status">
        {!some && <span className={styles.hint}>{bulkText.hint}</span>}
        {some && <strong>{bulkText.selected(selected.length)}</strong>}
        {hidden > 0 && <span className={styles.fine}>{bulkText.hidden(hidden)}</span>}
      </span>
      {some && (
        <div className={styles.actions}>
          {controls.map((action) => (
            <Button key={action} onClick={() => setAsking(action)}>
              {bulkText[action]}
            </Button>
          ))}
          <Button
            onClick={() =>
              void navigate('/upgrades/new', { state: { tenants: selected.map(({ id, name }) => ({ id, name })) } })
            }
          >
            {bulkText.upgrade}
          </Button>
          <Button variant="quiet" onClick={() => selection.set(new Set())}>
            {bulkText.clear}
          </Button>
        </div>
      )}
      {asking && <ConfirmControl action={asking} selected={selected} onClose={() => setAsking(undefined)} />}
    </fieldset>
  );
}
