import { remedyTexts } from '../cause-texts.ts';
import type { Facts } from '../facts/facts.ts';
import { valueIn } from '../facts/reading.ts';
import { type Draft, isBroken, ofTenant, type Rule, remedy, roles, seen, titled } from './draft.ts';

/** Below this, programs fail to write at any moment. */
const fullBytes = 16 * 1024 ** 2;
const mebibytes = (bytes: number): number => Math.floor(bytes / 1024 ** 2);

const engineAway: Rule = ({ engine }) => {
  const answer = valueIn(engine);
  if (answer?.available) return undefined;
  const reason = answer?.available === false ? answer.reason : '';
  return {
    code: 'engine_unavailable',
    title: `${engine.source} does not answer`,
    confidence: 'certain',
    scope: { kind: 'engine', name: engine.source },
    evidence: [seen(engine, reason)],
    remedy: remedy('Start it on its host, and check that the manager can reach it.', { link: '/system' }),
  };
};

const nodeAway: Rule = ({ nodes, tenant, units }) => {
  const down = (valueIn(nodes) ?? []).filter(({ state }) => state === 'down');
  const lost = down.find(({ tenants }) => tenants.includes(tenant.slug));
  const waiting = roles.find((role) => valueIn(units[role].state)?.obstacle === 'node_down');
  if (!lost && waiting === undefined) return undefined;
  const name = lost?.hostname ?? down[0]?.hostname ?? '?';
  const reason = waiting && valueIn(units[waiting].state)?.reason;
  return {
    code: 'node_unavailable',
    title: `The node ${name} is unavailable`,
    confidence: 'certain',
    scope: { kind: 'node', name },
    evidence: [
      seen(nodes, `The node ${name} is down`),
      ...(waiting && reason ? [seen(units[waiting].state, reason)] : []),
    ],
    remedy: remedy('Start the node, or drain it so that its services move to another one.', { link: '/system/nodes' }),
  };
};

const diskFull: Rule = (facts) => {
  const { disks, units } = facts;
  const full = valueIn(disks)?.find(({ bytes }) => bytes < fullBytes);
  const said = roles
    .filter((role) => isBroken(facts, role))
    .map((role) => units[role].log)
    .find((log) => valueIn(log)?.code === 'disk_full');
  if (!full && !said) return undefined;
  return {
    code: 'disk_full',
    title: 'The disk is full',
    confidence: full ? 'certain' : 'likely',
    scope: full ? { kind: 'disk', name: full.place } : ofTenant(facts),
    evidence: [
      ...(full ? [seen(disks, `${mebibytes(full.bytes)} MiB are free at ${full.place}`)] : []),
      ...(said ? [seen(said, 'A program could not write: no space left', valueIn(said)?.at)] : []),
    ],
    remedy: remedy('Delete old backups or enlarge the disk, then restart the services.', {
      action: 'restart',
      link: '/system',
    }),
  };
};

const operationRunning: Rule = (facts) => {
  const { busy, operations } = facts;
  if (!busy) return undefined;
  const [newest] = valueIn(operations) ?? [];
  const running = newest?.status === 'running' || newest?.status === 'queued' ? newest : undefined;
  const link = running && `/tenants/${facts.tenant.id}/deployments/${running.id}`;
  return {
    code: 'operation_running',
    title: 'An operation on the tenant is in progress',
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: running ? [seen(operations, `In progress: ${running.kind}`, running.createdAt)] : [],
    remedy: remedy('Wait until it has ended; it proves the services afterwards.', { link: link ?? null }),
  };
};

const notDeployed: Rule = (facts) => {
  const { tenant, operations } = facts;
  if (tenant.deployed) return undefined;
  const failed = failedChange(facts);
  if (failed)
    return {
      code: 'deployment_failed',
      title: `The deployment failed: ${failed.message}`,
      confidence: 'certain',
      scope: ofTenant(facts),
      evidence: [seen(operations, `Failed at: ${failed.step}`, failed.at)],
      remedy: remedy('Correct what it names, then deploy again.', { action: 'redeploy', link: failed.link }),
    };
  return {
    code: 'not_deployed',
    title: 'The tenant has not been deployed yet',
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [],
    remedy: remedy('Deploy it.', { action: 'redeploy' }),
  };
};

const notRolledBack: Rule = (facts) => {
  const failed = failedChange(facts);
  if (!failed?.isLeft) return undefined;
  return {
    code: 'deployment_failed',
    title: `The last change failed and could not be undone completely: ${failed.message}`,
    confidence: 'likely',
    scope: ofTenant(facts),
    evidence: [seen(facts.operations, `Failed at: ${failed.step}`, failed.at)],
    remedy: remedy('Correct what it names, then deploy again.', { action: 'redeploy', link: failed.link }),
  };
};

/** The newest operation, if it was a failed change of the tenant. */
function failedChange({ tenant, operations }: Facts) {
  const newest = valueIn(operations)?.find(({ kind }) => kind !== 'backup' && kind !== 'rehearsal' && kind !== 'drill');
  if (newest?.status !== 'failed' || !newest.error) return undefined;
  const { error } = newest;
  const { step, message } = error;
  return {
    step,
    message: message.replace(/\.$/, ''),
    at: newest.finishedAt ?? newest.createdAt,
    isLeft: (error.notPutBack ?? []).length > 0,
    link: `/tenants/${tenant.id}/deployments/${newest.id}`,
  };
}

const stopped: Rule = (facts): Draft | undefined => {
  const { tenant, stop } = facts;
  if (tenant.status !== 'stopped' && tenant.status !== 'pending') return undefined;
  const by = valueIn(stop);
  return {
    code: 'stopped',
    title: by?.username ? `${by.username} stopped the services` : 'The services are stopped',
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: by ? [seen(stop, 'The services were stopped', by.createdAt)] : [],
    remedy: remedy('Start the services.', { action: 'start' }),
  };
};

/** A start that was undone: the units are those of before, and off, so that nothing of them shows why. */
const startFailed: Rule = (facts): Draft | undefined => {
  const { tenant, units, failedStart } = facts;
  const failed = valueIn(failedStart);
  const isOff = roles.some((role) => {
    const state = valueIn(units[role].state);
    return state?.state === 'inactive' && state.reason === null && state.waiting !== true;
  });
  if (!failed || !isOff || tenant.status !== 'error') return undefined;
  const { action, message, at, found } = failed;
  // A deployment has applied those before it.
  const change = failed.change && failed.change.at > (tenant.deployedAt ?? new Date(0)) ? failed.change : undefined;
  const { restarts: _, ...named } = found?.params ?? {};
  const params = { ...named, action, cause: found?.title ?? message, cause_code: found?.code ?? '' };
  const code = change ? 'start_failed_after_change' : 'start_failed';
  return {
    code,
    ...titled(code, params),
    confidence: 'certain',
    scope: ofTenant(facts),
    evidence: [
      seen(failedStart, message, at),
      ...(change ? [seen(failedStart, `The last change: ${change.what}`, change.at)] : []),
      ...(found?.diagnosis?.evidence ?? []),
    ],
    remedy: remedy(remedyTexts[code], {
      action: 'start',
      link: `/tenants/${tenant.id}/${change ? 'configuration' : 'logs'}`,
    }),
  };
};

export const hostRules: Rule[] = [engineAway, nodeAway, diskFull, operationRunning, notDeployed, stopped, startFailed];
/** After the rules that find what is at fault now. */
export const lateRules: Rule[] = [notRolledBack];
