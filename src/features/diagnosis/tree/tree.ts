import { clockDifferenceText } from '../../../lib/clock.ts';
import type { Facts } from '../facts/facts.ts';
import { valueIn } from '../facts/reading.ts';
import { type Cause, type CauseCode, type Diagnosis, type UnseenFaultCode, unseenFaultCodes } from '../schema.ts';
import { databaseRules } from './database-rules.ts';
import { type Draft, hasEnded, pageEvidence, type Rule, roles, seen } from './draft.ts';
import { hostRules, lateRules } from './host-rules.ts';
import { keyRules, pageRules, probeRules } from './page-rules.ts';
import { remedyAfterRollback } from './remedies.ts';
import { atNodes, atVersion } from './same-cause.ts';
import { outsideEvidence, redirectRules, siteRules, unseenRules } from './site-rules.ts';
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
  ...redirectRules,
  ...keyRules,
  ...lateRules,
];
/** Of a tenant whose health checks pass: what they don't see. */
const rulesIfHealthy: Rule[] = [...unseenRules, ...redirectRules, ...keyRules];

/** Of a release that a deployment or an upgrade has just started; those of the reverse proxy only if it is proven, too. */
const rulesOfStart: Rule[] = [...hostRules, ...existenceRules, ...databaseRules, ...unitRules, ...pageRules];

/** Causes in the application itself, which all tenants of a version may share. */
const ofApplication = new Set<CauseCode>([
  'out_of_memory',
  'schema_mismatch',
  'missing_module',
  'missing_program',
  'script_line_ends',
  'script_interpreter_missing',
  'script_not_executable',
  'script_is_directory',
  'program_wrong_platform',
  'code_invalid',
  'uncaught_exception',
  'application_error',
  'unit_crashed',
  'unit_killed',
  'not_listening',
  'application_hangs',
  'application_unwell',
  'application_fails',
  'page_missing',
  'user_steps_failed',
  'answer_invalid',
  'missing_variable',
  'permission_denied',
  'listen_refused',
]);

/** Others that a change of the tenant may bring about. */
const afterChange = new Set<CauseCode>([
  ...ofApplication,
  'database_refused',
  'database_missing',
  'database_unreachable',
  'port_in_use',
  'name_unresolved',
  'service_unreachable',
  'cannot_start',
  'start_failed',
  'site_changed',
  'proxy_misroutes',
  'api_key_refused',
]);

/** Causes that a wrong clock may bring about. */
const ofClocks = new Set<CauseCode>([
  'certificate_not_yet_valid',
  'certificate_expired',
  'certificate_expiring',
  'api_key_refused',
]);

/** Whether a cause is in the application itself. */
export const isOfApplication = (code: string): boolean => (ofApplication as ReadonlySet<string>).has(code);

/** Other ways in which a unit fails on its own. */
const ofUnit = new Set<CauseCode>([
  'cannot_start',
  'name_unresolved',
  'port_in_use',
  'service_unreachable',
  'start_failed',
  'start_failed_after_change',
  'unit_unreachable',
]);

/** Whether a cause is that of one unit: a crash, an exit, an error in its log, no answer. */
export const isOfUnit = (code: string): boolean => isOfApplication(code) || (ofUnit as ReadonlySet<string>).has(code);

/** Derives the first cause from the facts. Pure and deterministic; it says "not known" rather than guess. */
export function diagnose(facts: Facts): Diagnosis {
  const isHealthy = valueIn(facts.health)?.overall === 'healthy';
  const found = firstOf(isHealthy ? rulesIfHealthy : rules, facts);
  return {
    tenant_id: facts.tenant.id,
    at: facts.at.toISOString(),
    cause: found ? completed(found, facts) : null,
    known: found !== undefined || isHealthy,
    evidence: found || isHealthy ? [] : evidenceWithoutCause(facts),
  };
}

/** Whether a healthy tenant has a fault: its title, if it does; `unknown`: its fact could not be read. */
export type UnseenState = { title: string } | 'none' | 'unknown';

/** What the health checks of a healthy tenant do not see, each fault for itself. */
export function unseenFaultsIn(facts: Facts): ReadonlyMap<UnseenFaultCode, UnseenState> {
  const isHealthy = valueIn(facts.health)?.overall === 'healthy';
  const [dns, redirect, key] = [unseenRules, redirectRules, keyRules].map((some) => firstOf(some, facts));
  const knowsDns = dns || valueIn(facts.site.dns)?.every(({ state }) => state !== 'unknown');
  const knowsKey = key || valueIn(facts.apiKey) === 'accepted';
  const stateOf = (code: UnseenFaultCode): UnseenState => {
    const found = [dns, redirect, key].find((draft) => draft?.code === code);
    const knows = { api_key_refused: knowsKey, redirects_to_itself: facts.site.selfRedirect.known };
    const isKnown = isHealthy && (code in knows ? knows[code as keyof typeof knows] : knowsDns);
    return isKnown ? (found ? { title: found.title } : 'none') : 'unknown';
  };
  return new Map(unseenFaultCodes.map((code) => [code, stateOf(code)]));
}

/**
 * Why a release does not work that a change has started and will roll back; undefined: the facts don't show it.
 * @param options.proxied whether the site must answer through the reverse proxy, too
 * @param options.hasNewDatabase whether the tenant had none before: the application may not have come to make it
 */
export function diagnoseStart(
  facts: Facts,
  { proxied, hasNewDatabase }: { proxied: boolean; hasNewDatabase: boolean },
): Cause | undefined {
  const overall = valueIn(facts.health)?.overall;
  // What degrades a tenant does not fail a change.
  if (overall === 'healthy' || overall === 'degraded') return undefined;
  const found = firstOf(
    proxied ? [...rulesOfStart, ...siteRules] : rulesOfStart,
    facts,
    ({ code }) => !(hasNewDatabase && code === 'database_missing'),
  );
  return found && completed({ ...found, remedy: remedyAfterRollback(found) }, facts);
}

/** What fails, and which facts could not be read: the cause may be behind one of them. */
function evidenceWithoutCause(facts: Facts): Cause['evidence'] {
  const { engine, databaseAheadMs, nodes, disks, health, units, release, site, apiKey } = facts;
  const database = valueIn(health)?.database;
  const states = [units.api, units.frontend].flatMap(({ state, log }) => [state, log]);
  const readings = [engine, nodes, disks, health, ...states, release, site.proxy, site.certificate, site.dns];
  const unread = [...readings, databaseAheadMs, apiKey].filter(({ known }) => !known);
  return [
    ...roles.flatMap((role) => pageEvidence(facts, role)),
    ...outsideEvidence(facts),
    ...(database?.error ? [seen(health, `The database’s check: ${database.error}`)] : []),
    ...unread.map((reading) => seen(reading, '')),
  ];
}

function firstOf(
  candidates: readonly Rule[],
  facts: Facts,
  counts: (draft: Draft) => boolean = () => true,
): Draft | undefined {
  for (const rule of candidates) {
    const draft = rule(facts);
    if (draft && counts(draft)) return draft;
  }
  return undefined;
}

function completed(draft: Draft, facts: Facts): Cause {
  const evidence = [
    ...draft.evidence,
    ...(ofClocks.has(draft.code) ? clockDifferences(facts) : []),
    ...(afterChange.has(draft.code) ? changeBefore(facts) : []),
  ];
  const consequences = consequencesOf(draft, facts);
  if (draft.scope.kind !== 'tenant') return { ...draft, evidence, consequences };
  const ofVersion = afterChange.has(draft.code) ? atVersion(draft.code, facts) : undefined;
  const isOfVersion = ofVersion?.all === true && ofApplication.has(draft.code);
  return {
    ...draft,
    scope: isOfVersion ? { kind: 'version', name: facts.tenant.deployed?.version ?? '' } : draft.scope,
    evidence: [...evidence, ...(ofVersion?.evidence ?? []), ...atNodes(draft.code, facts)],
    consequences,
  };
}

/** Clocks that differ from the manager's, by which certificates and tokens are judged here. */
function clockDifferences({ engine, databaseAheadMs }: Facts): Cause['evidence'] {
  const answer = valueIn(engine);
  const ofEngine = clockDifferenceText('container engine', answer?.available ? answer.clockAheadMs : undefined);
  const ofDatabase = clockDifferenceText('database server', valueIn(databaseAheadMs));
  return [...(ofEngine ? [seen(engine, ofEngine)] : []), ...(ofDatabase ? [seen(databaseAheadMs, ofDatabase)] : [])];
}

/** The last change of the tenant before now, and by whom: it may be the reason, and is never more than a hint. */
function changeBefore({ changes }: Facts): Cause['evidence'] {
  const [last] = valueIn(changes) ?? [];
  return last ? [seen(changes, `The last change: ${last.what}`, last.at)] : [];
}

const onlyLater = new Set<CauseCode>(['certificate_expiring', 'not_deployed']);

/** What follows from a cause, as the checks found it: for visitors first. */
function consequencesOf({ code }: Draft, facts: Facts): string[] {
  const health = valueIn(facts.health);
  if (code === 'certificate_expiring') return ['Browsers will warn of the site once it has expired.'];
  if (code === 'api_key_refused') return ['Lists cannot be imported, and the application’s figures are missing.'];
  if (code === 'dns_missing' || code === 'dns_elsewhere' || code === 'redirects_to_itself')
    return ['Visitors do not reach the site by this name.'];
  if (code.startsWith('certificate_')) return ['Browsers warn of the site, and most visitors leave it.'];
  if (!health || onlyLater.has(code)) return [];
  const { pages, proxy, database, userSteps } = health;
  if (code === 'user_steps_failed' && userSteps?.check) return [`Users cannot finish “${userSteps.check}”.`];
  const [apiDown, frontendDown] = [down(facts, 'api'), down(facts, 'frontend')];
  const forVisitors =
    frontendDown && apiDown
      ? ['Visitors see an error page.']
      : frontendDown
        ? ['Visitors see an error page instead of the site.']
        : apiDown
          ? ['Pages load, but signing in, searching and saving fail for every visitor.']
          : proxy?.status === 'down'
            ? ['Visitors do not reach the site, though its services answer.']
            : database.status !== 'healthy'
              ? ['Requests that need the database may fail.']
              : [];
  const isRoot = code.startsWith('database_') || code === 'disk_full';
  const ends = isRoot && (hasEnded(facts, 'api') || hasEnded(facts, 'frontend'));
  const engine = code === 'engine_unavailable' ? ['Nothing can be started, stopped or deployed there.'] : [];
  return [...forVisitors, ...(ends ? ['The services end again whenever they are started.'] : []), ...engine];

  function down(facts: Facts, role: 'api' | 'frontend'): boolean {
    return pages[role].status === 'down' || hasEnded(facts, role);
  }
}
