import type { Facts, LogFinding } from '../facts/facts.ts';
import { valueIn } from '../facts/reading.ts';
import type { Cause, CauseCode } from '../schema.ts';
import { isBroken, ofTenant, pageEvidence, pageOf, type Rule, remedy, roles, seen } from './draft.ts';

interface Known {
  code: CauseCode;
  title: string;
  fix: string;
  isServer?: boolean;
}

/** By the kind of problem that the manager's own check found. */
const byProblem: Record<string, Known> = {
  unreachable: {
    code: 'database_unreachable',
    title: 'The database server cannot be reached',
    fix: 'Start the database server, and check that the host reaches it.',
    isServer: true,
  },
  slow: {
    code: 'database_silent',
    title: 'The database server does not answer in time',
    fix: 'Check the load, the disk and the locks of the database server.',
    isServer: true,
  },
  full_connections: {
    code: 'database_connections',
    title: 'The database server has no connection left',
    fix: 'Raise max_connections at the database server, or find the program that keeps its connections.',
    isServer: true,
  },
  refused: {
    code: 'database_refused',
    title: 'The database refuses the tenant’s account',
    fix: 'Deploy the tenant again: that sets the account and its password again.',
  },
  missing: {
    code: 'database_missing',
    title: 'The tenant’s database is missing',
    fix: 'Restore the tenant’s last backup, without a safety backup if there is nothing to back up.',
  },
  damaged: {
    code: 'database_damaged',
    title: 'The database file is damaged',
    fix: 'Restore the tenant’s last backup, without a safety backup: the damaged file cannot be backed up.',
  },
  locked: {
    code: 'database_locked',
    title: 'Another program keeps the database locked',
    fix: 'End the program that works on the database file.',
  },
  other: {
    code: 'database_failed',
    title: 'The database fails its check',
    fix: 'See the evidence for the database’s own words.',
  },
};

const remedyOf = (known: Known, { tenant }: Facts): Cause['remedy'] => {
  const { code, fix } = known;
  if (code === 'database_missing' || code === 'database_damaged')
    return remedy(fix, { link: `/tenants/${tenant.id}/backups` });
  if (code === 'database_refused') return remedy(fix, { action: 'redeploy' });
  return remedy(fix, { link: `/tenants/${tenant.id}/${known.isServer ? 'metrics' : 'logs'}` });
};

/** The manager's check uses the tenant's own account, so it fails as the application does. */
const failedCheck: Rule = (facts) => {
  const database = valueIn(facts.health)?.database;
  const known = database?.status === 'healthy' ? undefined : byProblem[database?.problem ?? ''];
  if (!known) return undefined;
  return {
    code: known.code,
    title: known.title,
    confidence: 'certain',
    scope: known.isServer ? { kind: 'database_server', name: facts.tenant.deployed?.database ?? '' } : ofTenant(facts),
    evidence: [seen(facts.health, `The database’s check: ${database?.error ?? 'failed'}`), ...saidBy(facts)],
    remedy: remedyOf(known, facts),
  };
};

const databaseCodes = [
  'database_unreachable',
  'database_refused',
  'database_locked',
] as const satisfies readonly CauseCode[];
const databaseCode = (found: LogFinding | undefined) => databaseCodes.find((code) => code === found?.code);

/** A query that runs longer than this keeps pages waiting, in s. */
const longQuery = 5;

/** The application waits for its database, which answers others. */
const slowQuery: Rule = (facts) => {
  const database = valueIn(facts.health)?.database;
  const seconds = database?.longest_query_s ?? 0;
  const late = roles.filter((role) => pageOf(facts, role)?.problem === 'late');
  if (!database || seconds < longQuery || late.length === 0) return undefined;
  const { size_mb: size, connections } = database;
  return {
    code: 'database_slow',
    title: `The application waits for a query that has been running for ${seconds} s`,
    confidence: 'likely',
    scope: ofTenant(facts),
    evidence: [
      seen(facts.health, `The longest query has been running for ${seconds} s, on ${connections ?? 0} connections`),
      ...(typeof size === 'number' ? [seen(facts.health, `The database’s size: ${size} MiB`)] : []),
      ...late.flatMap((role) => pageEvidence(facts, role)),
    ],
    // A restart does not end it: the server notices that the client is gone when it sends the result.
    remedy: remedy(
      'SHOW FULL PROCESSLIST at the database server shows the query and what it waits for; KILL with its id ends it.',
      { link: `/tenants/${facts.tenant.id}/metrics` },
    ),
  };
};

/** Only the application sees it: the manager has no access, or the application uses another address. */
const failedInLog: Rule = (facts) => {
  for (const role of roles) {
    const { log } = facts.units[role];
    const found = valueIn(log);
    const code = databaseCode(found);
    if (!found || !code || !isBroken(facts, role)) continue;
    return {
      code,
      title: found.what,
      confidence: 'likely',
      scope: ofTenant(facts),
      evidence: saidBy(facts),
      remedy: remedy(found.advice, { link: `/tenants/${facts.tenant.id}/configuration` }),
    };
  }
  return undefined;
};

function saidBy({ units }: Facts): Cause['evidence'] {
  return roles.flatMap((role) => {
    const { log } = units[role];
    const found = valueIn(log);
    return found && databaseCode(found) ? [seen(log, `The log: ${found.what}`, found.at)] : [];
  });
}

export const databaseRules: Rule[] = [failedCheck, slowQuery, failedInLog];
