import type { TenantData } from '../../../adapters/runtimes/runtime.ts';
import { directorySizes } from '../../../lib/files/directory-sizes.ts';
import type { Tenant, Tenants } from '../../tenants/tenants.ts';

const timeoutMs = 120_000;

/** Measures what the files of all deployed tenants use, in bytes: their directories, and what the runtime keeps elsewhere. */
export async function measureDisks(
  { tenants, runtime }: { tenants: Pick<Tenants, 'each'>; runtime: { data: Pick<TenantData, 'usedBytes'> } },
  onBytes: (tenant: Tenant, bytes: number) => void,
  signal: AbortSignal,
): Promise<void> {
  const elsewhere = await runtime.data.usedBytes?.(signal);
  const deployed: Tenant[] = [];
  for await (const tenant of tenants.each({ deployedOnly: true })) deployed.push(tenant);
  const sizes = await directorySizes(
    deployed.map(({ directory }) => directory),
    { timeoutMs, signal },
  );
  for (const tenant of deployed) {
    const [own, other] = [sizes.get(tenant.directory), elsewhere?.get(tenant.id)];
    if (own !== undefined || other !== undefined) onBytes(tenant, (own ?? 0) + (other ?? 0));
  }
}
