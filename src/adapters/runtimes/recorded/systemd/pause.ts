import type { TenantSpace, UnitRef } from '../../runtime.ts';
import { unitRoles } from '../../runtime.ts';
import { serviceName } from './names.ts';
import { systemctlIfAny } from './systemctl/systemctl.ts';

/** Freezes the tenant's units during the read, and resumes them however it ends. */
export async function* whileStill<T>(tenant: TenantSpace, work: () => AsyncIterable<T>): AsyncGenerator<T> {
  const names = unitRoles.map((role) => serviceName(tenant.slug, role));
  try {
    await systemctlIfAny('kill', '--signal=SIGSTOP', '--', ...names);
    yield* work();
  } finally {
    await goOn(names);
  }
}

/** Resumes what a killed manager left frozen. */
export const letGoOn = (units: readonly UnitRef[]): Promise<void> =>
  goOn(units.map(({ tenant, role }) => serviceName(tenant.slug, role)));

async function goOn(names: readonly string[]): Promise<void> {
  if (names.length > 0) await systemctlIfAny('kill', '--signal=SIGCONT', '--', ...names);
}
