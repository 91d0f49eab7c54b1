import { randomBytes, randomInt } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { createContainerPrograms } from '../../../../src/adapters/runtimes/engine/exec/container-programs.ts';
import { RuntimeWorld, recordedWork, type Subject } from '../../../contracts/runtime-world.ts';
import { dockerHarness, testRuntime } from '../../../harness/engine/docker-runtime.ts';
import { describeWithEngine } from '../../../harness/engine/engine.ts';
import { patienceMs } from '../../../harness/patience.ts';
import { freePort } from '../../../harness/servers/ports.ts';

const minutes = 60_000;

describeWithEngine('a reverse proxy in a container', () => {
  const docker = new Docker({ socketPath: '/var/run/docker.sock' });
  const mark = randomBytes(4).toString('hex');
  const instance = `test-${mark}`;
  const proxyContainer = `test-proxy-${mark}`;
  /** It sorts before the tenants': before engine 28 a container publishes ports on its first network. */
  const ground = `0-test-proxy-${mark}`;
  const inside = createContainerPrograms({ container: proxyContainer });
  let world: RuntimeWorld;
  let port: number;

  const proxy = () => docker.getContainer(proxyContainer);
  async function startProxy(): Promise<void> {
    const created = await docker.createContainer({
      name: proxyContainer,
      Image: 'nginx:1.30',
      HostConfig: {
        NetworkMode: ground,
        PortBindings: { '80/tcp': [{ HostIp: '127.0.0.1', HostPort: String(port) }] },
      },
    });
    await created.start();
  }
  const removeProxy = () =>
    proxy()
      .remove({ force: true })
      .catch(() => undefined);
  const networkOf = ({ tenant }: Subject) => `tenantry-${tenant.slug}`;
  /** The networks of the proxy, running or not. */
  const joined = async () => Object.keys((await proxy().inspect()).NetworkSettings.Networks);
  /** Requests a unit from the proxy's container, at the address that the runtime reports. */
  async function askFromProxy(subject: Subject, role: 'api' | 'frontend' = 'api'): Promise<string> {
    const { host, port: at } = await world.runtime.proxyAddress(subject[role], subject.ports[role]);
    const { output } = await inside(['curl', '--silent', '--max-time', '5', `http://${host}:${at}/`], {
      timeoutMs: patienceMs,
    });
    return output;
  }

  beforeAll(async () => {
    port = await freePort();
    // Random, because a killed run leaves its network behind.
    const subnet = `10.214.${randomInt(256)}.${randomInt(16) * 16}/28`;
    await docker.createNetwork({ Name: ground, IPAM: { Driver: 'default', Config: [{ Subnet: subnet }] } });
    const harness = await dockerHarness();
    world = await RuntimeWorld.create({
      ...harness,
      async open() {
        const runtime = testRuntime({ instance, proxyContainer });
        await runtime.open();
        return runtime;
      },
    });
  }, 5 * minutes);
  afterEach(removeProxy);
  afterAll(async () => {
    await world?.destroy();
    await docker.getNetwork(ground).remove();
    expect(await testRuntime({ instance }).list()).toEqual([]);
  }, 5 * minutes);

  const check = (what: string, tests: () => Promise<void>): void => test(what, tests, 5 * minutes);

  check('reaches units by name on their networks, which end with the tenant', async () => {
    await startProxy();
    const { subject } = await world.deployed('1.0.0');
    expect(await world.runtime.proxyAddress(subject.frontend, subject.ports.frontend)).toEqual({
      host: `${subject.tenant.slug}-frontend`,
      port: 3000,
    });
    expect(await askFromProxy(subject)).toContain('"version":"1.0.0"');
    expect(await askFromProxy(subject, 'frontend')).toContain('"version":"1.0.0"');
    // On the host, the manager still uses the published port.
    expect((await world.runtime.address(subject.api, subject.ports.api)).host).toBe('127.0.0.1');
    await world.runtime.removeTenant(subject.tenant, { data: true });
    expect(await joined()).toEqual([ground]);
    await expect(world.runtime.proxyAddress(subject.api, 1)).rejects.toMatchObject({ code: 'not_deployed' });
  });

  check('joins the networks again automatically after it was created again', async () => {
    await startProxy();
    const { subject } = await world.deployed('1.0.0');
    await removeProxy();
    await startProxy();
    await world.eventually('the new container is in', async () =>
      (await joined()).includes(networkOf(subject)) ? true : undefined,
    );
    expect(await askFromProxy(subject)).toContain('"version":"1.0.0"');
  });

  check('is found by the next manager if it was created again while none ran', async () => {
    await startProxy();
    const { subject } = await world.deployed('1.0.0');
    await world.runtime.close();
    await removeProxy();
    await startProxy();
    await world.reopen();
    expect(await joined()).toContain(networkOf(subject));
  });

  check('does not affect units while missing, and is reported where it is needed', async () => {
    const { subject } = await world.deployed('1.0.0');
    await world.answer(subject);
    await expect(world.runtime.proxyAddress(subject.api, subject.ports.api)).rejects.toMatchObject({
      code: 'proxy_unavailable',
      message: expect.stringContaining(`No container named ${proxyContainer}`),
    });
    await world.runtime.removeTenant(subject.tenant, { data: true });
  });

  check('joins and leaves networks while stopped, and starts again', async () => {
    await startProxy();
    const { subject: gone } = await world.deployed('1.0.0');
    await proxy().stop({ t: 1 });
    await world.runtime.removeTenant(gone.tenant, { data: true });
    const { subject } = await world.deployed('1.0.0');
    expect(await joined()).toContain(networkOf(subject));
    expect(await joined()).not.toContain(networkOf(gone));
    await proxy().start();
    expect(await askFromProxy(subject)).toContain('"version":"1.0.0"');
  });

  check('reports that it cannot join networks if it uses the host’s network', async () => {
    const HostConfig = { NetworkMode: 'host' };
    await docker.createContainer({ name: proxyContainer, Image: 'nginx:1.30', Cmd: ['sleep', '600'], HostConfig });
    await proxy().start();
    const { subject } = await world.deployed('1.0.0');
    await expect(world.runtime.proxyAddress(subject.api, subject.ports.api)).rejects.toMatchObject({
      code: 'proxy_unavailable',
      message: expect.stringMatching(/could not be connected to the network .*: .*host/),
    });
  });

  check('does not join tenants to each other', async () => {
    await startProxy();
    const [{ subject: one, release }, { subject: other }] = [await world.deployed(), await world.deployed()];
    const { NetworkSettings: settings } = await docker.getContainer(`${other.tenant.slug}-api`).inspect();
    const address = settings.Networks[networkOf(other)]?.IPAddress;
    expect(address).toMatch(/^10\.213\./);
    const reach = async (host: string): Promise<string> => {
      const script = `fetch('http://${host}:8000/',{signal:AbortSignal.timeout(2000)}).then(()=>console.log('reached'),()=>console.log('not reached'))`;
      const work = recordedWork();
      const job = world.job(one, release);
      await world.runtime.runJob(job, work, (run) => run(`node -e "${script}"`, { timeoutMs: patienceMs }));
      return work.lines.join();
    };
    expect(await reach(`${one.tenant.slug}-api`)).toBe('reached');
    expect(await reach(`${other.tenant.slug}-api`)).toBe('not reached');
    expect(await reach(String(address))).toBe('not reached');
  });

  check('keeps answering on its own ports while tenants are created and deleted', async () => {
    await startProxy();
    const failures: unknown[] = [];
    let answers = 0;
    const ending = new AbortController();
    const polling = (async () => {
      await world.eventually('it answers', async () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          () => true,
          () => undefined,
        ),
      );
      while (!ending.signal.aborted) {
        const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { connection: 'close' } }).catch(
          (error: unknown) => error,
        );
        if (answer instanceof Response && answer.ok) answers += 1;
        else failures.push(answer);
      }
    })();
    for (let round = 0; round < 3; round += 1) {
      const { subject } = await world.deployed('1.0.0');
      expect(await joined()).toContain(networkOf(subject));
      await world.runtime.removeTenant(subject.tenant, { data: true });
    }
    ending.abort();
    await polling;
    expect(failures).toEqual([]);
    expect(answers).toBeGreaterThan(0);
  });

  describe('is not configured, while the manager runs in a container', () => {
    check('is requested by name', async () => {
      const runtime = testRuntime({ instance, managerContainer: '0'.repeat(64) });
      const subject = await world.subject();
      await expect(runtime.proxyAddress(subject.api, subject.ports.api)).rejects.toMatchObject({
        code: 'proxy_unavailable',
        message: expect.stringContaining('PROXY_CONTAINER'),
      });
    });
  });
});
