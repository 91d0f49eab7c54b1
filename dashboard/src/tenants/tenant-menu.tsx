import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { Tenant } from '../api/client.ts';
import { Icon } from '../parts/icon.tsx';
import { Menu, type MenuEntry } from '../parts/menu.tsx';
import { useMay } from '../session/session.tsx';
import { text } from '../text/en.ts';
import { DeleteTenant } from './delete-tenant.tsx';
import { control, controls, deploy, mayControl } from './tenant-actions.ts';
import { TenantForm } from './tenant-form.tsx';

interface TenantMenuProps {
  tenant: Tenant;
  /** With a word on it, where there is room. */
  bordered?: boolean;
  onDeleted?: () => void;
}

/** What can be done with a tenant, by one's role and its state; nothing where that is nothing. */
export function TenantMenu({ tenant, bordered = false, onDeleted }: TenantMenuProps) {
  const [open, setOpen] = useState<'edit' | 'delete'>();
  const navigate = useNavigate();
  const operator = useMay('operator');
  const admin = useMay('admin');
  if (!operator) return null;
  const { id, deployed_at, name } = tenant;
  const entries: MenuEntry[] = [
    ...controls
      .filter((action) => mayControl(action, tenant))
      .map((action) => ({ label: text.actions[action], act: () => void control(action, tenant) })),
    {
      label: deployed_at ? text.actions.deployAgain : text.actions.deploy,
      act: () => void deploy(id).then((begun) => begun && navigate(`/tenants/${id}/deployments/${begun}`)),
    },
    { label: text.actions.edit, act: () => setOpen('edit') },
    ...(admin ? [{ label: text.actions.delete, act: () => setOpen('delete'), bad: true }] : []),
  ];
  return (
    <>
      <Menu
        label={text.list.actionsOf(name)}
        trigger={bordered ? text.actions.more : <Icon name="more" />}
        entries={entries}
        bordered={bordered}
      />
      {open === 'edit' && <TenantForm tenantId={id} onClose={() => setOpen(undefined)} onSaved={() => undefined} />}
      {open === 'delete' && (
        <DeleteTenant tenant={tenant} onClose={() => setOpen(undefined)} onDeleted={onDeleted ?? (() => undefined)} />
      )}
    </>
  );
}
