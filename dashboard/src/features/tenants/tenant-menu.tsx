import { useState } from 'react';
import type { Tenant } from '../../api/client.ts';
import { Icon } from '../../components/layout/icon.tsx';
import { Menu, type MenuEntry } from '../../components/layout/menu.tsx';
import { useHasRole } from '../accounts/session/session.tsx';
import { openDeployDialog } from '../tenant/deployments/deploy-button.tsx';
import { DeleteTenant } from './delete-tenant.tsx';
import { tenantsText } from './messages.ts';
import { type Control, controlConfirmation, mayControl } from './tenant-actions.ts';
import { TenantForm } from './tenant-form.tsx';

interface TenantMenuProps {
  tenant: Tenant;
  /** With a label where there is room. */
  bordered?: boolean;
  onDeleted?: () => void;
}

/** A tenant's actions, by the user's role and its state; empty if there are none. */
export function TenantMenu({ tenant, bordered = false, onDeleted }: TenantMenuProps) {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const operator = useHasRole('operator');
  const admin = useHasRole('admin');
  if (!operator) return null;
  const { deployed_at, name } = tenant;
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
  const entries: MenuEntry[] = [
    ...controlling('start'),
    ...controlling('restart'),
    {
      label: deployed_at ? tenantsText.actions.deployAgain : tenantsText.actions.deploy,
      icon: 'deploy',
      act: () => openDeployDialog(tenant),
    },
    { label: tenantsText.actions.edit, icon: 'edit', act: () => setOpen('edit') },
    // Actions that take the site down come last, so that an accidental click does not reach them.
    ...controlling('stop'),
    ...(admin
      ? [{ label: tenantsText.actions.delete, icon: 'remove' as const, act: () => setOpen('delete'), bad: true }]
      : []),
  ];
  return (
    <>
      <Menu
        label={tenantsText.list.actionsOf(name)}
        trigger={bordered ? tenantsText.actions.more : <Icon name="more" />}
        entries={entries}
        bordered={bordered}
      />
      {open === 'edit' && (
        <TenantForm tenantId={tenant.id} onClose={() => setOpen(undefined)} onSaved={() => undefined} />
      )}
      {open === 'delete' && (
        <DeleteTenant tenant={tenant} onClose={() => setOpen(undefined)} onDeleted={onDeleted ?? (() => undefined)} />
      )}
    </>
  );
}
