import type { Actor, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import { AppError } from '../../lib/errors.ts';
import type { Logger } from '../../lib/logger.ts';
import type { OperationEngine } from '../../lib/operations/engine.ts';
import type { Deployments } from '../deployments/deployments.ts';
import type { Services } from '../services/services.ts';
import type { TenantConfigs } from '../tenant-config/tenant-config.ts';
import type { EnvironmentOf } from '../tenants/tenant.ts';
import { deployedRelease, type Tenants } from '../tenants/tenants.ts';
import { applyTheme, type ThemedUnits } from './editor/apply.ts';
import { themeEntry } from './editor/audit.ts';
import type { ThemeChange } from './editor/change.ts';
import type { Themes } from './service.ts';
import type { ThemeRow } from './store.ts';

export interface ThemeEditorDeps {
  themes: Themes;
  tenants: Pick<Tenants, 'get'>;
  engine: Pick<OperationEngine, 'assertIdle' | 'exclusive'>;
  runtime: Pick<Runtime, 'isLive'>;
  configs: Pick<TenantConfigs, 'writeEnvFile'>;
  environmentOf: EnvironmentOf;
  deployments: Pick<Deployments, 'specsOf'>;
  services: Pick<Services, 'restart'>;
  writeAuditLog: WriteAuditLog;
  logger: Logger;
}

/** Changes a theme and applies it to the running units. */
export interface ThemeEditor {
  /**
   * Changes a theme, writes the audit log, and applies it.
   * @throws AppError not_found, insufficient_storage; with `restart` those of a restart, the first two of them before
   * anything is changed: operation_in_progress, not_deployed, tenant_error, runtime_unavailable
   */
  change(
    tenantId: string,
    change: ThemeChange,
    options: { restart: boolean; actor: Actor },
  ): Promise<{ theme: ThemeRow; applied: Awaited<ReturnType<typeof applyTheme>> }>;
}

export function createEditor(deps: ThemeEditorDeps): ThemeEditor {
  const { themes, tenants, engine, runtime, configs, environmentOf, deployments, services } = deps;
  const { writeAuditLog, logger } = deps;

  const units: ThemedUnits = {
    assertIdle: (id) => engine.assertIdle(id),
    async writeEnvironment({ id }) {
      const written = engine.exclusive(id, 'theme', async () => {
        const tenant = await tenants.get(id);
        await configs.writeEnvFile(tenant, await environmentOf(tenant, deployedRelease(tenant)));
      });
      await written.catch((error: unknown) => {
        if (!(error instanceof AppError && error.code === 'operation_in_progress')) throw error;
      });
    },
    async areCurrent(tenant) {
      const specs = await deployments.specsOf(tenant);
      const live = await Promise.all(specs.map((spec) => runtime.isLive(spec)));
      return live.every(Boolean);
    },
    restart: services.restart,
  };

  return {
    async change(tenantId, wanted, { restart, actor }) {
      const tenant = await tenants.get(tenantId);
      if (restart) {
        units.assertIdle(tenantId);
        deployedRelease(tenant);
      }
      const { before, after } = await themes.save(tenantId, wanted);
      const entry = themeEntry(tenant, before.fields, after.fields, actor);
      if (entry) await writeAuditLog(entry);
      return {
        theme: after,
        applied: await applyTheme(tenant, units, { changed: entry !== undefined, restart, actor, logger }),
      };
    },
  };
}
