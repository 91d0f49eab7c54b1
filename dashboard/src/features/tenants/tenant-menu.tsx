import { useState } from 'react';
import type { Tenant } from '../../api/client.ts';
import { Icon } from '../../components/layout/icon.tsx';
import { createMenuHandle, Menu, type MenuEntry, MenuTrigger, SharedMenu } from '../../components/layout/menu.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { openDeployDialog } from '../tenant/deployments/deploy-button.tsx';
import { DeleteTenant } from './delete-tenant.tsx';
import { tenantsText } from './messages.ts';
import { type Control, controlConfirmation, mayControl } from './tenant-actions.ts';
import { TenantForm } from './tenant-form.tsx';

interface TenantMenuProps {
  tenant: Tenant;
  onDeleted(): void;
}

/** A tenant's actions, by the user's role and its state; empty if there are none. */
export function TenantMenu({ tenant, onDeleted }: TenantMenuProps) {
  const { entriesOf, dialogs } = useActions(onDeleted);
  if (!useHasRole('operator')) return null;
  return (
    <>
      <Menu
        label={tenantsText.list.actionsOf(tenant.name)}
        trigger={tenantsText.actions.more}
        entries={entriesOf(tenant)}
        bordered
      />
      {dialogs}
    </>
  );
}

const handle = createMenuHandle<Tenant>();

/** The button in a row of the list that opens the menu of the list for this tenant. */
export const RowMenuButton = ({ tenant }: Pick<TenantMenuProps, 'tenant'>) => (
  <MenuTrigger
    label={tenantsText.list.actionsOf(tenant.name)}
    trigger={<Icon name="more" />}
    shared={{ handle, payload: tenant }}
  />
);

/** The menu of the list, for the tenant whose button was pressed. */
export function RowMenu() {
  const { entriesOf, dialogs } = useActions(() => undefined);
  return (
    <>
      <SharedMenu handle={handle} entriesOf={entriesOf} />
      {dialogs}
    </>
  );
}

/** The entries of a tenant's menu, and the dialogs that they open. */
function useActions(onDeleted: () => void) {
  const [open, setOpen] = useState<{ dialog: 'edit' | 'delete'; tenant: Tenant }>();
  const admin = useHasRole('admin');
  function entriesOf(tenant: Tenant): MenuEntry[] {
    const controlling = (action: Control): MenuEntry[] =>
      mayControl(action, tenant)
        ? [
            {
              label: tenantsText.actions[action],
              icon: action,
              act: () => controlConfirmation(action, tenant),
              bad: action === 'stop',
            },
          ]
        : [];
    return [
      ...controlling('start'),
      ...controlling('restart'),
      {
        label: tenant.deployed_at ? tenantsText.actions.deployAgain(tenant.version) : tenantsText.actions.deploy,
        icon: 'deploy',
        act: () => openDeployDialog(tenant),
      },
      { label: tenantsText.actions.edit, icon: 'edit', act: () => setOpen({ dialog: 'edit', tenant }) },
      // Actions that take the site down come last, so that an accidental click does not reach them.
      ...controlling('stop'),
      ...(admin
        ? [
            {
              label: tenantsText.actions.delete,
              icon: 'remove' as const,
              act: () => setOpen({ dialog: 'delete', tenant }),
              bad: true,
            },
          ]
        : []),
    ];
  }
  const close = (): void => setOpen(undefined);
  const dialogs = (
    <>
      {open?.dialog === 'edit' && <TenantForm tenantId={open.tenant.id} onClose={close} onSaved={() => undefined} />}
      {open?.dialog === 'delete' && <DeleteTenant tenant={open.tenant} onClose={close} onDeleted={onDeleted} />}
    </>
  );
  return { entriesOf, dialogs };
}
