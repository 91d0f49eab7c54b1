import { expect, test } from '@jest/globals';
import type { AppliedSite } from '../../../../src/features/sites/store.ts';
import { createSiteSync } from '../../../../src/features/sites/sync/site-sync.ts';
import type { Tenant } from '../../../../src/features/tenants/tenant.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { createLogger } from '../../../../src/lib/logger.ts';

type Deps = Parameters<typeof createSiteSync>[0];

test('a site with new host names is left to their update, which also asks for their certificates, when its units move', async () => {
  const aligned: string[] = [];
  const rows = { of: async (tenantId: string) => ({ tenantId }) as AppliedSite };
  const engine = {
    register: () => undefined,
    isBusy: () => false,
    inBackground: (_subject: string, _name: string, work: () => Promise<void>) => work(),
  };
  const steps = {
    async align({ id }: Tenant) {
      aligned.push(id);
      return { changed: true };
    },
  };
  const find = async (id: string) => ({ id, slug: id, domain: `${id}.example` }) as Tenant;
  const sync = createSiteSync({
    engine: engine as unknown as Deps['engine'],
    proxy: { availability: async () => ({ available: true, version: '1' }) },
    rows: rows as unknown as Deps['rows'],
    sites: { isOutdated: (_site, { domain }) => domain === 'renamed.example' },
    steps: steps as unknown as Deps['steps'],
    tenants: { find, get: find },
    writeAuditLog: async () => undefined,
    clock: systemClock,
    logger: createLogger({ level: 'silent' }),
    closing: new AbortController().signal,
    proofTimeoutMs: 1_000,
  });
  await sync.follow('renamed');
  await sync.follow('same');
  expect(aligned).toEqual(['same']);
});
