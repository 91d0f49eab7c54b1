import { join } from 'node:path';
import { rm } from '../../../../../lib/files/changes.ts';
import type { Logger } from '../../../../../lib/logger.ts';
import { type TenantSpace, type UnitRef, unitRoles } from '../../../runtime.ts';
import { createUnitLog, type UnitLog } from './unit-log.ts';

/** The logs of all units: `logs/<role>.log` in the tenant's directory. */
export function createUnitLogs(options: { limitBytes: number; logger: Logger }) {
  const logs = new Map<string, UnitLog>();
  const directoryOf = (tenant: TenantSpace): string => join(tenant.directory, 'logs');
  const pathOf = ({ tenant, role }: UnitRef): string => join(directoryOf(tenant), `${role}.log`);
  let timer: NodeJS.Timeout | undefined;

  function rotateAll(): void {
    for (const [path, log] of logs)
      log
        .rotateIfLarge()
        .catch((error: unknown) => options.logger.warn({ path, err: error }, 'A log could not be rotated'));
  }

  return {
    of(unit: UnitRef) {
      const path = pathOf(unit);
      const log = logs.get(path) ?? createUnitLog(path, options.limitBytes);
      logs.set(path, log);
      return log;
    },
    /** Periodically measures every log requested so far, and rotates overlong ones. */
    watch(everyMs: number) {
      timer = setInterval(rotateAll, everyMs);
      timer.unref();
    },
    async remove(tenant: TenantSpace) {
      for (const role of unitRoles) {
        const path = pathOf({ tenant, role });
        logs.get(path)?.close();
        logs.delete(path);
      }
      await rm(directoryOf(tenant), { recursive: true, force: true });
    },
    close() {
      clearInterval(timer);
      for (const log of logs.values()) log.close();
    },
  };
}
