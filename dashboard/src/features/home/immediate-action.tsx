import type { Tenant } from '../../api/client.ts';
import { Button } from '../../components/form/button.tsx';
import { useCreateBackup } from '../backups/use-create-backup.ts';
import { controlConfirmation, useControlling } from '../tenants/tenant-actions.ts';

interface ImmediateActionProps {
  kind: 'stopped' | 'backup_missing';
  tenant: Pick<Tenant, 'id' | 'name'>;
  label: { 'aria-label': string; children: string };
}

/** Starts a stopped tenant, or backs up one that has no backup. */
export function ImmediateAction({ kind, tenant, label }: ImmediateActionProps) {
  const controlling = useControlling(tenant.id) !== undefined;
  const backup = useCreateBackup(tenant.id);
  return kind === 'stopped' ? (
    <Button {...label} onClick={() => controlConfirmation('start', tenant)} disabled={controlling} />
  ) : (
    <Button {...label} onClick={() => backup.create()} disabled={backup.underWay} />
  );
}
