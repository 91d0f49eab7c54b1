import { AppError } from '../../lib/errors.ts';
import { gitTarget, type RepositoryAddress } from './address.ts';
import { type Git, GitFailure, type GitOptions, networkTimeoutMs } from './git.ts';
import type { HostRule } from './host-rule.ts';

/** Runs git against a repository's server; the arguments depend on the address, which a redirect may change. */
export type RemoteGit = (
  repository: RepositoryAddress,
  argumentsFor: (address: string) => readonly string[],
  options: Pick<GitOptions, 'signal' | 'onLine' | 'timeoutMs'>,
) => Promise<string>;

const maxRedirects = 5;

/**
 * Lets git connect only to addresses that the rule allows: the host's name is resolved here, and git gets the checked
 * addresses. Redirects are followed here, one by one and by the same rule, and only without credentials.
 * @throws AppError git_error
 */
export function createRemoteGit(git: Git, hosts: HostRule): RemoteGit {
  async function addressesOf(address: string): Promise<string[]> {
    const target = gitTarget(address);
    if (target === null)
      throw new AppError('git_error', 'The address of the repository does not name a host in its usual spelling');
    return target === undefined ? [] : hosts.addressesOf(target);
  }

  return async (repository, argumentsFor, options) => {
    let { address } = repository;
    const ends = performance.now() + (options.timeoutMs ?? networkTimeoutMs);
    // One timeout for all redirects together.
    const left = () => ({ ...options, timeoutMs: Math.max(1, Math.round(ends - performance.now())) });
    for (let redirects = 0; ; redirects += 1) {
      const current = { ...repository, address };
      const connection = { repository: current, addresses: await addressesOf(address) };
      try {
        return await git(argumentsFor(address), { ...left(), ...connection });
      } catch (error) {
        if (!isRedirect(error)) throw error;
        const { signal, timeoutMs } = left();
        const location = await redirectOf(current, { ...connection, signal, timeoutMs });
        if (repository.credentials) throw withCredentials(location);
        if (redirects === maxRedirects)
          throw new AppError('git_error', `The repository's server redirects more than ${maxRedirects} times`);
        address = location;
      }
    }
  };

  /** The redirect's target, as a repository's address without credentials. */
  async function redirectOf(repository: RepositoryAddress, options: GitOptions): Promise<string> {
    let location: string | undefined;
    await git(['ls-remote', '--end-of-options', repository.address], {
      ...options,
      // Headers only; git leaves credentials out of them.
      environment: { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' },
      onLine: (line) => {
        location = /<= Recv header: location: (\S{1,2000})$/i.exec(line)?.[1] ?? location;
      },
    }).catch((error: unknown) => {
      if (!isRedirect(error)) throw error;
    });
    const asked = `${repository.address.replace(/(?<!\/)\/$/, '')}/info/refs`;
    const url = location === undefined ? null : URL.parse(location, asked);
    if (!url || !/^https?:$/.test(url.protocol) || !url.pathname.endsWith('/info/refs'))
      throw new AppError('git_error', `The repository's server redirects to something that is no repository`);
    if (url.protocol === 'http:' && repository.address.startsWith('https:'))
      throw new AppError('git_error', `The repository's server redirects from https to http (${url.host})`);
    return url.origin + url.pathname.slice(0, -'/info/refs'.length);
  }
}

const isRedirect = (error: unknown): boolean =>
  error instanceof GitFailure && /returned error: 30[12378]\b/.test(error.printed);

const withCredentials = (location: string): AppError =>
  new AppError(
    'git_error',
    `The repository's server redirects to ${location}. Credentials are not sent to another address: set git_repo to the new one`,
  );
