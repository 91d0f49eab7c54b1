import type { PageFinding } from '../facts/facts.ts';
import { valueIn } from '../facts/reading.ts';
import type { CauseCode } from '../schema.ts';
import { atEachUnit, nameOf, ofTenant, pageEvidence, pageOf, type Rule, remedy, seen, titled } from './draft.ts';
import { codeRemedy } from './remedies.ts';

interface Known {
  code: CauseCode;
  title(name: string): string;
  fix: string;
  action?: 'restart';
}

const hangs: Known = {
  code: 'application_hangs',
  title: (name) => `The ${name} runs but does not answer`,
  fix: 'Restart the services; if it happens again, see the log.',
  action: 'restart',
};
const unreachable: Known = {
  code: 'unit_unreachable',
  title: (name) => `The manager cannot reach the ${name}, which runs`,
  fix: 'Check its network; deploying the same version again connects it.',
};
const invalid: Known = {
  code: 'answer_invalid',
  title: (name) => `The ${name} gives no valid answer`,
  fix: 'Its health page must answer as tenant.yaml and the contract say.',
};

const byProblem: Record<string, Known> = {
  refused: {
    code: 'not_listening',
    title: (name) => `The ${name} runs but does not listen on its port`,
    fix: 'It must listen on HOST and PORT; see the log for whether it still starts.',
  },
  late: hangs,
  no_route: unreachable,
  unknown_name: unreachable,
  closed: invalid,
  not_http: invalid,
  answer: invalid,
  says_unhealthy: {
    code: 'application_unwell',
    title: (name) => `The ${name} says that it is not healthy`,
    fix: 'See the log for what it lacks.',
  },
};

const failing: Known = {
  code: 'application_fails',
  title: (name) => `The ${name} answers with errors`,
  fix: 'See the log for the errors.',
};
const missing: Known = {
  code: 'page_missing',
  title: (name) => `The ${name} has no health page at the path in tenant.yaml`,
  fix: 'Correct the path in tenant.yaml or the application, then deploy the fixed version.',
};

/** A forwarding engine accepts connections while the unit does not; without the unit's network it forwards nothing. */
const ifForwarded: Record<string, Known | undefined> = { refused: unreachable, closed: byProblem.refused };

function kindOf({ problem = '', status_code: code }: PageFinding, forwarded: boolean): Known {
  if (problem === 'status' && code !== null) return code >= 500 ? failing : missing;
  return (forwarded ? ifForwarded[problem] : undefined) ?? byProblem[problem] ?? unreachable;
}

/** A unit may not be ready for this long after its start. In ms. */
const startingMs = 15_000;

/** A unit that runs but does not answer as it should. */
const pageDown = atEachUnit((facts, role) => {
  const { state } = facts.units[role];
  const page = pageOf(facts, role);
  const found = valueIn(state);
  const runs = found?.state === 'active' || (found?.waiting === true && found.startedAt !== null);
  if (page?.status !== 'down' || !runs) return undefined;
  const { code, title, fix, action } = kindOf(page, facts.forwarded);
  const logs = `/tenants/${facts.tenant.id}/logs`;
  const since = found.startedAt;
  const isGuessed = code === 'unit_unreachable' || (facts.forwarded && code === 'not_listening');
  const isNew = since !== null && facts.at.getTime() - since.getTime() < startingMs;
  return {
    code,
    ...(code === 'application_unwell' && page.reason
      ? titled('application_unwell', { unit: nameOf(role), reason: page.reason })
      : { title: title(nameOf(role)) }),
    confidence: isGuessed || isNew ? 'likely' : 'certain',
    scope: ofTenant(facts),
    evidence: [...pageEvidence(facts, role), ...(since ? [seen(state, `The ${nameOf(role)} was started`, since)] : [])],
    remedy: action
      ? remedy(fix, { action })
      : ((code === 'unit_unreachable'
          ? remedy(fix, { action: 'redeploy' })
          : code === 'page_missing'
            ? remedy(fix, { action: 'redeploy' })
            : codeRemedy(facts)) ?? remedy(fix, { link: logs })),
  };
});

/** The application's second page, which tenant.yaml names. */
const probeDown: Rule = (facts) => {
  const page = pageOf(facts, 'api');
  if (page?.status !== 'up' || page.error === undefined) return undefined;
  return {
    code: 'page_missing',
    title: 'The page that tenant.yaml names as probe does not answer',
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [seen(facts.health, page.error)],
    remedy: remedy('Correct the path in tenant.yaml or the application, then deploy the fixed version.', {
      action: 'redeploy',
    }),
  };
};

/** It answers, but a check that `tenant.yaml` names fails. */
const userStepsFail: Rule = (facts) => {
  const steps = valueIn(facts.health)?.userSteps;
  if (steps?.status !== 'down' || steps.check === null) return undefined;
  return {
    code: 'user_steps_failed',
    title: `The application answers, but “${steps.check}” fails`,
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [seen(facts.health, steps.error ?? 'A step failed', new Date(steps.at))],
    remedy: codeRemedy(facts) ?? remedy('See the log for the errors.', { link: `/tenants/${facts.tenant.id}/logs` }),
  };
};

const keyRefused: Rule = (facts) =>
  valueIn(facts.apiKey) === 'refused'
    ? {
        code: 'api_key_refused',
        title: 'The application refuses the manager’s API key',
        confidence: 'certain',
        scope: ofTenant(facts),
        evidence: [seen(facts.apiKey, 'It answers a request with the tenant’s key with 401 or 403')],
        remedy: remedy('Restart the services, so that they get the key of the configuration.', {
          action: 'restart',
          link: `/tenants/${facts.tenant.id}/configuration`,
        }),
      }
    : undefined;

export const pageRules: Rule[] = [pageDown];
/** Degrade a tenant only. */
export const probeRules: Rule[] = [probeDown, userStepsFail];
export const keyRules: Rule[] = [keyRefused];
