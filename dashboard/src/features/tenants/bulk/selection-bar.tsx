import { useMemo, useState } from 'react';
import { useNavigate } from 'react-router';
import type { Tenant } from '../../../api/client.ts';
import { Button, IconButton } from '../../../components/form/button.tsx';
import { Menu } from '../../../components/layout/menu.tsx';
import { type Control, controls } from '../tenant-actions.ts';
import styles from './bulk.module.css';
import { BulkDialog, type BulkWork, bulkWork } from './bulk-dialog.tsx';
import { ConfirmControl } from './confirm-control.tsx';
import { bulkText } from './messages.ts';
import { selection } from './selection.ts';

interface SelectionBarProps {
  tenants: readonly Tenant[];
  /** The tenants that match search and filters. */
  shown: readonly Tenant[];
}

/** The actions for the selected tenants. */
export function SelectionBar({ tenants, shown }: SelectionBarProps) {
  const ids = selection.use();
  const navigate = useNavigate();
  const [asking, setAsking] = useState<Control>();
  const [working, setWorking] = useState<BulkWork>();
  // In the list's order; tenants hidden by search and filters come last.
  const { selected, visible } = useMemo(() => {
    const here = shown.filter(({ id }) => ids[id]);
    const known = new Set(here);
    return {
      selected: [...here, ...tenants.filter((one) => ids[one.id] && !known.has(one))],
      visible: here.length,
    };
  }, [tenants, shown, ids]);
  const some = selected.length > 0;
  const hidden = selected.length - visible;
  return (
    <fieldset className={styles.bar} data-empty={!some || undefined} aria-label={bulkText.actions}>
      <span className={styles.count} role="status">
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
          <Menu
            label={bulkText.more}
            trigger={bulkText.more}
            bordered
            entries={bulkWork.map((action) => ({ label: bulkText.work[action].entry, act: () => setWorking(action) }))}
          />
          <IconButton variant="quiet" icon="close" label={bulkText.clear} onClick={() => selection.set({})} />
        </div>
      )}
      {working && <BulkDialog action={working} selected={selected} onClose={() => setWorking(undefined)} />}
      {asking && <ConfirmControl action={asking} selected={selected} onClose={() => setAsking(undefined)} />}
    </fieldset>
  );
}
