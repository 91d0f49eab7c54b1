import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { TenantApi } from '../../adapters/tenant-api/tenant-api.ts';
import { limits } from '../../adapters/tenant-api/user-steps/definition.ts';
import { runCheck, type SendToUnit } from '../../adapters/tenant-api/user-steps/run-check.ts';
import type { Sites } from '../sites/sites.ts';
import type { TenantConfigs } from '../tenant-config/tenant-config.ts';
import { type EnvironmentOf, type LiveRelease, portOf, spaceOf, type Tenant } from '../tenants/tenant.ts';
import type { Route, RunResults } from './schema.ts';
import type { CheckRun } from './store.ts';

const minute = 60_000;
/** A failure is checked again soon: it may be over, in ms. */
const retryAfterMs = minute;
/** A result without newer ones says nothing any more after this time, in ms. */
const minRelevantMs = 15 * minute;

/** What a run needs of the rest of the manager. */
export interface RunDeps {
  runtime: Pick<Runtime, 'address'>;
  tenantApi: Pick<TenantApi, 'send'>;
  site: Pick<Sites, 'visitor'>;
  configs: Pick<TenantConfigs, 'writtenEnvironment'>;
  environmentOf: EnvironmentOf;
}

export interface RunOptions {
  /** Also through the proxy, where the tenant has a site. */
  proxied: boolean;
  signal: AbortSignal;
}

/**
 * Runs all checks of a release on the tenant's units, then those that passed through the proxy. Each way has a minute.
 * @throws the signal's reason; Error if the environment can't be read
 */
export async function runChecks(
  tenant: Tenant,
  release: LiveRelease,
  deps: RunDeps,
  { proxied, signal }: RunOptions,
): Promise<RunResults> {
  const checks = release.checks ?? [];
  const environment = await environmentFor(tenant, release, deps);
  const domains = { frontend: tenant.domain, api: tenant.apiDomain };

  const direct: SendToUnit = async (role, request) => {
    const port = portOf(tenant, role);
    return deps.tenantApi.send(await deps.runtime.address({ tenant: spaceOf(tenant), role }, port), request);
  };
  const results = await runAll('units', checks, direct);
  const visitor = proxied ? await deps.site.visitor(tenant.id) : undefined;
  if (!visitor) return results;
  const passed = new Set(results.flatMap(({ name, status }) => (status === 'passed' ? [name] : [])));
  const answered = checks.filter(({ name }) => passed.has(name));
  return [...results, ...(await runAll('proxy', answered, visitor))];

  async function runAll(route: Route, chosen: typeof checks, send: SendToUnit): Promise<RunResults> {
    const deadline = performance.now() + limits.runMs;
    const ended: RunResults = [];
    for (const check of chosen) {
      const result = await runCheck(check, { send, environment, domains, deadline, signal });
      ended.push({ ...result, route });
    }
    return ended;
  }
}

/** What the units have rather than what is configured: a change waits for the next restart. */
async function environmentFor(
  tenant: Tenant,
  release: LiveRelease,
  { configs, environmentOf }: RunDeps,
): Promise<Record<string, string | undefined>> {
  // The file can't represent each value.
  return { ...(await environmentOf(tenant, release)), ...(await configs.writtenEnvironment(tenant)) };
}

/** The first failure of a run, as one line for people and its evidence; undefined: all passed. */
export function failureOf(
  results: RunResults,
): { check: string; step: string; text: string; detail: string } | undefined {
  const check = results.find(({ status }) => status === 'failed');
  const failed = check?.steps.find(({ status }) => status === 'failed');
  if (!check || !failed) return undefined;
  const way = check.route === 'proxy' ? ' through the proxy' : '';
  const kind = failed.cleanup ? 'cleanup step' : 'step';
  return {
    check: check.name,
    step: failed.name,
    text: `Check “${check.name}”, ${kind} “${failed.name}”${way}: ${failed.error ?? 'failed'}`,
    detail: check.steps.map(stepText).join('; '),
  };
}

function stepText({ name, status, status_code: code, duration_ms: ms }: RunResults[number]['steps'][number]): string {
  if (status === 'skipped') return `${name}: skipped`;
  return `${name}: ${status} (${code ?? 'no answer'}, ${ms} ms)`;
}

/** Whether the checks must run again. */
export function isDue(last: Pick<CheckRun, 'at' | 'status'> | undefined, minutes: number, now: Date): boolean {
  if (!last) return true;
  const pauseMs = last.status === 'failed' ? Math.min(retryAfterMs, minutes * minute) : minutes * minute;
  // The clock was set back.
  if (last.at > now) return true;
  return now.getTime() - last.at.getTime() >= pauseMs;
}

/** Whether a result still says something about the tenant: for three intervals, at least 15 minutes. */
export function isRelevant({ at }: Pick<CheckRun, 'at'>, minutes: number, now: Date): boolean {
  return now.getTime() - at.getTime() < Math.max(3 * minutes * minute, minRelevantMs);
}
