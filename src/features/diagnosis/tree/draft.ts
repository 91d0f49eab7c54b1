import type { UnitRole } from '../../../adapters/runtimes/runtime.ts';
import { causeTexts } from '../cause-texts.ts';
import type { Facts, HealthFinding, PageFinding } from '../facts/facts.ts';
import { wasJustRestarted } from '../facts/logs.ts';
import { type Reading, valueIn } from '../facts/reading.ts';
import type { Cause, RemedyAction } from '../schema.ts';

/** A cause without what follows from it. */
export type Draft = Omit<Cause, 'consequences'>;
/** Looks for some causes; pure. */
export type Rule = (facts: Facts) => Draft | undefined;

/** In the order in which they are looked at: the frontend often fails because of the backend. */
export const roles = ['api', 'frontend'] as const satisfies UnitRole[];
export const nameOf = (role: UnitRole): string => (role === 'api' ? 'API' : 'site');

/** Evidence: the fact in words, or why it is unknown. */
export const seen = (reading: Reading<unknown>, fact: string, at: Date = reading.at): Cause['evidence'][number] => ({
  fact: reading.known ? fact : `Unknown: ${reading.reason}`,
  source: reading.source,
  at: at.toISOString(),
});

export const ofTenant = ({ tenant }: Facts): Cause['scope'] => ({ kind: 'tenant', name: tenant.slug });

export const remedy = (
  text: string,
  { action = null, link = null }: { action?: RemedyAction | null; link?: string | null } = {},
): Cause['remedy'] => ({ text, action, link });

export const pageOf = (facts: Facts, role: UnitRole): PageFinding | undefined => valueIn(facts.health)?.pages[role];

/** The title of a cause, with what it names: for clients that have the sentence in another language. */
export const titled = (
  code: keyof typeof causeTexts,
  params: Readonly<Record<string, string>>,
): Pick<Cause, 'title' | 'params'> => ({
  title: causeTexts[code].replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? ''),
  params,
});

export const crashLoopOf = (facts: Facts, role: UnitRole): HealthFinding['crashLoop'] => {
  const loop = valueIn(facts.health)?.crashLoop;
  return loop?.role === role ? loop : undefined;
};

/** Whether a unit does not run, is restarted again and again, or does not answer and was restarted before. */
export function hasEnded(facts: Facts, role: UnitRole): boolean {
  const state = valueIn(facts.units[role].state);
  if (!state) return false;
  // One that waits has not ended.
  if (state.state === 'inactive') return state.waiting !== true;
  if (crashLoopOf(facts, role)) return true;
  const wasRestarted = state.lastExit !== undefined && (state.restarts ?? 0) > 0;
  return pageOf(facts, role)?.status === 'down' && (wasRestarted || wasJustRestarted(state, facts.at.getTime()));
}

/** Whether a unit does not run or its page is down. */
export const isBroken = (facts: Facts, role: UnitRole): boolean =>
  hasEnded(facts, role) || pageOf(facts, role)?.status === 'down';

/** The first cause that a rule finds at a unit, the backend first. */
export const atEachUnit =
  (rule: (facts: Facts, role: UnitRole) => Draft | undefined): Rule =>
  (facts) => {
    for (const role of roles) {
      const found = rule(facts, role);
      if (found) return found;
    }
    return undefined;
  };

/** Evidence of the health check's page. */
export function pageEvidence(facts: Facts, role: UnitRole): Cause['evidence'] {
  const page = pageOf(facts, role);
  if (page?.status !== 'down') return [];
  return [
    seen(facts.health, `The ${nameOf(role)}’s page: ${page.error ?? 'no answer'}`),
    ...(page.body ? [seen(facts.health, page.body)] : []),
  ];
}
