import type { FullTenant } from '../../../api/client.ts';
import { Button } from '../../../components/form/button.tsx';
import { text } from '../../../lib/messages.ts';
import { useMay } from '../../accounts/session/session.tsx';
import { deployAsked } from '../../tenants/tenant-actions.ts';

/** Asks what to deploy, deploys it, and goes where it can be watched. */
export function DeployButton({ tenant }: { tenant: FullTenant }) {
  if (!useMay('operator')) return null;
  return (
    <Button look="primary" onClick={() => deployAsked(tenant)}>
      {tenant.deployed_at ? text.actions.deployAgain : text.actions.deploy}
    </Button>
  );
}
