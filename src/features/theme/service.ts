import type { Clock } from '../../kernel/clock.ts';
import { notFound } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Transaction } from '../../platform/store/store.ts';
import type { Tenant } from '../tenants/tenant.ts';
import { defaultColours, type ThemeColours } from './palette.ts';
import type { ThemeRow, ThemeStore } from './store.ts';

export interface ThemeService {
  /** Makes a new tenant's theme, in our default colours: one of the companions of `createTenants`. */
  createFor(tenant: Tenant, transaction: Transaction): Promise<void>;
  /** @throws AppError not_found */
  get(tenantId: string): Promise<ThemeRow>;
  /** The colours for a tenant's environment. @throws AppError not_found */
  colours(tenantId: string): Promise<ThemeColours>;
}

export function createThemeService(rows: ThemeStore, clock: Clock): ThemeService {
  const get = async (tenantId: string): Promise<ThemeRow> => {
    const theme = await rows.of(tenantId);
    if (!theme) throw notFound('tenant', tenantId);
    return theme;
  };
  return {
    async createFor(tenant, transaction) {
      const fields = { colours: defaultColours, logos: {}, aiGenerated: false, sourceWebsite: null };
      await rows.insert({ id: newId(), tenantId: tenant.id, fields, createdAt: clock.now() }, transaction);
    },
    get,
    colours: async (tenantId) => (await get(tenantId)).fields.colours,
  };
}
