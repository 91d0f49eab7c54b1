import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Runtime } from '../../../src/adapters/runtimes/runtime.ts';
import { until } from '../../harness/data/tenants.ts';
import { describeWithSwarm, type NodeNumber } from '../../harness/swarm/cluster.ts';
import { testSwarmRuntime } from '../../harness/swarm/swarm-runtime.ts';

describeWithSwarm('the probe of the shared storage', (cluster) => {
  const instance = `probe-${randomBytes(4).toString('hex')}`;
  let runtime: Runtime;

  const storage = async (): Promise<Record<string, string>> => {
    const nodes = (await runtime.nodes?.list()) ?? [];
    return Object.fromEntries(nodes.map(({ hostname, storage }) => [hostname, storage]));
  };
  /** A manager that starts probes at once. */
  async function reopen(): Promise<void> {
    await runtime?.close();
    runtime = testSwarmRuntime(cluster(), { instance, probeImage: 'node:24-bookworm-slim' });
    await runtime.open();
  }
  const becomes = (wanted: Record<string, string>) =>
    until(storage, (found) => JSON.stringify(found) === JSON.stringify(wanted));

  beforeAll(() => reopen());
  afterAll(() => runtime.close());

  test('a node without the storage loses its label, and gets it again with the storage', async () => {
    await cluster().unmount(2);
    await reopen();
    await becomes({ node1: 'ok', node2: 'missing', node3: 'ok' });
    await cluster().mount(2);
    await reopen();
    await becomes({ node1: 'ok', node2: 'ok', node3: 'ok' });
  });

  test('says where no-new-privileges is not set, and what each node uses', async () => {
    const nodes = await until(
      async () => (await runtime.nodes?.list()) ?? [],
      (all) => all.every(({ noNewPrivileges }) => noNewPrivileges !== undefined),
    );
    expect(nodes.map(({ noNewPrivileges }) => noNewPrivileges)).toEqual([false, false, false]);
    for (const { memoryBytes, usage } of nodes) {
      expect(usage?.memoryBytes).toBeGreaterThan(0);
      expect(usage?.memoryBytes).toBeLessThan(memoryBytes);
      expect(usage?.disk?.usedBytes).toBeGreaterThan(0);
      expect(usage?.disk?.freeBytes).toBeGreaterThan(0);
    }
  });

  test('a lost node keeps its label; where no node has the storage, all keep theirs', async () => {
    await cluster().lose(3);
    await until(storage, (found) => found.node3 === 'ok' || found.node3 === 'unknown');
    for (const node of [1, 2] as NodeNumber[]) await cluster().unmount(node);
    await reopen();
    // The probe ends with its directory.
    await until(
      async () => (await readdir(join(cluster().storage, '.probe'))).includes(instance),
      (running) => running,
    );
    await until(
      async () => (await readdir(join(cluster().storage, '.probe'))).includes(instance),
      (running) => !running,
    );
    expect(await storage()).toMatchObject({ node1: 'ok', node2: 'ok' });
  });
});
