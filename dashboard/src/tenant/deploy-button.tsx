import { useState } from 'react';
import { useNavigate } from 'react-router';
import type { FullTenant } from '../api/client.ts';
import { Button } from '../parts/button.tsx';
import { useMay } from '../session/session.tsx';
import { deploy } from '../tenants/tenant-actions.ts';
import { text } from '../text/en.ts';

/** Begins a deployment and goes where it can be watched. */
export function DeployButton({ tenant: { id, deployed_at } }: { tenant: FullTenant }) {
  const [asking, setAsking] = useState(false);
  const navigate = useNavigate();
  if (!useMay('operator')) return null;
  return (
    <Button
      look="primary"
      disabled={asking}
      onClick={async () => {
        setAsking(true);
        const begun = await deploy(id);
        setAsking(false);
        if (begun) void navigate(`/tenants/${id}/deployments/${begun}`);
      }}
    >
      {deployed_at ? text.actions.deployAgain : text.actions.deploy}
    </Button>
  );
}
