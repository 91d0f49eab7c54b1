import { randomBytes } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test } from '@jest/globals';
import { execa } from 'execa';
import { until } from '../../harness/data/tenants.ts';
import { describeWithSwarm } from '../../harness/swarm/cluster.ts';
import { testSwarmRuntime } from '../../harness/swarm/swarm-runtime.ts';

describeWithSwarm('the probe of the network between nodes', (cluster) => {
  const vxlan = ['INPUT', '-p', 'udp', '--dport', '4789'];
  const isLarge = ['-m', 'length', '--length', '1000:65535'];
  const onNode2 = (...rule: string[]) =>
    execa('/usr/sbin/ip', ['netns', 'exec', 'tenantry-node2', 'iptables', '-w', ...rule]);
  afterEach(() => onNode2('-F', 'INPUT'));

  /** What a manager finds that starts now. */
  async function found(): Promise<Record<string, string[]>> {
    const instance = `network-${randomBytes(4).toString('hex')}`;
    const runtime = testSwarmRuntime(cluster(), { instance, probeImage: 'node:24-bookworm-slim' });
    const isProbing = async (): Promise<boolean> =>
      (await readdir(join(cluster().storage, '.probe')).catch((): string[] => [])).includes(`${instance}-network`);
    await runtime.open();
    try {
      await until(isProbing, (probing) => probing);
      await until(isProbing, (probing) => !probing);
      expect((await runtime.list()).map(({ name }) => name)).toEqual([]);
      return Object.fromEntries(
        ((await runtime.nodes?.list()) ?? []).map(({ hostname, networkProblems }) => [hostname, networkProblems]),
      );
    } finally {
      await runtime.close();
    }
  }

  test('finds links that lose large answers, and nothing where all arrive', async () => {
    await onNode2('-I', ...vxlan, ...isLarge, '-j', 'DROP');
    const large = (node: string) => expect.stringContaining(`get no large answers from ${node}: set SWARM_MTU`);
    expect(await found()).toEqual({ node1: [], node2: [large('node1'), large('node3')], node3: [] });
    await onNode2('-F', 'INPUT');
    expect(await found()).toEqual({ node1: [], node2: [], node3: [] });
  });

  test('a node without overlay traffic gets no answers, and gives none', async () => {
    await onNode2('-I', ...vxlan, '-j', 'DROP');
    const none = (node: string) => expect.stringContaining(`get no answers from ${node}: allow`);
    expect(await found()).toEqual({
      node1: [none('node2')],
      node2: [none('node1'), none('node3')],
      node3: [none('node2')],
    });
  });
});
