import { mapConcurrently } from '../../../../lib/concurrency/map-concurrently.ts';
import { AppError } from '../../../../lib/errors.ts';
import type { Tenant } from '../../../tenants/tenant.ts';
import type { FleetsDeps } from '../fleet.ts';

/** Time limit for all repositories together, in ms; one that has not answered by then is assumed to have the version. */
const timeoutMs = 30_000;
const concurrency = 4;

/**
 * Looks a version up in each repository once.
 * @returns its commit by tenant, null without such a version or without a repository; tenants whose repository did not answer
 *   are missing: their own upgrade will find out
 * @throws AppError not_found if every repository answered and none has it
 */
export async function resolveVersion(
  version: string,
  tenants: readonly Tenant[],
  { tenants: service, tagsOf }: FleetsDeps,
): Promise<ReadonlyMap<string, string | null>> {
  const byAddress = new Map<string, string[]>();
  const offered = new Map<string, string | null>();
  for (const { id } of tenants) {
    const address = await service.repositoryOf(id).catch(() => undefined);
    if (address === null) offered.set(id, null);
    else if (address !== undefined) byAddress.set(address, [...(byAddress.get(address) ?? []), id]);
  }
  let mayHave = byAddress.size === 0;
  const signal = AbortSignal.timeout(timeoutMs);
  await mapConcurrently(byAddress, concurrency, async ([address, ids]) => {
    const tags = signal.aborted ? undefined : await tagsOf(address, signal).catch(() => undefined);
    if (tags === undefined || tags.has(version)) mayHave = true;
    if (tags !== undefined) for (const id of ids) offered.set(id, tags.get(version) ?? null);
  });
  if (!mayHave) throw new AppError('not_found', `No repository of these tenants has a version ${version}`);
  return offered;
}
