import { useState } from 'react';
import type { FullTenant } from '../../../api/client.ts';
import { queryClient } from '../../../api/queries.ts';
import { control, controlConfirmation } from '../../tenants/tenant-actions.ts';
import { servicesQuery } from './queries.ts';

/** Restarts a tenant's services after a confirmation, then reads the configuration they run with. */
export function useRestart(tenant: FullTenant): { restarting: boolean; restart(): void } {
  const [restarting, setRestarting] = useState(false);
  const act = async (): Promise<void> => {
    setRestarting(true);
    await control('restart', tenant);
    await queryClient.invalidateQueries({ queryKey: servicesQuery(tenant.id).queryKey });
    setRestarting(false);
  };
  return { restarting, restart: () => controlConfirmation('restart', tenant, act) };
}
