import PQueue from 'p-queue';
import { z } from 'zod';
import { isMasked, type RepositoryRules, repositoryProblem } from '../../../adapters/git/address-rule.ts';
import type { Source } from '../../../adapters/git/source.ts';
import { latestRelease, type RemoteRefs, versionTags } from '../../../adapters/git/versions.ts';
import { RateLimiterMemory } from '../../../lib/concurrency/rate-limiter-memory.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import { AppError } from '../../../lib/errors.ts';
import { disconnectSignal } from '../../../lib/http/requests/client-disconnected.ts';
import { defineRoute, type Route } from '../../../lib/http/routing/route.ts';
import { gitRepo } from '../schema.ts';

const timeoutMs = 15_000;
/** Checks of one user in a minute: a form checks while its user types. */
const maxPerMinute = 30;
/** Each check is a process of git. */
const maxConcurrent = 3;
const maxQueued = 30;
const maxVersions = 100;

const request = z.strictObject({ git_repo: gitRepo.trim().min(1) }).meta({ id: 'RepositoryCheckRequest' });

const result = z
  .object({
    reachable: z.boolean(),
    reason: z.string().nullable().meta({ description: 'Why it can’t be used; null if `reachable`' }),
    default_branch: z.string().nullable().meta({ description: 'null: unreachable or empty' }),
    latest: z.string().nullable().meta({ description: 'The highest release; null: none' }),
    versions: z.array(z.string()).meta({ description: `Version tags, highest first, at most ${maxVersions}` }),
    version_count: z.int(),
  })
  .meta({ id: 'RepositoryCheck' });

interface RepositoryCheckDeps {
  source: Pick<Source, 'refs'>;
  rules: RepositoryRules;
}

/** Checks a repository before a tenant has it. */
export function createRepositoryCheck({ source, rules }: RepositoryCheckDeps): { routes: Route[] } {
  const limiter = new RateLimiterMemory({ points: maxPerMinute, duration: 60 });
  const queue = new PQueue({ concurrency: maxConcurrent });

  async function countCheck(userId: string): Promise<void> {
    const { consumedPoints, msBeforeNext } = await limiter.penalty(userId);
    if (consumedPoints <= maxPerMinute && queue.size < maxQueued) return;
    throw new AppError('rate_limited', 'Too many repository checks; try again later', {
      headers: { 'Retry-After': String(Math.ceil(msBeforeNext / 1_000)) },
    });
  }

  /** @throws the reason of `disconnected` */
  async function check(address: string, disconnected: AbortSignal): Promise<z.input<typeof result>> {
    if (isMasked(address)) return unusable('contains *** instead of the credentials: enter them again');
    const problem = repositoryProblem(address, rules);
    if (problem !== undefined) return unusable(problem);
    const signal = AbortSignal.any([disconnected, AbortSignal.timeout(timeoutMs)]);
    try {
      // Also ends the wait for a name server, which git's signal does not reach.
      const refs = await queue.add(() => withTimeout(() => source.refs(address, signal), { signal }), { signal });
      return found(refs);
    } catch (error) {
      disconnected.throwIfAborted();
      if (signal.aborted) return unusable(`The repository did not answer within ${timeoutMs / 1_000} seconds.`);
      if (error instanceof AppError && error.code === 'git_error') return unusable(error.message);
      throw error;
    }
  }

  return {
    routes: [
      defineRoute(
        {
          method: 'post',
          path: '/api/tenants/repository-check',
          tag: 'Tenants',
          summary: 'Check a repository',
          description:
            `Asks the repository for its versions, as a deployment does and by the same rules for addresses. Saves nothing. ` +
            `Answers within ${timeoutMs / 1_000} seconds; at most ${maxPerMinute} checks a minute for each user.`,
          access: 'operate',
          body: request,
          responses: { 200: { schema: result } },
          errors: ['rate_limited'],
        },
        async ({ body, principal, response }) => {
          await countCheck(principal.userId);
          return check(body.git_repo, disconnectSignal(response));
        },
      ),
    ],
  };
}

const unusable = (reason: string): z.input<typeof result> => ({
  reachable: false,
  reason,
  default_branch: null,
  latest: null,
  versions: [],
  version_count: 0,
});

function found(refs: RemoteRefs): z.input<typeof result> {
  const versions = versionTags(refs);
  return {
    reachable: true,
    reason: null,
    default_branch: refs.head?.branch ?? null,
    latest: latestRelease(refs) ?? null,
    versions: versions.slice(0, maxVersions),
    version_count: versions.length,
  };
}
