import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import type { Runtime } from '../../../src/adapters/runtimes/runtime.ts';
import { quietWork, RuntimeWorld } from '../../contracts/runtime-world.ts';
import { dockerHarness, testRuntime } from '../../harness/engine/docker-runtime.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { EngineProxy } from '../../harness/engine/engine-proxy.ts';

describeWithEngine('an engine that hangs in the middle', () => {
  const docker = new Docker({ socketPath: '/var/run/docker.sock' });
  const instance = `test-${randomUUID().slice(0, 12)}`;
  let world: RuntimeWorld;
  let proxy: EngineProxy;
  let runtime: Runtime;

  beforeAll(async () => {
    proxy = await EngineProxy.open();
    runtime = testRuntime({ instance, engine: { socketPath: proxy.socketPath }, idleTimeoutMs: 15_000 });
    world = await RuntimeWorld.create({
      ...(await dockerHarness()),
      async open() {
        await runtime.open();
        return runtime;
      },
    });
  });
  afterAll(async () => {
    await world?.destroy();
    await proxy?.close();
  });

  const runs = async (name: string) => (await docker.getContainer(name).inspect()).State.Running;

  test('an interrupted event stream during a replacement starts no unit that was just stopped', async () => {
    const { subject } = await world.deployed('1.0.0');
    await world.stage(subject, await world.release('2.0.0'));
    const rename = proxy.hold(/^POST .*\/rename/);
    const activated = runtime.activate(subject.tenant, quietWork());
    await rename.reached;
    // After reconnecting, the manager looks for stopped units that should run.
    const looks = proxy.hold(/^GET .*\/containers\/json.*exited/);
    proxy.breakEvents();
    await looks.reached;
    looks.release();
    await sleep(1_500);
    expect(await runs(`${subject.tenant.slug}-api`)).toBe(false);
    rename.release();
    await activated;
    for (const role of ['api', 'frontend'] as const) expect((await world.answer(subject, role)).version).toBe('2.0.0');
    expect(await runs(`${subject.tenant.slug}-api.previous`)).toBe(false);
    await runtime.commit(subject.tenant);
  });

  test('an abandoned replacement changes nothing more when the engine responds again', async () => {
    const { subject } = await world.deployed('1.0.0');
    await world.stage(subject, await world.release('2.0.0'));
    const stop = proxy.hold(/^POST .*\/stop/);
    const givenUp = new AbortController();
    const activated = runtime.activate(subject.tenant, { log: () => undefined, signal: givenUp.signal });
    const failed = expect(activated).rejects.toThrow('given up');
    await stop.reached;
    givenUp.abort(new Error('given up'));
    const reverted = runtime.rollback(subject.tenant, quietWork());
    stop.release();
    await failed;
    await reverted;
    for (const role of ['api', 'frontend'] as const) expect((await world.answer(subject, role)).version).toBe('1.0.0');
    expect(await runtime.pendingChanges()).not.toContain(subject.tenant.id);
  });

  test('a request without a response ends as runtime_unavailable, and the next one is served', async () => {
    const { subject } = await world.deployed('1.0.0');
    const all = proxy.hold(/./);
    await expect(runtime.stop(subject.api)).rejects.toMatchObject({ code: 'runtime_unavailable' });
    all.release();
    await runtime.stop(subject.api);
    expect(await runs(`${subject.tenant.slug}-api`)).toBe(false);
  });
});
