import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { DeploymentsDeps } from '../../../../src/features/deployments/operation.ts';
import { createReleaseCopies } from '../../../../src/features/deployments/release/release-copies.ts';
import type { DeploymentStore } from '../../../../src/features/deployments/store.ts';

/** The services that a collection uses; nothing is in use. */
function copiesWith(calls: string[]) {
  const removal = async (what: string): Promise<string[]> => {
    calls.push(`begins with ${what}`);
    await sleep(30);
    calls.push(`ends with ${what}`);
    return [];
  };
  const dependencies = {
    runtime: { removeReleasesExcept: () => removal('releases'), hasRelease: async () => false },
    source: { removeCheckoutsExcept: () => removal('checkouts') },
    tenants: { async *each() {} },
    settings: { releaseRetention: async () => 3, buildCacheBytes: async () => 1e9 },
  };
  const store = { releasesInUse: async () => [] } as unknown as DeploymentStore;
  return createReleaseCopies(store, dependencies as unknown as DeploymentsDeps);
}

test('adding files waits for a running collection, which does not know them', async () => {
  const calls: string[] = [];
  const copies = copiesWith(calls);
  const collected = copies.collectGarbage();
  await sleep(5);
  await copies.keeping(async () => void calls.push('copies'));
  await collected;
  expect(calls.at(-1)).toBe('copies');
});

test('no collection starts while files are added, however long that takes', async () => {
  const calls: string[] = [];
  const copies = copiesWith(calls);
  const copying = copies.keeping(() => sleep(60));
  await copies.collectGarbage();
  expect(calls).toEqual([]);
  await copying;
  await copies.collectGarbage();
  expect(calls).toHaveLength(4);
});
