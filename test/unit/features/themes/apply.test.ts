import { expect, test } from '@jest/globals';
import type { Tenant } from '../../../../src/features/tenants/tenant.ts';
import { applyTheme, type ThemedUnits } from '../../../../src/features/themes/editor/apply.ts';
import { AppError } from '../../../../src/lib/errors.ts';
import { createLogger } from '../../../../src/lib/logger.ts';

const actor = { userId: null, username: 'ada' };
const logger = createLogger({ level: 'silent' });
const tenant = { id: 't1', slug: 'acme', deployed: {} } as Tenant;

const units = (some: Partial<ThemedUnits>): ThemedUnits => ({
  assertIdle: () => undefined,
  writeEnvironment: async () => undefined,
  areCurrent: async () => false,
  restart: async () => undefined,
  ...some,
});

test('a failed restart reports that the theme is saved, and keeps its error code', async () => {
  const failing = units({
    restart: async () => {
      throw new AppError('tenant_error', 'acme-api is not running');
    },
  });
  await expect(applyTheme(tenant, failing, { changed: true, restart: true, actor, logger })).rejects.toMatchObject({
    code: 'tenant_error',
    message: 'The theme is saved, but the restart failed: acme-api is not running',
  });
});

test('saves a theme even if the environment cannot be written or the runtime is unavailable', async () => {
  const away = async () => {
    throw new AppError('runtime_unavailable', 'no engine');
  };
  for (const broken of [units({ writeEnvironment: away }), units({ areCurrent: away })])
    expect(await applyTheme(tenant, broken, { changed: true, restart: false, actor, logger })).toBe('pending_restart');
});

test('writes the environment file only after a change, and only for deployed tenants', async () => {
  const written: string[] = [];
  const noting = units({
    areCurrent: async () => true,
    writeEnvironment: async ({ slug }) => void written.push(slug),
  });
  const how = { restart: false, actor, logger };
  expect(await applyTheme(tenant, noting, { ...how, changed: false })).toBe('current');
  expect(await applyTheme({ ...tenant, deployed: null }, noting, { ...how, changed: true })).toBe('not_deployed');
  expect(written).toEqual([]);
  await applyTheme(tenant, noting, { ...how, changed: true });
  expect(written).toEqual(['acme']);
});
