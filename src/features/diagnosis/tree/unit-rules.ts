import { nameOfHolder } from '../../../adapters/runtimes/port-holder.ts';
import type { UnitObstacle, UnitRole } from '../../../adapters/runtimes/runtime.ts';
import { portOf } from '../../tenants/tenant.ts';
import type { Facts } from '../facts/facts.ts';
import { valueIn } from '../facts/reading.ts';
import type { Cause, CauseCode } from '../schema.ts';
import {
  atEachUnit,
  crashLoopOf,
  type Draft,
  hasEnded,
  isBroken,
  nameOf,
  ofTenant,
  pageEvidence,
  type Rule,
  remedy,
  roles,
  seen,
  titled,
} from './draft.ts';
import { codeRemedy } from './remedies.ts';

const releaseMissing: Rule = (facts) => {
  // One with an exit code had its files.
  const waits = roles.some((role) => {
    const state = valueIn(facts.units[role].state);
    return state?.state === 'inactive' && !state.lastExit;
  });
  if (!waits || valueIn(facts.release) !== false) return undefined;
  const version = facts.tenant.deployed?.version ?? facts.tenant.deployed?.commit.slice(0, 12) ?? '';
  return {
    code: 'release_missing',
    title: 'The files of the deployed version are missing',
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [seen(facts.release, `There is nothing prepared of ${version}`), ...roles.flatMap(endOf(facts))],
    remedy: remedy('Deploy the same version again: that prepares its files.', { action: 'redeploy' }),
  };
};

interface Known {
  code: CauseCode;
  title(name: string): string;
  fix: string;
  action: 'restart' | 'redeploy';
}

/** Swarm's words, `no suitable node (insufficient resources on 3 nodes)`, are the evidence. */
const unplaced = atEachUnit((facts, role) => {
  const { state } = facts.units[role];
  const found = valueIn(state);
  if (found?.obstacle !== 'no_node') return undefined;
  return {
    code: 'no_suitable_node',
    title: `Swarm finds no node for the ${nameOf(role)}`,
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [seen(state, found.reason ?? ''), ...pageEvidence(facts, role)],
    remedy: remedy('Correct what Swarm names: activate or add a node, or free the memory or the port there.', {
      link: '/system/nodes',
    }),
  };
});

const byObstacle: Partial<Record<UnitObstacle, Known>> = {
  missing: {
    code: 'unit_missing',
    title: (name) => `The ${name}’s container, service or unit file was removed`,
    fix: 'Deploy the same version again: that creates it.',
    action: 'redeploy',
  },
  paused: {
    code: 'unit_paused',
    title: (name) => `The ${name} is paused`,
    fix: 'Restart the services.',
    action: 'restart',
  },
  stopped_outside: {
    code: 'unit_stopped_outside',
    title: (name) => `The ${name} was stopped without the manager`,
    fix: 'Restart the services.',
    action: 'restart',
  },
};

const obstructed = atEachUnit((facts, role) => {
  const { state } = facts.units[role];
  const known = byObstacle[valueIn(state)?.obstacle ?? 'node_down'];
  if (!known) return undefined;
  return {
    code: known.code,
    title: known.title(nameOf(role)),
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [seen(state, valueIn(state)?.reason ?? 'It is not there'), ...pageEvidence(facts, role)],
    remedy: remedy(known.fix, { action: known.action }),
  };
});

const portInUse = atEachUnit((facts, role) => {
  const { portHolder, log } = facts.units[role];
  const holder = valueIn(portHolder);
  const found = valueIn(log);
  const said = found?.code === 'port_in_use';
  if (!hasEnded(facts, role) || !(holder || said)) return undefined;
  const port = portOf(facts.tenant, role);
  return {
    code: 'port_in_use',
    title: holder ? `Port ${port} of the ${nameOf(role)} is in use by ${nameOfHolder(holder)}` : `${found?.what ?? ''}`,
    confidence: holder && said ? 'certain' : 'likely',
    scope: ofTenant(facts),
    evidence: [
      ...(holder ? [seen(portHolder, `${nameOfHolder(holder)} listens on port ${port}`)] : []),
      ...(said ? [seen(log, `The log: ${found.what}`, found.at)] : []),
      ...endOf(facts)(role),
    ],
    remedy: remedy('Stop what uses the port, or give the tenant another port; then restart the services.', {
      action: 'restart',
    }),
  };
});

const outOfMemory = atEachUnit((facts, role) => {
  const { state, log, usage } = facts.units[role];
  const killed = valueIn(state)?.lastExit?.outOfMemory === true;
  const found = valueIn(log);
  const said = found?.code === 'out_of_memory' && isBroken(facts, role);
  if (!(killed && hasEnded(facts, role)) && !said) return undefined;
  const limit = valueIn(usage)?.memoryLimitBytes;
  return {
    code: 'out_of_memory',
    title: `The ${nameOf(role)} ran out of memory`,
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [
      ...endOf(facts)(role),
      ...(said ? [seen(log, `The log: ${found.what}`, found.at)] : []),
      ...(limit ? [seen(usage, `Its limit is ${Math.round(limit / 1024 ** 2)} MiB`)] : []),
    ],
    remedy: remedy('Raise the memory limit of services in the settings, then restart the services.', {
      action: 'restart',
      link: '/system/settings',
    }),
  };
});

/** By what the log shows. Those of databases, ports, memory and disks have rules of their own. */
const byLog = [
  'listen_refused',
  'script_line_ends',
  'script_interpreter_missing',
  'script_not_executable',
  'script_is_directory',
  'program_wrong_platform',
  'schema_mismatch',
  'missing_variable',
  'missing_module',
  'missing_program',
  'code_invalid',
  'permission_denied',
  'name_unresolved',
  'service_unreachable',
  'application_error',
] as const satisfies readonly CauseCode[];

const inConfiguration = new Set<CauseCode>(['missing_variable', 'name_unresolved', 'service_unreachable']);

const saidInLog = atEachUnit((facts, role): Draft | undefined => {
  const { log } = facts.units[role];
  const found = valueIn(log);
  const code = byLog.find((one) => one === found?.code);
  if (!found || !code || !isBroken(facts, role)) return undefined;
  // An error that was caught and logged is not what ended it.
  const isLogged = code === 'application_error';
  if (isLogged && hasEnded(facts, role)) return undefined;
  const link = inConfiguration.has(code)
    ? `/tenants/${facts.tenant.id}/configuration`
    : `/tenants/${facts.tenant.id}/logs`;
  return {
    code,
    ...(isLogged
      ? titled('application_error', { unit: nameOf(role), error: found.what })
      : { title: found.what, ...(found.params ? { params: found.params } : {}) }),
    confidence: hasEnded(facts, role) ? 'certain' : 'likely',
    scope: ofTenant(facts),
    evidence: [seen(log, `The log: ${found.what}`, found.at), ...endOf(facts)(role), ...pageEvidence(facts, role)],
    remedy: inConfiguration.has(code)
      ? remedy(found.advice, { link })
      : (codeRemedy(facts) ?? remedy(found.advice, { link })),
  };
});

/** By the exception that ended it, or by how often it has ended. */
const crashes = atEachUnit((facts, role): Draft | undefined => {
  const { state, log, lastLines } = facts.units[role];
  const loop = crashLoopOf(facts, role);
  const found = valueIn(log);
  const exception = found?.code === 'uncaught_exception' ? found.what : undefined;
  const { lastExit, obstacle } = valueIn(state) ?? {};
  if (!hasEnded(facts, role) || obstacle || !(loop || exception !== undefined)) return undefined;
  const unit = nameOf(role);
  const how = lastExit?.signal ?? (lastExit && lastExit.code !== null ? `exit ${lastExit.code}` : undefined);
  const end = exception ?? how ?? valueIn(lastLines)?.at(-1) ?? '?';
  const logs = remedy('Fix it in the repository, then deploy the fixed version.', {
    link: `/tenants/${facts.tenant.id}/logs`,
  });
  return {
    ...(loop
      ? titled('crash_loop', {
          unit,
          error: end,
          restarts: String(loop.restarts),
          minutes: String(Math.max(1, Math.round((facts.at.getTime() - loop.since.getTime()) / 60_000))),
        })
      : titled('uncaught_exception', { unit, error: end })),
    // The kind of end: the same for tenants that crash as often as others, and those that do not yet.
    code: exception ? 'uncaught_exception' : lastExit?.signal ? 'unit_killed' : 'unit_crashed',
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [...endOf(facts)(role), ...lastWords(facts, role), ...pageEvidence(facts, role)],
    remedy: codeRemedy(facts) ?? logs,
  };
});

const ended = atEachUnit((facts, role) => {
  const { state } = facts.units[role];
  const found = valueIn(state);
  if (!found || !hasEnded(facts, role)) return undefined;
  const { gaveUp, lastExit, obstacle } = found;
  const name = nameOf(role);
  const logs = remedy('See the log for its last words.', { link: `/tenants/${facts.tenant.id}/logs` });
  const draft = (code: CauseCode, title: string, fix: Cause['remedy'] = codeRemedy(facts) ?? logs): Draft => ({
    code,
    title,
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [...endOf(facts)(role), ...lastWords(facts, role), ...pageEvidence(facts, role)],
    remedy: fix,
  });
  if (obstacle === 'cannot_start')
    return draft(
      'cannot_start',
      `The ${name} cannot be started`,
      remedy('Deploy the same version again. If that fails, correct what the evidence names.', { action: 'redeploy' }),
    );
  if (obstacle === 'unhealthy')
    return draft(
      'application_hangs',
      gaveUp
        ? `The ${name} did not answer its health check, and is not started any more`
        : `The ${name} does not answer its health check, and is started again and again`,
      remedy('See the log for what it waits for, then restart the services.', {
        action: 'restart',
        link: `/tenants/${facts.tenant.id}/logs`,
      }),
    );
  if (!lastExit) return undefined;
  if (lastExit.signal !== null)
    return draft(
      'unit_killed',
      `The ${name} was ended by ${lastExit.signal}`,
      remedy('Restart the services; if it happens again, see the log.', { action: 'restart' }),
    );
  if (lastExit.code === null) return draft('unit_crashed', `The ${name} ended`);
  return draft('unit_crashed', `The ${name} ends with exit code ${lastExit.code}`);
});

/** How a unit ended, and how often. */
const endOf =
  ({ units }: Facts) =>
  (role: UnitRole): Cause['evidence'] => {
    const { state } = units[role];
    const found = valueIn(state);
    if (!found) return [seen(state, '')];
    const { reason, restarts = 0, lastExit } = found;
    const name = nameOf(role);
    const end = reason ?? (lastExit ? `exit code ${lastExit.code ?? lastExit.signal}` : undefined);
    return [
      ...(end === undefined ? [] : [seen(state, `State of the ${name}: ${end}`, lastExit?.at ?? undefined)]),
      ...(restarts > 1 ? [seen(state, `${restarts} restarts of the ${name} in a row`)] : []),
    ];
  };

/** Lines of a log that are evidence. */
const maxWords = 5;

const lastWords = ({ units }: Facts, role: UnitRole): Cause['evidence'] => {
  const { lastLines, log } = units[role];
  const exception = valueIn(log)?.lines?.filter(Boolean).slice(0, maxWords);
  if (exception) return exception.map((line) => seen(log, `The log: ${line.slice(0, 300)}`));
  return (valueIn(lastLines) ?? [])
    .filter(Boolean)
    .slice(-maxWords)
    .map((line) => seen(lastLines, `The log: ${line.slice(0, 300)}`));
};

/** What keeps a unit from existing comes before its database: it is not running to use it. */
export const existenceRules: Rule[] = [releaseMissing, unplaced, obstructed];
export const unitRules: Rule[] = [portInUse, outOfMemory, saidInLog, crashes, ended];
