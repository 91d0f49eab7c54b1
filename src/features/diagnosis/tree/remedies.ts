import type { Facts } from '../facts/facts.ts';
import { valueIn } from '../facts/reading.ts';
import type { Cause, CauseCode } from '../schema.ts';
import { type Draft, remedy } from './draft.ts';

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

const afterRollback: Partial<Record<CauseCode, string>> = {
  disk_full: 'Delete old backups or enlarge the disk, then try again.',
  port_in_use: 'Stop what uses the port, or give the tenant another port; then try again.',
  out_of_memory: 'Raise the memory limit of services in the settings, then try again.',
  unit_killed: 'Raise the memory limit of services in the settings if they need more, then try again.',
  database_refused: 'Check the tenant’s account at the database server, then try again.',
  page_missing: 'Correct the path in tenant.yaml or the application, then deploy the fixed version.',
};

/** What to do about a cause once the release is rolled back: there is nothing left to restart. */
export function remedyAfterRollback({ code, remedy: found }: Draft): Cause['remedy'] {
  const text = afterRollback[code];
  if (text !== undefined) return remedy(text);
  const { action } = found ?? {};
  if (action === 'restart' || action === 'redeploy') return remedy('See the operation’s log for its last words.');
  if (action === 'repair_site') return remedy('Look for another site with its host names at the reverse proxy.');
  if (action === 'rollback') return remedy('Fix it in the repository, then deploy the fixed version.');
  return found;
}
