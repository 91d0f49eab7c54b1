import type { TenantSpace, UnitRef } from '../../runtime.ts';
import { unitRoles } from '../../runtime.ts';
import { serviceName } from './names.ts';
import { systemctlIfAny } from './systemctl/systemctl.ts';

/** All processes of the tenant's units stand still while the work is read, and go on however it ends. */
export async function* whileStill<T>(tenant: TenantSpace, work: () => AsyncIterable<T>): AsyncGenerator<T> {
  const names = unitRoles.map((role) => serviceName(tenant.slug, role));
  try {
    await systemctlIfAny('kill', '--signal=SIGSTOP', '--', ...names);
    yield* work();
  } finally {
    await goOn(names);
  }
}

/** What a manager that was killed meanwhile left standing still goes on. */
export const letGoOn = (units: readonly UnitRef[]): Promise<void> =>
  goOn(units.map(({ tenant, role }) => serviceName(tenant.slug, role)));

async function goOn(names: readonly string[]): Promise<void> {
  if (names.length > 0) await systemctlIfAny('kill', '--signal=SIGCONT', '--', ...names);
}
