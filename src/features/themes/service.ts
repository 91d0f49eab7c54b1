import type { EventBus } from '../../adapters/events/bus.ts';
import type { PictureFormat } from '../../adapters/images/image.ts';
import type { Store, Transaction } from '../../adapters/store/store.ts';
import type { Clock } from '../../lib/clock.ts';
import { KeyedLock } from '../../lib/concurrency/keyed-lock.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { newId } from '../../lib/ids.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { createAssetFiles, formatOfFile } from './editor/asset-files.ts';
import { createThemeChanges, type ThemeChanges } from './editor/change.ts';
import { filesOf } from './editor/logos.ts';
import { defaultColours, type ThemeColours } from './editor/palette.ts';
import { logoEntries } from './editor/unit-logo.ts';
import { createThemeStore, type ThemeRow } from './store.ts';

interface ThemesDeps {
  store: Store;
  clock: Clock;
  events: EventBus;
  logger: Logger;
  /** Where logos are kept, a directory a tenant. */
  directory: string;
}

/** Tenants' themes, and the files of their logos. */
export interface Themes {
  /** Makes a new tenant's theme, in our default colours: in the transaction that creates the tenant. */
  createFor(tenant: Tenant, transaction: Transaction): Promise<void>;
  /** @throws AppError not_found */
  get(tenantId: string): Promise<ThemeRow>;
  /** The colours for a tenant's environment. @throws AppError not_found */
  colours(tenantId: string): Promise<ThemeColours>;
  /** The logos for a tenant's environment, as `data:` addresses. @throws AppError not_found */
  logoEntries(tenantId: string): Promise<Record<string, string>>;
  /** Saves a change; `ThemeEditor.change` also applies it. @throws AppError not_found, insufficient_storage */
  save: ThemeChanges['change'];
  /** A file that the theme shows. @throws AppError not_found */
  asset(tenantId: string, file: string): Promise<{ content: Buffer; format: PictureFormat }>;
  /** Removes the logos of tenants that went while an earlier manager was stopped, and what it wrote when it was killed. */
  removeOrphans(): Promise<void>;
}

export function createThemes({ store, clock, events, logger, directory }: ThemesDeps): Themes {
  const rows = createThemeStore(store);
  const files = createAssetFiles(directory);

  const get = async (tenantId: string): Promise<ThemeRow> => {
    const theme = await rows.find({ tenantId });
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

    save: changes.change,

    async asset(tenantId, file) {
      const { logos } = (await get(tenantId)).fields;
      const format = formatOfFile(file);
      const content = filesOf(logos).has(file) ? await files.read(tenantId, file) : undefined;
      if (!format || !content) throw new AppError('not_found', `The theme has no logo ${file}`);
      return { content, format };
    },

    async removeOrphans() {
      await files.removeCutOff();
      for (const id of await files.owners()) if (!(await rows.find({ tenantId: id }))) await changes.sweep(id);
    },
  };
}
