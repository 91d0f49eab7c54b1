import type { Facts } from '../facts/facts.ts';
import { valueIn } from '../facts/reading.ts';
import type { Cause } from '../schema.ts';
import { remedy } from './draft.ts';

/** A version is suspected for this long after it was deployed. In ms. */
const suspectMs = 86_400_000;

/** Going back to the version before, if the present one is new; undefined: there is no reason to. */
export function codeRemedy({ at, tenant, operations }: Facts): Cause['remedy'] | undefined {
  const changes = (valueIn(operations) ?? []).filter(
    ({ kind, status }) => status === 'success' && (kind === 'deploy' || kind === 'upgrade'),
  );
  const current = tenant.deployed?.version;
  const [newest] = changes;
  if (!newest || !current || at.getTime() - newest.createdAt.getTime() > suspectMs) return undefined;
  const former = changes.find(({ version }) => version !== null && version !== current);
  if (!former || newest.version !== current) return undefined;
  return remedy(`Deploy ${former.version ?? ''} again, which ran before, and fix ${current}.`, {
    action: 'rollback',
    link: former.version
      ? `/tenants/${tenant.id}/upgrade?version=${encodeURIComponent(former.version)}`
      : `/tenants/${tenant.id}/deployments`,
  });
}
