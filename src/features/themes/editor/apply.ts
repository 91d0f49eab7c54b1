import type { Actor } from '../../../adapters/events/audit-log-entry.ts';
import { AppError, errorOf, messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import type { Tenant } from '../../tenants/tenant.ts';

/** A tenant's units, as far as a theme concerns them. */
export interface ThemedUnits {
  /** @throws AppError operation_in_progress */
  assertIdle(tenantId: string): void;
  /** Writes the environment file, unless an operation is under way: it may be writing another. */
  writeEnvironment(tenant: Tenant): Promise<void>;
  /** Whether the units have been given the environment as it is now. */
  areCurrent(tenant: Tenant): Promise<boolean>;
  /** @throws AppError operation_in_progress, not_deployed, tenant_error, runtime_unavailable */
  restart(tenantId: string, actor: Actor): Promise<unknown>;
}

export const appliedStates = ['not_deployed', 'pending_restart', 'current', 'restarted'] as const;
type Applied = (typeof appliedStates)[number];

/**
 * Brings a saved theme to the tenant's units: its environment file is written; the units get it when they are restarted.
 * @throws AppError of the restart, which says that the theme is saved
 */
export async function applyTheme(
  tenant: Tenant,
  units: ThemedUnits,
  { changed, restart, actor, logger }: { changed: boolean; restart: boolean; actor: Actor; logger: Logger },
): Promise<Applied> {
  if (restart) {
    try {
      await units.restart(tenant.id, actor);
      return 'restarted';
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      throw errorOf(error.code, `The theme is saved, but the restart failed: ${error.message}`, {
        ...(error.issues ? { issues: error.issues } : {}),
        headers: error.headers,
        cause: error,
      });
    }
  }
  if (!tenant.deployed) return 'not_deployed';
  // The theme is saved; the next start writes the file, too.
  try {
    if (changed) await units.writeEnvironment(tenant);
    return (await units.areCurrent(tenant)) ? 'current' : 'pending_restart';
  } catch (error) {
    logger.warn({ tenant: tenant.slug, message: messageOf(error) }, 'the environment of a new theme was not written');
    return 'pending_restart';
  }
}

export const appliedMessages: Readonly<Record<Applied, string>> = {
  not_deployed: 'Theme saved; the first deployment applies it',
  pending_restart:
    'Theme saved; pending until the services are restarted or deployed (use restart=true to restart now)',
  current: 'Theme saved; the services already have these colours and logos',
  restarted: 'Theme saved; the services were restarted',
};
