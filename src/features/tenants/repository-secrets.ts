import { invalid } from '../../lib/errors.ts';
import type { SecretBox } from '../../lib/secret-box.ts';
import { isMasked, maskCredentials, type RepositoryRules, repositoryProblem } from './repository-address.ts';
import type { TenantRow } from './store.ts';

export type RepositoryColumns = Pick<TenantRow, 'gitRepo' | 'gitRepoSealed'>;

const none: RepositoryColumns = { gitRepo: null, gitRepoSealed: null };
/** What binds a repository's sealed address to its tenant. */
export const repositoryContext = (tenantId: string): string => `tenant:${tenantId}:git_repo`;

/** Keeps repository addresses apart from their credentials: one column to show, one sealed. */
export function createRepositorySecrets(secretBox: SecretBox, rules: RepositoryRules) {
  return {
    /**
     * The columns for an address as typed; empty or null: none. The address as it is shown, sent back, keeps what is stored.
     * @throws AppError validation_error
     */
    columnsOf(tenantId: string, typed: string | null, stored: RepositoryColumns = none): RepositoryColumns {
      const address = typed?.trim() ?? '';
      if (address === '') return none;
      if (address === stored.gitRepo) return { gitRepo: stored.gitRepo, gitRepoSealed: stored.gitRepoSealed };
      if (isMasked(address))
        throw invalid('git_repo', 'holds *** in place of the credentials: give them anew, or leave the field out');
      const problem = repositoryProblem(address, rules);
      if (problem) throw invalid('git_repo', problem);
      const shown = maskCredentials(address);
      return {
        gitRepo: shown,
        gitRepoSealed: shown === address ? null : secretBox.seal(address, repositoryContext(tenantId)),
      };
    },

    /** The address for git, with its credentials. */
    addressOf(tenantId: string, { gitRepo, gitRepoSealed }: RepositoryColumns): string | null {
      return gitRepoSealed === null ? gitRepo : secretBox.open(gitRepoSealed, repositoryContext(tenantId));
    },
  };
}

export type RepositorySecrets = ReturnType<typeof createRepositorySecrets>;
