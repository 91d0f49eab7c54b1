import type { Tenant } from '../../../api/client.ts';
import parts from '../../../components/components.module.css';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { Button } from '../../../components/form/button.tsx';
import { Overlay } from '../../../components/layout/overlays.tsx';
import { text } from '../../../lib/messages.ts';
import { type Control, mayControl } from '../tenant-actions.ts';
import styles from './bulk.module.css';
import { bulkText } from './messages.ts';
import { startBulk } from './operations.ts';
import { selection } from './selection.ts';

interface ConfirmControlProps {
  action: Control;
  selected: readonly Tenant[];
  onClose(): void;
}

/** Confirms a bulk action: names the tenants, and those left out with the reason. */
export function ConfirmControl({ action, selected, onClose }: ConfirmControlProps) {
  const meant = selected.filter((tenant) => mayControl(action, tenant));
  const leftOut = selected.filter((tenant) => !mayControl(action, tenant));
  const { title, hint, submit } = bulkText.confirm[action];
  if (meant.length === 0)
    return (
      <Overlay place="middle" title={bulkText.none[action]} hint={bulkText.noneHint} onClose={onClose}>
        <div className={parts.form}>
          <LeftOut action={action} tenants={leftOut} />
          <div className={parts.formEnd}>
            <Button onClick={onClose}>{text.close}</Button>
          </div>
        </div>
      </Overlay>
    );
  return (
    <Confirm
      title={title(meant.length)}
      hint={hint}
      submit={submit(meant.length)}
      bad={action === 'stop'}
      act={() => startBulk(action, meant)}
      onDone={() => selection.set({})}
      onClose={onClose}
    >
      <Names label={bulkText.which} names={meant.map(({ name }) => ({ name }))} />
      {leftOut.length > 0 && <LeftOut action={action} tenants={leftOut} />}
    </Confirm>
  );
}

function LeftOut({ action, tenants }: { action: Control; tenants: readonly Tenant[] }) {
  const why = ({ deployed_at }: Tenant): string => {
    if (deployed_at === null) return bulkText.whyLeftOut.notDeployed;
    return action === 'start' ? bulkText.whyLeftOut.runs : bulkText.whyLeftOut.stopped;
  };
  return (
    <Names
      label={bulkText.leftOut(tenants.length)}
      names={tenants.map((tenant) => ({ name: tenant.name, why: why(tenant) }))}
    />
  );
}

export const Names = ({ label, names }: { label: string; names: readonly { name: string; why?: string }[] }) => (
  <div>
    <h3 className={styles.small}>{label}</h3>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
    <section className={styles.names} tabIndex={0} aria-label={label}>
      <ul>
        {names.map(({ name, why }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two tenants may have one name, and the list never changes its order
          <li key={at}>
            <span>{name}</span>
            {why && <span className={styles.fine}>{why}</span>}
          </li>
        ))}
      </ul>
    </section>
  </div>
);
