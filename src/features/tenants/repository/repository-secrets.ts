import {
  isMasked,
  maskCredentials,
  type RepositoryRules,
  repositoryProblem,
} from '../../../adapters/git/address-rule.ts';
import { invalid } from '../../../lib/errors.ts';
import type { SecretBox } from '../../../lib/secret-box.ts';
import type { TenantRow } from '../store.ts';

export type RepositoryColumns = Pick<TenantRow, 'gitRepo' | 'gitRepoSealed'>;

const none: RepositoryColumns = { gitRepo: null, gitRepoSealed: null };
/** Binds a repository's sealed address to its tenant (additional authenticated data). */
export const repositoryContext = (tenantId: string): string => `tenant:${tenantId}:git_repo`;

/** Stores repository addresses in two columns: a masked one for display and a sealed one with credentials. */
export function createRepositorySecrets(secretBox: SecretBox, rules: RepositoryRules) {
  return {
    /**
     * The columns for an address that the user typed; empty or null: none. The displayed address, sent back, keeps the stored one.
     * @throws AppError validation_error
     */
    columnsOf(tenantId: string, typed: string | null, stored: RepositoryColumns = none): RepositoryColumns {
      const address = typed?.trim() ?? '';
      if (address === '') return none;
      if (address === stored.gitRepo) return { gitRepo: stored.gitRepo, gitRepoSealed: stored.gitRepoSealed };
      if (isMasked(address))
        throw invalid('git_repo', 'contains *** instead of the credentials: enter them again, or omit the field');
      const problem = repositoryProblem(address, rules);
      if (problem) throw invalid('git_repo', problem);
      const shown = maskCredentials(address);
      return {
        gitRepo: shown,
        gitRepoSealed: shown === address ? null : secretBox.seal(address, repositoryContext(tenantId)),
      };
    },

    /** The address for git, with credentials. */
    addressOf(tenantId: string, { gitRepo, gitRepoSealed }: RepositoryColumns): string | null {
      return gitRepoSealed === null ? gitRepo : secretBox.open(gitRepoSealed, repositoryContext(tenantId));
    },
  };
}

export type RepositorySecrets = ReturnType<typeof createRepositorySecrets>;
