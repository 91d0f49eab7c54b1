import { AppError } from '../../../kernel/errors.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { FleetDependencies } from './dependencies.ts';

/** All repositories together may take this long to answer, in ms; who has not answered by then is taken to have the version. */
const patienceMs = 30_000;
const sideBySide = 4;

/**
 * Asks each repository once whether it has a version.
 * @returns the tenants whose repository has not; where it does not answer, the tenant's own upgrade will tell
 * @throws AppError not_found where every repository answered, and none has it
 */
export async function tenantsWithout(
  version: string,
  tenants: readonly Tenant[],
  { tenants: service, tagsOf }: Pick<FleetDependencies, 'tenants' | 'tagsOf'>,
): Promise<ReadonlySet<string>> {
  const byAddress = new Map<string, string[]>();
  for (const { id } of tenants) {
    const address = await service.repositoryOf(id).catch(() => null);
    if (address !== null) byAddress.set(address, [...(byAddress.get(address) ?? []), id]);
  }
  const without = new Set<string>();
  let mayHave = byAddress.size === 0;
  const signal = AbortSignal.timeout(patienceMs);
  const queue = [...byAddress];
  const worker = async (): Promise<void> => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      const [address, ids] = next;
      const tags = signal.aborted ? undefined : await tagsOf(address, signal).catch(() => undefined);
      if (tags === undefined || tags.has(version)) mayHave = true;
      else for (const id of ids) without.add(id);
    }
  };
  await Promise.all(Array.from({ length: sideBySide }, worker));
  if (!mayHave) throw new AppError('not_found', `No repository of these tenants has a version ${version}`);
  return without;
}
