import type { Facts, FleetTenant } from '../facts/facts.ts';
import { valueIn } from '../facts/reading.ts';
import type { Cause, CauseCode } from '../schema.ts';
import { seen } from './draft.ts';

interface Count {
  tenants: number;
  /** With the cause. */
  same: number;
  /** Unhealthy, and why is not known: they may have the cause, too. */
  unexplained: number;
}

/** Counts the tenants with a cause among the others, which may have been read before this one was deployed. */
function countOf(others: readonly FleetTenant[], code: CauseCode): Count {
  return {
    tenants: others.length,
    same: others.filter(({ cause }) => cause === code).length,
    unexplained: others.filter(({ cause, isUnhealthy }) => cause === undefined && isUnhealthy).length,
  };
}

/**
 * The tenants of the same version with a cause. `all`: each has it, as far as it is known.
 * @returns undefined if that is not known, or the tenant runs a branch
 */
export function atVersion(code: CauseCode, facts: Facts): { all: boolean; evidence: Cause['evidence'] } | undefined {
  const { tenant, fleet } = facts;
  const { version, commit } = tenant.deployed ?? {};
  const known = valueIn(fleet);
  if (!known || !version) return undefined;
  const others = known.filter(({ slug }) => slug !== tenant.slug);
  const { tenants, same, unexplained } = countOf(
    others.filter((one) => one.commit === commit),
    code,
  );
  const rest = countOf(
    others.filter((one) => one.commit !== commit),
    code,
  );
  const fact = `${same + 1} of ${tenants + 1} tenants of ${version} have this cause, ${rest.same} of ${rest.tenants} of other versions`;
  const evidence = [
    ...(same + unexplained > 0 ? [seen(fleet, fact)] : []),
    ...(unexplained > 0
      ? [seen(fleet, `Unhealthy tenants of ${version} whose cause is not known yet: ${unexplained}`)]
      : []),
  ];
  return { all: tenants > 0 && same + unexplained === tenants, evidence };
}

/** Evidence of other tenants with a cause on the nodes of a tenant. */
export function atNodes(code: CauseCode, { tenant, fleet, nodes }: Facts): Cause['evidence'] {
  const own = (valueIn(nodes) ?? []).filter(({ tenants }) => tenants.includes(tenant.slug));
  return own.flatMap(({ hostname, tenants: there }) => {
    const others = (valueIn(fleet) ?? []).filter(({ slug }) => slug !== tenant.slug && there.includes(slug));
    const { tenants, same } = countOf(others, code);
    // Names a host: viewers see none.
    const fact = `${same + 1} of ${tenants + 1} tenants on the node ${hostname} have this cause`;
    return same > 0 ? [seen(nodes, fact)] : [];
  });
}
