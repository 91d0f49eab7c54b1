import type { Facts } from '../facts/facts.ts';
import { valueIn } from '../facts/reading.ts';
import type { Cause, CauseCode, Diagnosis } from '../schema.ts';
import { consequencesOf } from './consequences.ts';
import { databaseRules } from './database-rules.ts';
import { type Draft, type Rule, seen } from './draft.ts';
import { hostRules, lateRules } from './host-rules.ts';
import { keyRules, pageRules, probeRules } from './page-rules.ts';
import { siteRules, unseenRules } from './site-rules.ts';
import { existenceRules, unitRules } from './unit-rules.ts';

/**
 * In order: a root is looked for before its effects. Without the engine nothing is known of units; a unit that does not exist
 * uses no database; without its database it ends; and only what answers directly can answer through the reverse proxy.
 */
const rules: Rule[] = [
  ...hostRules,
  ...existenceRules,
  ...databaseRules,
  ...unitRules,
  ...pageRules,
  ...siteRules,
  ...probeRules,
  ...unseenRules,
  ...keyRules,
  ...lateRules,
];
/** Of a tenant whose health checks pass: what they don't see. */
const rulesIfHealthy: Rule[] = [...unseenRules, ...keyRules];

/** Causes in the application itself, which all tenants of a version may share. */
const ofApplication = new Set<CauseCode>([
  'out_of_memory',
  'schema_mismatch',
  'missing_module',
  'missing_program',
  'code_invalid',
  'application_error',
  'unit_crashed',
  'unit_killed',
  'not_listening',
  'application_hangs',
  'application_unwell',
  'application_fails',
  'page_missing',
  'answer_invalid',
  'missing_variable',
  'permission_denied',
  'listen_refused',
]);

/** Derives the first cause from the facts. Pure and deterministic; it says "not known" rather than guess. */
export function diagnose(facts: Facts): Diagnosis {
  const isHealthy = valueIn(facts.health)?.overall === 'healthy';
  const found = firstOf(isHealthy ? rulesIfHealthy : rules, facts);
  return {
    tenant_id: facts.tenant.id,
    at: facts.at.toISOString(),
    cause: found ? completed(found, facts) : null,
    known: found !== undefined || isHealthy,
  };
}

function firstOf(candidates: readonly Rule[], facts: Facts): Draft | undefined {
  for (const rule of candidates) {
    const draft = rule(facts);
    if (draft) return draft;
  }
  return undefined;
}

function completed(draft: Draft, facts: Facts): Cause {
  const cause = { ...draft, consequences: consequencesOf(draft, facts) };
  if (!ofApplication.has(draft.code)) return cause;
  const evidence = [...draft.evidence, ...changeBefore(facts)];
  const { same, others } = valueIn(facts.fleet) ?? {};
  const version = facts.tenant.deployed?.version;
  const isShared = same !== undefined && same.tenants > 1 && same.unhealthy === same.tenants;
  if (!isShared || !version) return { ...cause, evidence };
  const fact = `${same.unhealthy} of ${same.tenants} tenants of ${version} are unhealthy, ${others?.unhealthy ?? 0} of ${others?.tenants ?? 0} of other versions`;
  return { ...cause, scope: { kind: 'version', name: version }, evidence: [...evidence, seen(facts.fleet, fact)] };
}

/** The last change of the tenant before now, and by whom: it may be the reason, and is never more than a hint. */
function changeBefore({ changes }: Facts): Cause['evidence'] {
  const [last] = valueIn(changes) ?? [];
  return last ? [seen(changes, `The last change: ${last.what}`, last.at)] : [];
}
