import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ConnectionRefusedError } from 'sequelize';
import { createEventBus } from '../../../src/adapters/events/bus.ts';
import { composeBulk } from '../../../src/app/composition/services.ts';
import { openManagerStore } from '../../../src/app/lifecycle/manager-store.ts';
import { newId } from '../../../src/lib/ids.ts';
import { createLogger } from '../../../src/lib/logger.ts';

test('a bulk operation waits for an unavailable store and then processes the tenant', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'tenantry-bulk-away-'));
  const logger = createLogger({ level: 'silent' });
  const store = await openManagerStore(`sqlite:${join(dataDirectory, 'store.sqlite')}`, logger);
  let tries = 0;
  const act = async () => {
    tries += 1;
    if (tries === 1) throw new ConnectionRefusedError(new Error('connect ECONNREFUSED'));
    return { message: '', services: { frontend: 'active', backend: 'active' } } as const;
  };
  const unused = {
    start: act,
    stop: act,
    deploy: act,
    upgrade: act,
    backup: act,
    check: act,
    tag: act,
    configure: act,
    rollback: act,
  };
  const bulk = composeBulk({
    store,
    events: createEventBus(logger),
    dataDirectory,
    clock: { now: () => new Date() },
    logger,
    tenants: {} as Parameters<typeof composeBulk>[0]['tenants'],
    actions: { prepare: () => ({}), run: { ...unused, restart: act } },
    writeAuditLog: async () => undefined,
  });
  const tenants = [{ tenantId: newId(), slug: 'one', name: 'One' }];
  const input = { action: 'restart', concurrency: 1, actor: { userId: newId(), username: 'admin' }, tenants };
  const counts = { pending: 1, running: 0, success: 0, failed: 0, skipped: 0 };
  const { id } = await bulk.engine.submit('bulk', newId(), input, { counts });
  expect(await bulk.engine.ended(id)).toMatchObject({ status: 'success', error: null });
  expect(tries).toBe(2);
  await bulk.engine.stop();
  await store.close();
  await rm(dataDirectory, { recursive: true, force: true });
});
