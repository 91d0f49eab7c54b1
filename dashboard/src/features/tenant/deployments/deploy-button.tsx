import { lazy } from 'react';
import type { FullTenant, Tenant } from '../../../api/client.ts';
import { openDialog } from '../../../components/feedback/dialogs.tsx';
import { Button } from '../../../components/form/button.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { tenantsText } from '../../tenants/messages.ts';

/** Loaded on first use. */
const DeployDialog = lazy(async () => ({ default: (await import('./deploy-dialog.tsx')).DeployDialog }));

/** Asks what to deploy, starts the deployment and opens its page. */
export const openDeployDialog = (tenant: Pick<Tenant, 'id' | 'name' | 'deployed_at'>, commit?: string): void =>
  openDialog((close) => <DeployDialog tenant={tenant} commit={commit} onClose={close} />);

export function DeployButton({ tenant }: { tenant: FullTenant }) {
  if (!useHasRole('operator')) return null;
  return (
    <Button variant="primary" onClick={() => openDeployDialog(tenant)}>
      {tenant.deployed_at ? tenantsText.actions.deployAgain : tenantsText.actions.deploy}
    </Button>
  );
}
