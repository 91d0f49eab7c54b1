import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import type { Runtime, UnitLogLine } from '../../../src/adapters/runtimes/runtime.ts';
import type { SwarmRuntimeOptions } from '../../../src/adapters/runtimes/swarm/swarm-runtime.ts';
import { messageOf } from '../../../src/lib/errors.ts';
import { quietWork, RuntimeWorld, recordedWork, type Subject } from '../../contracts/runtime-world.ts';
import { EngineProxy } from '../../harness/engine/engine-proxy.ts';
import { describeWithSwarm } from '../../harness/swarm/cluster.ts';
import { account, TestRegistry } from '../../harness/swarm/registry.ts';
import { swarmHarness, testSwarmRuntime } from '../../harness/swarm/swarm-runtime.ts';

const minutes = 60_000;

describeWithSwarm('swarm, in addition to the contract', (cluster) => {
  const instance = `test-${randomUUID().slice(0, 12)}`;
  let world: RuntimeWorld;
  let docker: Docker;

  const check = (what: string, tests: () => Promise<void>): void => test(what, tests, 10 * minutes);
  const sibling = (changes: Partial<SwarmRuntimeOptions> = {}): Runtime =>
    testSwarmRuntime(cluster(), { instance, ...changes });
  const unitsOf = async ({ tenant }: Subject): Promise<string[]> =>
    (await world.runtime.list())
      .filter(({ tenantId, kind }) => tenantId === tenant.id && kind === 'unit')
      .map(({ name }) => name)
      .sort();
  /** The newest task of a tenant's API that Swarm wants to run. */
  const taskOf = async ({ tenant }: Subject): Promise<{ id: string; node: string; state: string }> => {
    const labels = [`org.tenantry.tenant=${tenant.id}`, 'org.tenantry.role=api'];
    const tasks = await docker.listTasks({ filters: { label: labels, 'desired-state': ['running'] } });
    const [newest] = tasks.sort((a, b) => (a.CreatedAt < b.CreatedAt ? 1 : -1));
    return { id: newest?.ID, node: newest?.NodeID, state: newest?.Status.State };
  };
  const secretsOf = async ({ tenant }: Subject) =>
    (await world.runtime.list()).filter(({ tenantId, kind }) => tenantId === tenant.id && kind === 'secret');

  beforeAll(async () => {
    const harness = await swarmHarness(cluster(), { instance });
    world = await RuntimeWorld.create(harness);
    docker = new Docker({ socketPath: cluster().sockets[0] });
  }, 5 * minutes);
  afterAll(async () => {
    await world?.destroy();
    expect((await sibling().list()).map(({ name }) => name)).toEqual([]);
  }, 5 * minutes);

  /** Uses a connection that breaks after a number of changes; true if it broke. */
  async function interrupted(changes: number, act: (runtime: Runtime) => Promise<void>): Promise<boolean> {
    const proxy = await EngineProxy.open(cluster().sockets[0]);
    try {
      proxy.breakAfter(changes);
      const runtime = sibling({ managers: [{ socketPath: proxy.socketPath }] });
      const failure = await act(runtime).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure !== undefined) expect(failure).toMatchObject({ code: 'runtime_unavailable' });
      return failure !== undefined;
    } finally {
      await proxy.close();
    }
  }

  check('after a kill between any two steps of an activation and of a rollback, the next call continues', async () => {
    const { subject } = await world.deployed('1.0.0');
    const next = await world.release('2.0.0');
    const name = subject.tenant.slug;
    const answers = async (version: string) => {
      for (const role of ['api', 'frontend'] as const)
        await world.answer(subject, role, (answer) => answer.version === version);
    };
    for (let changes = 0, broken = true; broken; changes += 1) {
      await world.stage(subject, next);
      broken = await interrupted(changes, (runtime) => runtime.activate(subject.tenant, quietWork()));
      if (changes % 2 === 0) {
        await world.runtime.activate(subject.tenant, quietWork());
        await answers('2.0.0');
      }
      await interrupted(changes, (runtime) => runtime.rollback(subject.tenant, quietWork()));
      await world.runtime.rollback(subject.tenant, quietWork());
      await answers('1.0.0');
      expect(await unitsOf(subject)).toEqual([`${name}-api`, `${name}-frontend`]);
    }
  });

  check('a first activation killed at any step is rolled back to nothing', async () => {
    const release = await world.release('1.0.0');
    for (let changes = 0, broken = true; broken; changes += 1) {
      const subject = await world.subject();
      await world.stage(subject, release);
      broken = await interrupted(changes, (runtime) => runtime.activate(subject.tenant, quietWork()));
      expect(await world.runtime.pendingChanges()).toContain(subject.tenant.id);
      await world.runtime.rollback(subject.tenant, quietWork());
      expect(await unitsOf(subject)).toEqual([]);
      expect(await secretsOf(subject)).toEqual([]);
    }
  });

  check('the environment is in a secret that only the unit’s user reads, and that is collected', async () => {
    const environment = { DB_PASSWORD: `secret-${randomUUID()}` };
    const { subject, release } = await world.deployed('1.0.0', { environment });
    const services = await docker.listServices({ filters: { label: [`org.tenantry.tenant=${subject.tenant.id}`] } });
    expect(services).toHaveLength(2);
    expect(JSON.stringify(services)).not.toContain(environment.DB_PASSWORD);
    expect(await world.ask(subject, 'api', '/env')).toMatchObject(environment);
    const work = recordedWork();
    await world.run(subject, release, `stat -c '%a %u' /run/secrets/environment; id -u; cat /proc/1/status`, { work });
    expect(work.lines).toEqual(expect.arrayContaining(['400 1000', '1000']));
    const before = await secretsOf(subject);
    await world.activate(subject, release, { environment: { DB_PASSWORD: 'another' } });
    await world.runtime.commit(subject.tenant);
    const after = await secretsOf(subject);
    expect(after).toHaveLength(1);
    expect(after).not.toEqual(before);
  });

  check('a unit that no node can run, or that every node rejects, says why', async () => {
    const { subject } = await world.deployed();
    const reasonOf = (part: string) =>
      world.eventually(part, async () => {
        const state = await world.runtime.inspect(subject.api);
        return state.reason?.includes(part) ? state : undefined;
      });
    await world.runtime.stop(subject.api);
    await rm(join(cluster().storage, subject.tenant.slug, 'data'), { recursive: true });
    await world.runtime.start(subject.api);
    expect(await reasonOf('bind source path does not exist')).toMatchObject({ state: 'inactive' });

    const large = await world.subject();
    const release = await world.release('1.0.0');
    for (const role of ['api', 'frontend'] as const) {
      const limits = { memoryMb: 4_000_000, cpus: 1, pids: 100 };
      await world.runtime.stage({ ...world.spec(large, role, release), limits }, quietWork());
    }
    await world.runtime.activate(large.tenant, quietWork());
    const waiting = await world.eventually('it is pending', async () => {
      const state = await world.runtime.inspect(large.api);
      return state.reason?.includes('no suitable node') ? state : undefined;
    });
    expect(waiting).toMatchObject({ state: 'inactive', gaveUp: false, waiting: true });
    await world.runtime.rollback(large.tenant, quietWork());
  });

  check('a followed log names the node, and goes on after a lost and a silent connection without a gap', async () => {
    const { subject } = await world.deployed();
    const proxy = await EngineProxy.open(cluster().sockets[0]);
    const runtime = sibling({ managers: [{ socketPath: proxy.socketPath }] });
    const ending = new AbortController();
    const seen: UnitLogLine[] = [];
    const following = (async () => {
      for await (const line of runtime.logs(subject.api, { lines: 0, follow: true, signal: ending.signal }))
        if (/^(first|second|third)-/.test(line.message)) seen.push(line);
    })();
    const says = async (text: string): Promise<void> => {
      await world.say(subject, text, 50);
      await world.eventually(`the follower sees ${text}`, async () =>
        seen.some(({ message }) => message === `${text}-50`) ? true : undefined,
      );
    };
    try {
      await world.eventually('the log is followed', async () =>
        proxy.requests.some((request) => /\/tasks\/\w+\/logs.*follow=true/.test(request)) ? true : undefined,
      );
      await says('first');
      await proxy.cut();
      await proxy.restore();
      await says('second');
      expect(proxy.silence(/\/tasks\/\w+\/logs.*follow=true/)).toBe(1);
      await says('third');
    } finally {
      ending.abort();
      await following;
      await proxy.close();
    }
    expect(seen.map(({ message }) => message)).toEqual(
      ['first', 'second', 'third'].flatMap((text) => Array.from({ length: 50 }, (_, at) => `${text}-${at + 1}`)),
    );
    const { host } = await world.runtime.address(subject.api, 0);
    const running = (await world.runtime.nodes?.list())?.find(({ address }) => address === host);
    expect(new Set(seen.map(({ node }) => node))).toEqual(new Set([running?.hostname]));
  });

  check('gives up a unit that never stays up, and can start it again', async () => {
    const runtime = sibling({ restarts: { limit: 2, windowMs: 10 * minutes, delayMs: 500 } });
    const subject = await world.subject();
    const release = await world.release('1.0.0');
    for (const role of ['api', 'frontend'] as const)
      await runtime.stage(world.spec(subject, role, release, { environment: { CRASH: '1' } }), quietWork());
    await runtime.activate(subject.tenant, quietWork());
    const state = await world.eventually('it is given up', async () => {
      const seen = await runtime.inspect(subject.api);
      return seen.gaveUp ? seen : undefined;
    });
    expect(state).toMatchObject({ state: 'inactive', reason: 'Exit code 3; given up after 2 restarts' });
    await runtime.start(subject.api);
    expect((await runtime.inspect(subject.api)).gaveUp).toBe(false);
  });

  check('a failing command runs once', async () => {
    const { subject, release } = await world.deployed();
    expect(await world.run(subject, release, 'echo ran >> /data/runs; exit 3')).toMatchObject({ exitCode: 3 });
    const work = recordedWork();
    await world.run(subject, release, 'sleep 8; cat /data/runs', { work });
    expect(work.lines).toEqual(['ran']);
  });

  check('a command that a node rejects for a passing reason is run again, and runs once', async () => {
    const subject = await world.subject();
    const release = await world.release('1.0.0');
    await world.stage(subject, release);
    const filters = { label: [`org.tenantry.tenant=${subject.tenant.id}`] };
    const [overlay] = await docker.listNetworks({ filters });
    const taken = await Promise.all(
      cluster().sockets.map((socketPath) =>
        new Docker({ socketPath }).createNetwork({
          Name: `taken-${instance}`,
          IPAM: { Driver: 'default', Config: [{ Subnet: overlay?.IPAM?.Config?.[0]?.Subnet ?? '' }] },
        }),
      ),
    );
    const work = recordedWork();
    const end = world.run(subject, release, 'echo ran >> /data/runs; cat /data/runs', { work });
    await world.eventually('it is rejected', async () => {
      const tasks: { Status: { State: string } }[] = await docker.listTasks({ filters });
      return tasks.some(({ Status }) => Status.State === 'rejected') || undefined;
    });
    await Promise.all(taken.map((network) => network.remove()));
    expect(await end).toMatchObject({ exitCode: 0 });
    expect(work.lines[0]).toMatch(/^The command could not be run: .*Pool overlaps.*; trying again$/);
    expect(work.lines.filter((line) => !line.endsWith('; trying again'))).toEqual(['ran']);
  });

  check('a command that runs on a node when it loses its label is not run again', async () => {
    const { subject, release } = await world.deployed();
    const label = async (id: string, labels: Record<string, string>) => {
      const { Version, Spec } = await docker.getNode(id).inspect();
      await docker.getNode(id).update({ version: Version.Index, ...Spec, Labels: labels });
      return Spec.Labels as Record<string, string>;
    };
    const filters = { label: [`org.tenantry.tenant=${subject.tenant.id}`, 'org.tenantry.role=job'] };
    const failure = world.run(subject, release, 'echo ran >> /data/runs; sleep 60').catch(messageOf);
    const node = await world.eventually('it runs', async () => {
      const tasks: { NodeID: string; Status: { State: string } }[] = await docker.listTasks({ filters });
      return tasks.find(({ Status }) => Status.State === 'running')?.NodeID;
    });
    const before = await label(node, {});
    try {
      expect(await failure).toMatch(/^The command could not be run: .*no longer meets constraints/);
    } finally {
      await label(node, before);
    }
    const work = recordedWork();
    await world.run(subject, release, 'cat /data/runs', { work });
    expect(work.lines).toEqual(['ran']);
  });

  check('tenants that begin at one moment get networks that do not overlap', async () => {
    const release = await world.release('1.0.0');
    const subjects = await Promise.all(Array.from({ length: 16 }, () => world.subject()));
    await Promise.all(subjects.map((subject) => world.stage(subject, release)));
    const networks = await docker.listNetworks({ filters: { label: [`org.tenantry.instance=${instance}`] } });
    const subnets = networks.flatMap(({ IPAM }) => IPAM?.Config?.map(({ Subnet }) => Subnet) ?? []);
    expect(subnets).toHaveLength(networks.length);
    expect(new Set(subnets).size).toBe(networks.length);
    for (const { tenant } of subjects) await world.runtime.removeTenant(tenant, { data: true });
  });

  check('a foreign network of our name is refused and left alone', async () => {
    const subject = await world.subject();
    const name = `swarm-tenantry-${subject.tenant.slug}`;
    const network = await docker.createNetwork({ Name: name, Driver: 'overlay' });
    await expect(world.stage(subject, await world.release('1.0.0'))).rejects.toThrow(name);
    await world.runtime.removeTenant(subject.tenant, { data: true });
    expect((await network.inspect()).Name).toBe(name);
    await network.remove();
  });

  check('a tenant’s network fits the MTU of the links, less 50 bytes for VXLAN', async () => {
    const subject = await world.subject();
    const release = await world.release('1.0.0');
    await sibling({ mtu: 1350 }).stage(world.spec(subject, 'api', release), quietWork());
    const work = recordedWork();
    await world.run(subject, release, 'cat /sys/class/net/eth*/mtu', { work });
    expect(work.lines).toContain('1300');
    await world.runtime.rollback(subject.tenant, quietWork());
  });

  check('a node that pulls an image after a change of the registry’s password uses the new one', async () => {
    await cluster().stopRegistry();
    const { registry: address } = cluster();
    const registry = await TestRegistry.start({ credentials: true, address });
    const own = `test-${randomUUID().slice(0, 12)}`;
    const harness = await swarmHarness(cluster(), { instance: own, registry: { address, ...account } });
    const before = await RuntimeWorld.create(harness);
    const password = 'another-pass/+word';
    const later = testSwarmRuntime(cluster(), { instance: own, registry: { address, ...account, password } });
    const nodes = async () => (await later.nodes?.list()) ?? [];
    try {
      const { subject } = await before.deployed();
      await before.answer(subject);
      await registry.changePassword(password);
      const updated = async (): Promise<string[]> => {
        const filters = { label: [`org.tenantry.instance=${own}`] };
        return (await docker.listServices({ filters })).map(({ UpdatedAt: at = '' }) => at);
      };
      const first = await updated();
      const task = await taskOf(subject);
      await later.open();
      await before.eventually('all services have the new credentials', async () =>
        (await updated()).every((at) => !first.includes(at)) ? true : undefined,
      );
      expect((await taskOf(subject)).id).toBe(task.id);
      // Node 1 has built the image, the unit's node has pulled it.
      for (const { id, hostname } of await nodes())
        if (hostname === 'node1' || id === task.node) await later.nodes?.setAvailability(id, 'drain');
      const moved = await before.eventually('the unit runs on a node without the image', async () => {
        const found = await taskOf(subject);
        return found.node !== task.node && found.state === 'running' ? found : undefined;
      });
      expect(moved.id).not.toBe(task.id);
      await before.answer(subject);
    } finally {
      for (const { id } of await nodes()) await later.nodes?.setAvailability(id, 'active');
      await before.runtime.close();
      before.runtime = later;
      await before.destroy();
      await registry.close();
      await cluster().startRegistry();
    }
  });

  check('the network that the Docker runtime made for a tenant on the same engine is left alone', async () => {
    const subject = await world.subject();
    const { id, slug } = subject.tenant;
    const Labels = { 'org.tenantry.instance': instance, 'org.tenantry.tenant': id, 'org.tenantry.slug': slug };
    const network = await docker.createNetwork({ Name: `tenantry-${slug}`, Driver: 'bridge', Labels });
    await world.activate(subject, await world.release('1.0.0'));
    await world.runtime.removeTenant(subject.tenant, { data: true });
    expect((await network.inspect()).Name).toBe(`tenantry-${slug}`);
    await network.remove();
  });
});
