import type { Source } from '../../../adapters/git/source.ts';
import { mapConcurrently } from '../../../lib/concurrency/map-concurrently.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Tenant, Tenants } from '../../tenants/tenants.ts';
import { isNewer, latestVersion, type Version } from './target.ts';

/** Repositories asked at a time. */
const concurrency = 4;

/** Which tenants could be upgraded, as of the last look at their repositories. */
export interface UpdateChecks {
  /** Asks each repository once. One that can't be reached keeps its last answer. */
  run(signal: AbortSignal): Promise<void>;
  /** Whether all repositories were asked since the start. */
  hasRun(): boolean;
  /** The release that a tenant could be upgraded to; null: none is known, or a branch or commit is deployed. */
  updateOf(tenant: Tenant): string | null;
}

export function createUpdateChecks({
  tenants,
  source,
  logger,
}: {
  tenants: Pick<Tenants, 'each' | 'repositoryOf'>;
  source: Pick<Source, 'refs'>;
  logger: Pick<Logger, 'debug'>;
}): UpdateChecks {
  /** The latest release by repository. */
  let latest = new Map<string, Version | undefined>();
  let hasRun = false;

  /** Tenants of one repository may have different credentials: those of each are tried. */
  async function ask(repository: string, users: readonly Tenant[], signal: AbortSignal): Promise<Version | undefined> {
    for (const { id } of users) {
      try {
        const address = await tenants.repositoryOf(id);
        if (address !== null) return latestVersion(await source.refs(address, signal), { version: '', commit: '' });
      } catch (error) {
        if (signal.aborted) throw error;
        logger.debug({ tenant: id, message: messageOf(error) }, 'could not look for a new version');
      }
    }
    return latest.get(repository);
  }

  return {
    async run(signal) {
      const usersOf = new Map<string, Tenant[]>();
      for await (const tenant of tenants.each({ deployedOnly: true }))
        if (tenant.gitRepo) usersOf.set(tenant.gitRepo, [...(usersOf.get(tenant.gitRepo) ?? []), tenant].slice(-3));
      const found = new Map<string, Version | undefined>();
      await mapConcurrently(usersOf, concurrency, async ([repository, users]) => {
        found.set(repository, await ask(repository, users, signal));
      });
      latest = found;
      hasRun = true;
    },

    hasRun: () => hasRun,

    updateOf({ deployed, gitRepo }) {
      if (!deployed?.version || !gitRepo) return null;
      const target = latest.get(gitRepo);
      return target && isNewer(target, deployed) ? target.version : null;
    },
  };
}
