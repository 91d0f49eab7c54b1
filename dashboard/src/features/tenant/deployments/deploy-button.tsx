import type { FullTenant, Tenant } from '../../../api/client.ts';
import { openLoadedDialog } from '../../../components/feedback/dialogs.tsx';
import { Button } from '../../../components/form/button.tsx';
import { useHasRole } from '../../accounts/session/session.tsx';
import { tenantsText } from '../../tenants/messages.ts';

/** Asks what to deploy, starts the deployment and opens its page. */
export const openDeployDialog = (
  tenant: Pick<Tenant, 'id' | 'name' | 'version' | 'deployed_at'>,
  commit?: string,
): void =>
  openLoadedDialog(async () => {
    const { DeployDialog } = await import('./deploy-dialog.tsx');
    return (close) => <DeployDialog tenant={tenant} commit={commit} onClose={close} />;
  });

/** Of a tenant that is deployed, it is in the head of the page. */
export function DeployButton({ tenant }: { tenant: FullTenant }) {
  if (!useHasRole('operator')) return null;
  const isFirst = tenant.deployed_at === null;
  return (
    <Button variant={isFirst ? 'primary' : 'plain'} onClick={() => openDeployDialog(tenant)}>
      {isFirst ? tenantsText.actions.deploy : tenantsText.actions.deployOther}
    </Button>
  );
}
