import type { Actor, WriteAuditLog } from '../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../adapters/events/bus.ts';
import type { PictureFormat } from '../../adapters/images/image.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/concurrency/keyed-lock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import { deployedRelease, type Tenant } from '../tenants/tenant.ts';
import { applyTheme, type ThemedUnits } from './editor/apply.ts';
import { createAssetFiles, formatOfFile } from './editor/asset-files.ts';
import { themeEntry } from './editor/audit.ts';
import { createThemeChanges, type ThemeChange } from './editor/change.ts';
import { filesOf } from './editor/logos.ts';
import { defaultColours, type ThemeColours } from './editor/palette.ts';
import { logoEntries } from './editor/unit-logo.ts';
import type { ThemeRow, ThemeStore } from './store.ts';

export interface ThemeDeps {
  store: Store;
  clock: Clock;
  writeAuditLog: WriteAuditLog;
  events: EventBus;
  logger: Logger;
  tenants: { get(id: string): Promise<Tenant> };
  units: ThemedUnits;
  /** Where logos are kept, a directory a tenant. */
  directory: string;
}

export interface ThemeService {
  /** Makes a new tenant's theme, in our default colours: one of the companions of `createTenants`. */
  createFor(tenant: Tenant, transaction: Transaction): Promise<void>;
  /** @throws AppError not_found */
  get(tenantId: string): Promise<ThemeRow>;
  /** The colours for a tenant's environment. @throws AppError not_found */
  colours(tenantId: string): Promise<ThemeColours>;
  /** The logos for a tenant's environment, as `data:` addresses. @throws AppError not_found */
  logoEntries(tenantId: string): Promise<Record<string, string>>;
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
  /** A file that the theme shows. @throws AppError not_found */
  asset(tenantId: string, file: string): Promise<{ content: Buffer; format: PictureFormat }>;
  /** Removes the logos of tenants that went while an earlier manager was stopped, and what it wrote when it was killed. */
  removeOrphans(): Promise<void>;
}

export function createThemeService(rows: ThemeStore, deps: ThemeDeps): ThemeService {
  const { store, clock, writeAuditLog, events, logger, tenants, units, directory } = deps;
  const files = createAssetFiles(directory);

  const get = async (tenantId: string): Promise<ThemeRow> => {
    const theme = await rows.of(tenantId);
    if (!theme) throw notFound('tenant', tenantId);
    return theme;
  };
  const changes = createThemeChanges({ store, clock, rows, files, locks: new KeyedLock(), get });
  events.on('tenant_status', ({ tenant_id: id, status }) => {
    if (status !== 'deleted') return;
    changes.sweep(id).catch((error: unknown) => logger.warn({ err: error, tenant: id }, 'logos were not removed'));
  });

  return {
    async createFor(tenant, transaction) {
      const fields = { colours: defaultColours, logos: {}, aiGenerated: false, sourceWebsite: null };
      await rows.insert(
        { id: newId(), tenantId: tenant.id, fields, createdAt: clock.now(), changedAt: null },
        transaction,
      );
    },

    get,
    colours: async (tenantId) => (await get(tenantId)).fields.colours,
    logoEntries: async (tenantId) => logoEntries(files, tenantId, (await get(tenantId)).fields.logos),

    async change(tenantId, change, { restart, actor }) {
      const tenant = await tenants.get(tenantId);
      if (restart) {
        units.assertIdle(tenantId);
        deployedRelease(tenant);
      }
      const { before, after } = await changes.change(tenantId, change);
      const entry = themeEntry(tenant, before.fields, after.fields, actor);
      if (entry) await writeAuditLog(entry);
      return {
        theme: after,
        applied: await applyTheme(tenant, units, { changed: entry !== undefined, restart, actor, logger }),
      };
    },

    async asset(tenantId, file) {
      const { logos } = (await get(tenantId)).fields;
      const format = formatOfFile(file);
      const content = filesOf(logos).has(file) ? await files.read(tenantId, file) : undefined;
      if (!format || !content) throw new AppError('not_found', `The theme has no logo ${file}`);
      return { content, format };
    },

    async removeOrphans() {
      await files.removeCutOff();
      for (const id of await files.owners()) if (!(await rows.of(id))) await changes.sweep(id);
    },
  };
}
