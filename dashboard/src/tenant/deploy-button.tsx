import type { FullTenant } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { useMay } from '../session/session.tsx';
import { deployAsked } from '../tenants/tenant-actions.ts';
import { text } from '../text/en.ts';

/** Asks what to deploy, deploys it, and goes where it can be watched. */
export function DeployButton({ tenant }: { tenant: FullTenant }) {
  if (!useMay('operator')) return null;
  return (
    <Button look="primary" onClick={() => deployAsked(tenant)}>
      {tenant.deployed_at ? text.actions.deployAgain : text.actions.deploy}
    </Button>
  );
}
