import type { EventBus } from '../../adapters/events/bus.ts';
import type { FoundCause } from '../../lib/errors.ts';
import { may, type Role } from '../../lib/http/routing/roles.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import type { LiveRelease, Tenant } from '../tenants/tenants.ts';
import { createFleetReader } from './facts/fleet.ts';
import { type FactSources, gatherFacts } from './facts/gather.ts';
import { type Cause, type Diagnosis, diagnosis, type UnseenFaultCode } from './schema.ts';
import { diagnose, diagnoseStart, type UnseenState, unseenFaultsIn } from './tree/tree.ts';

export type { FactSources } from './facts/gather.ts';
export type { Cause, CauseCode, Diagnosis } from './schema.ts';

export { isOfApplication, isOfUnit } from './tree/tree.ts';

export interface DiagnosisService {
  routes: Route[];
  /** Why a tenant is not well; reuses an answer of the last seconds unless `fresh`. @throws AppError not_found */
  of(tenantId: string, options?: { fresh?: boolean }): Promise<Diagnosis>;
  /**
   * Why a release does not work that an operation has started, before the operation rolls it back; undefined: the facts don't
   * show it. With the evidence that viewers may see, because the record of an operation keeps it.
   */
  diagnoseStarted(tenant: Tenant, release: LiveRelease, options: { proxied: boolean }): Promise<FoundCause | undefined>;
  /** What a tenant's health checks do not see. @throws AppError not_found */
  unseenFaults(tenantId: string): Promise<ReadonlyMap<UnseenFaultCode, UnseenState>>;
  /** The title of the cause that was found in the last minutes; undefined if there was no request. Reads nothing. */
  lastTitle(tenantId: string): string | undefined;
}

/** Sources that viewers see elsewhere, too; the others name users, paths and hosts. */
const forViewers = /^(Health check|Log|Certificate|DNS|Application|Deployments)/;

/** The evidence that a role may see. */
export const visibleTo = <T extends Pick<Cause, 'evidence'>>(role: Role, found: T): T =>
  may(role, 'operate') ? found : { ...found, evidence: found.evidence.filter(({ source }) => forViewers.test(source)) };

/** An open page asks again and again. In ms. */
const reusedMs = 3_000;
/** A cause is shown in lists for this long. In ms. */
const shownMs = 10 * 60_000;

/** Finds out why tenants are not well; keeps only the last answers, in memory. */
export function createDiagnosis(sources: FactSources & { events: EventBus }): DiagnosisService {
  const fleet = createFleetReader(sources);
  const answers = new Map<string, { /** When it was found. */ at: number; answer: Promise<Diagnosis> }>();
  const last = new Map<string, { at: number; found: Diagnosis }>();

  sources.events.on('tenant_status', ({ tenant_id, status }) => {
    answers.delete(tenant_id);
    if (status === 'deleted') last.delete(tenant_id);
  });

  async function ask(tenantId: string): Promise<Diagnosis> {
    const found = diagnose(await gatherFacts(await sources.tenants.get(tenantId), { ...sources, fleet }));
    last.set(tenantId, { at: performance.now(), found });
    return found;
  }

  function of(tenantId: string, { fresh = false } = {}): Promise<Diagnosis> {
    const now = performance.now();
    const known = answers.get(tenantId);
    if (known && !fresh && now - known.at < reusedMs) return known.answer;
    const asked = { at: Number.POSITIVE_INFINITY, answer: ask(tenantId) };
    answers.set(tenantId, asked);
    const forget = (): void => {
      if (answers.get(tenantId) === asked) answers.delete(tenantId);
    };
    asked.answer.then(() => {
      asked.at = performance.now();
    }, forget);
    return asked.answer;
  }

  return {
    of,
    async diagnoseStarted(tenant, release, options) {
      const started: Tenant = { ...tenant, status: 'running', deployed: release };
      // The change that comes first is the operation; the key is not asked for: it may be a new one.
      const noChanges = { changesSince: async () => [], asksWithKey: async () => 'not_asked' as const };
      const facts = await gatherFacts(started, { ...sources, ...noChanges, fleet });
      const hasNewDatabase = tenant.deployed?.database !== release.database;
      const cause = diagnoseStart({ ...facts, busy: false }, { ...options, hasNewDatabase });
      if (!cause) return undefined;
      const { code, title, params, confidence, evidence, remedy } = visibleTo('viewer', cause);
      const found = {
        code,
        title,
        remedy: remedy?.text.replace(/\.$/, '') ?? null,
        diagnosis: { confidence, evidence },
      };
      return params ? { ...found, params } : found;
    },
    unseenFaults: async (tenantId) =>
      unseenFaultsIn(await gatherFacts(await sources.tenants.get(tenantId), { ...sources, fleet })),
    routes: [
      defineRoute(
        {
          method: 'get',
          path: '/api/tenants/{id}/diagnosis',
          tag: 'Health',
          summary: 'Get why a tenant is not well',
          description:
            'Checks the tenant and reads what the engine, the log, the reverse proxy, DNS and the manager’s records say, each within seconds. ' +
            'The answer is the first cause, not its effects, and is reused for three seconds. Without a cause, `known` is true for a tenant ' +
            'that is well, and false where the facts do not show the cause; `evidence` then says what fails and what could not be read.',
          access: 'view',
          responses: { 200: { schema: diagnosis } },
          errors: ['not_found'],
        },
        async ({ params, principal }) => {
          const found = visibleTo(principal.role, await of(params.id));
          return { ...found, cause: found.cause && visibleTo(principal.role, found.cause) };
        },
      ),
    ],
    lastTitle(tenantId) {
      const known = last.get(tenantId);
      return known && performance.now() - known.at < shownMs ? known.found.cause?.title : undefined;
    },
  };
}
