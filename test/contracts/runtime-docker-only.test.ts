import { randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import type { DockerRuntimeOptions } from '../../src/adapters/runtimes/docker/docker-runtime.ts';
import type { DatabaseServerSpec, Runtime } from '../../src/adapters/runtimes/runtime.ts';
import { dockerHarness, testRuntime } from '../harness/engine/docker-runtime.ts';
import { describeWithEngine } from '../harness/engine/engine.ts';
import { EngineProxy } from '../harness/engine/engine-proxy.ts';
import { patienceMs } from '../harness/patience.ts';
import { quietWork, RuntimeWorld, recordedWork, type Subject } from './runtime-world.ts';

const minutes = 60_000;

describeWithEngine('docker, in addition to the contract', () => {
  const docker = new Docker({ socketPath: '/var/run/docker.sock' });
  const instance = `test-${randomUUID().slice(0, 12)}`;
  let world: RuntimeWorld;
  const others: Runtime[] = [];

  /** Another manager of the same instance, for example one that takes over, or one whose engine becomes unavailable. */
  async function sibling(changes: Partial<DockerRuntimeOptions> = {}): Promise<Runtime> {
    const runtime = testRuntime({ instance, ...changes });
    await runtime.open();
    others.push(runtime);
    return runtime;
  }
  const containersOf = async ({ tenant }: Subject): Promise<string[]> =>
    (await world.runtime.list())
      .filter(({ tenantId, kind }) => tenantId === tenant.id && kind !== 'network' && kind !== 'volume')
      .map(({ name }) => name)
      .sort();
  const inspect = (name: string) => docker.getContainer(name).inspect();
  const check = (what: string, tests: () => Promise<void>): void => test(what, tests, 5 * minutes);

  beforeAll(async () => {
    const harness = await dockerHarness();
    world = await RuntimeWorld.create({
      ...harness,
      async open() {
        const runtime = testRuntime({ instance });
        await runtime.open();
        return runtime;
      },
    });
  }, 5 * minutes);
  afterAll(async () => {
    await Promise.all(others.map((runtime) => runtime.close()));
    await world?.destroy();
    const left = (await testRuntime({ instance }).list()).map(({ name }) => name);
    expect(left).toEqual([]);
  }, 5 * minutes);

  check('units are labelled, limited and unprivileged, as the engine and the unit itself see it', async () => {
    const { subject, release } = await world.shared();
    const { Config: config, HostConfig: host } = await inspect(`${subject.tenant.slug}-api`);
    expect(config.Labels).toMatchObject({
      'org.tenantry.instance': instance,
      'org.tenantry.tenant': subject.tenant.id,
      'org.tenantry.slug': subject.tenant.slug,
      'org.tenantry.role': 'api',
      'org.tenantry.commit': release.commit,
      'org.tenantry.release': release.key,
      'traefik.enable': '',
    });
    expect(host).toMatchObject({
      CapDrop: ['ALL'],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
      NanoCpus: 1e9,
      PidsLimit: 128,
      Memory: 256 * 1024 * 1024,
      RestartPolicy: { Name: 'unless-stopped' },
      LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '3' } },
      PortBindings: { '8000/tcp': [{ HostIp: '127.0.0.1', HostPort: String(subject.ports.api) }] },
    });
    const status = await world.ask<{ content: string }>(subject, 'api', '/read?path=/proc/self/status');
    expect(status?.content).toMatch(/^CapEff:\t0+$/m);
    expect(status?.content).toMatch(/^CapBnd:\t0+$/m);
    expect(status?.content).toMatch(/^NoNewPrivs:\t1$/m);
    const network = await docker.getNetwork(`tenantry-${subject.tenant.slug}`).inspect();
    expect(network.IPAM?.Config?.[0]?.Subnet).toMatch(/^10\.213\.\d+\.\d+\/28$/);
  });

  check('limits still apply after a stop and a start', async () => {
    const { subject } = await world.shared();
    await world.runtime.stop(subject.api);
    expect((await inspect(`${subject.tenant.slug}-api`)).HostConfig.RestartPolicy).toMatchObject({ Name: 'no' });
    await world.runtime.start(subject.api);
    const { HostConfig: host } = await inspect(`${subject.tenant.slug}-api`);
    expect(host).toMatchObject({ Memory: 256 * 1024 * 1024, NanoCpus: 1e9, RestartPolicy: { Name: 'unless-stopped' } });
  });

  check('rejects a foreign container or network with our name, and leaves it alone', async () => {
    const subject = await world.subject();
    const release = await world.release('1.0.0');
    const name = `${subject.tenant.slug}-api`;
    const foreign = await docker.createContainer({ name, Image: 'node:24-bookworm-slim', Cmd: ['true'] });
    try {
      await expect(world.runtime.stop(subject.api)).rejects.toThrow(name);
      await expect(world.stage(subject, release)).rejects.toThrow(name);
      await expect(world.runtime.rollback(subject.tenant, quietWork())).rejects.toThrow(name);
      expect((await foreign.inspect()).Name).toBe(`/${name}`);
      await world.runtime.removeTenant(subject.tenant, { data: true });
      expect((await foreign.inspect()).Name).toBe(`/${name}`);
    } finally {
      await foreign.remove({ force: true });
    }

    const network = await docker.createNetwork({
      Name: `tenantry-${subject.tenant.slug}`,
      IPAM: { Driver: 'default', Config: [{ Subnet: '10.213.255.240/28' }] },
    });
    try {
      await expect(world.stage(subject, release)).rejects.toThrow(`tenantry-${subject.tenant.slug}`);
      await world.runtime.removeTenant(subject.tenant, { data: true });
      expect((await network.inspect()).Id).toBe(network.id);
    } finally {
      await network.remove();
    }
  });

  check('a host port in use fails the start with a message', async () => {
    const { subject: occupant } = await world.shared();
    const subject = await world.subject();
    await world.stage(subject, await world.release('1.0.0'), { ports: { api: occupant.ports.api } });
    const activating = world.runtime.activate(subject.tenant, quietWork());
    await expect(activating).rejects.toThrow(`${subject.tenant.slug}-api could not be started: `);
    await expect(activating).rejects.toThrow(String(occupant.ports.api));
    expect((await world.runtime.inspect(subject.api)).reason).toContain(String(occupant.ports.api));
    await world.runtime.rollback(subject.tenant, quietWork());
    expect(await containersOf(subject)).toEqual([]);
  });

  check('an error inside the stream of a build or a pull is an error', async () => {
    const release = await world.checkout('1.0.0', 'fail');
    const work = recordedWork();
    await expect(world.runtime.prepareRelease(release, work)).rejects.toThrow(
      /Building the api image failed: .*exit code: 4/,
    );
    await writeFile(join(release.checkout, 'Dockerfile'), 'NONSENSE\n');
    await expect(world.runtime.prepareRelease(release, work)).rejects.toThrow(
      /Building the api image failed: .*NONSENSE/i,
    );
    const { tenant } = await world.subject();
    const spec = database(tenant, { image: '127.0.0.1:9/no/such:image' });
    await expect(world.runtime.databaseServers?.ensure(spec, work)).rejects.toThrow(
      'The engine cannot reach 127.0.0.1:9 to pull the image 127.0.0.1:9/no/such:image.',
    );
  });

  check('a cancelled build leaves no process, container or image', async () => {
    const release = await world.checkout('1.0.0', 'slow');
    const before = { containers: await docker.listContainers({ all: true }), images: await docker.listImages() };
    const aborting = new AbortController();
    const work = recordedWork(aborting.signal);
    const building = world.runtime.prepareRelease(release, work);
    building.catch(() => undefined);
    await world.eventually('the build runs', async () =>
      work.lines.some((line) => line.includes('BUILD api')) ? true : undefined,
    );
    aborting.abort(new Error('cancelled'));
    await expect(building).rejects.toThrow('cancelled');
    const named = (list: { Id: string; Labels: Record<string, string> | null }[]): string[] =>
      list.filter(({ Labels: labels }) => labels?.['org.tenantry.release'] === release.key).map(({ Id: id }) => id);
    expect(named(await docker.listImages())).toEqual([]);
    const known = new Set(before.containers.map(({ Id: id }) => id));
    const fresh = (await docker.listContainers({ all: true })).filter(({ Id: id }) => !known.has(id));
    expect(fresh.filter(({ Command: command }) => command.includes('build.mjs'))).toEqual([]);
    await world.eventually('the step has ended', async () =>
      (await processes()).some((line) => line.includes('build.mjs api')) ? undefined : true,
    );
  });

  check('an image has no files excluded by .dockerignore, and its files belong to root', async () => {
    const subject = await world.subject();
    const release = await world.checkout('1.0.0');
    await writeFile(join(release.checkout, '.dockerignore'), '*.log\nsecrets\n');
    await writeFile(join(release.checkout, 'debug.log'), 'left out', { mode: 0o600 });
    await writeFile(join(release.checkout, 'private.txt'), 'readable all the same', { mode: 0o600 });
    await world.runtime.prepareRelease(release, quietWork());
    const work = recordedWork();
    await world.run(subject, release, 'ls -ln; cat private.txt', { work });
    expect(work.lines.join('\n')).not.toContain('debug.log');
    expect(work.lines.join('\n')).toMatch(/-rw-r--r-- 1 0 0 .* private\.txt/);
    expect(work.lines).toContain('readable all the same');
  });

  check('import files and the data directory belong to the image user, also while the units are stopped', async () => {
    const { subject, release } = await world.shared();
    await world.runtime.stop(subject.api);
    const content = (async function* () {
      for (let megabyte = 0; megabyte < 64; megabyte += 1) yield Buffer.alloc(1024 * 1024, 'x');
    })();
    const path = await world.runtime.putImportFile(subject.tenant, 'large.csv', content);
    const work = recordedWork();
    const command = `stat -c '%u %g %a %s' ${path}; touch /data/mine && id -u && stat -c '%u' /data /data/mine`;
    await world.run(subject, release, command, { work });
    expect(work.lines).toEqual([`1000 1000 644 ${64 * 1024 * 1024}`, '1000', '1000', '1000']);
    await world.runtime.removeImportFile(subject.tenant, 'large.csv');
    const after = recordedWork();
    await world.run(subject, release, `ls ${path}`, { work: after });
    expect(after.lines.join()).toContain('No such file');
    expect((await world.runtime.inspect(subject.api)).state).toBe('inactive');
    await world.runtime.start(subject.api);
  });

  check('jobs end at their memory limit, and their leftovers are removed when a manager opens', async () => {
    const { subject, release } = await world.shared();
    const hungry = `node -e "const a=[];for(;;)a.push(Buffer.alloc(16e6,1))"`;
    const result = await world.run(subject, release, hungry);
    expect(result.exitCode).not.toBe(0);
    const left = await docker.createContainer({
      name: `${subject.tenant.slug}-job-left`,
      Image: 'node:24-bookworm-slim',
      Cmd: ['sleep', '600'],
      Labels: {
        'org.tenantry.instance': instance,
        'org.tenantry.tenant': subject.tenant.id,
        'org.tenantry.role': 'job',
      },
    });
    await left.start();
    await world.reopen();
    expect((await world.runtime.list()).filter(({ kind }) => kind === 'job')).toEqual([]);
  });

  check('gives up a unit that never stays up, and can start it again', async () => {
    const runtime = await sibling({ restarts: { limit: 3, steadyMs: 60_000 } });
    const subject = await world.subject();
    await world.stage(subject, await world.release('1.0.0'), { environment: { CRASH: '1' } });
    await runtime.activate(subject.tenant, quietWork());
    const state = await world.eventually('it is given up', async () => {
      const seen = await runtime.inspect(subject.api);
      return seen.gaveUp ? seen : undefined;
    });
    expect(state).toMatchObject({
      state: 'inactive',
      reason: expect.stringMatching(/Exit code \d+; given up after \d+ restarts/),
    });
    expect((await inspect(`${subject.tenant.slug}-api`)).State).toMatchObject({ Running: false, Restarting: false });
    await runtime.start(subject.api);
    expect((await runtime.inspect(subject.api)).gaveUp).toBe(false);
    await runtime.close();
  });

  check(
    'when a manager opens, it starts units that the engine stopped unexpectedly, but not stopped ones',
    async () => {
      const { subject } = await world.deployed();
      await world.runtime.stop(subject.frontend);
      await docker.getContainer(`${subject.tenant.slug}-api`).stop({ t: 1 });
      expect((await world.runtime.inspect(subject.api)).reason).toContain('stopped from outside');
      await world.reopen();
      expect((await world.runtime.inspect(subject.api)).state).toBe('active');
      expect((await world.runtime.inspect(subject.frontend)).state).toBe('inactive');
      await world.answer(subject);
    },
  );

  check(
    'after a kill between any two steps of an activation, the next manager completes it or rolls it back',
    async () => {
      const { subject } = await world.deployed('1.0.0');
      const next = await world.release('2.0.0');
      const name = subject.tenant.slug;
      for (const ending of ['activate', 'rollback'] as const) {
        for (let changes = 0, broken = true; broken; changes += 1) {
          await world.stage(subject, next);
          broken = await interrupted(changes, (runtime) => runtime.activate(subject.tenant, quietWork()));
          await world.runtime[ending](subject.tenant, quietWork());
          const version = ending === 'activate' ? '2.0.0' : '1.0.0';
          for (const role of ['api', 'frontend'] as const)
            expect((await world.answer(subject, role)).version).toBe(version);
          // The rollback also fails at every step.
          if (ending === 'activate') {
            await interrupted(changes, (runtime) => runtime.rollback(subject.tenant, quietWork()));
            await world.runtime.rollback(subject.tenant, quietWork());
          }
          expect((await world.answer(subject, 'frontend')).version).toBe('1.0.0');
          expect(await containersOf(subject)).toEqual([`${name}-api`, `${name}-frontend`]);
        }
      }
    },
  );

  check('a first activation killed at any step is rolled back to nothing', async () => {
    const release = await world.release('1.0.0');
    for (let changes = 0, broken = true; broken; changes += 1) {
      const subject = await world.subject();
      await world.stage(subject, release);
      broken = await interrupted(changes, (runtime) => runtime.activate(subject.tenant, quietWork()));
      await world.runtime.rollback(subject.tenant, quietWork());
      expect(await containersOf(subject)).toEqual([]);
    }
  });

  /** Uses a connection that breaks after a number of changes; true if it broke. */
  async function interrupted(changes: number, act: (runtime: Runtime) => Promise<void>): Promise<boolean> {
    const proxy = await EngineProxy.open();
    try {
      proxy.breakAfter(changes);
      const failure = await act(testRuntime({ instance, engine: { socketPath: proxy.socketPath } })).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure !== undefined) expect(failure).toMatchObject({ code: 'runtime_unavailable' });
      return failure !== undefined;
    } finally {
      await proxy.close();
    }
  }

  check('every call fails with runtime_unavailable without an engine, and works again when it returns', async () => {
    const { subject, release } = await world.deployed();
    const proxy = await EngineProxy.open();
    const runtime = await sibling({
      engine: { socketPath: proxy.socketPath },
      restarts: { limit: 2, steadyMs: 60_000 },
    });
    const seen: string[] = [];
    const ending = new AbortController();
    const following = (async () => {
      const options = { lines: 0, follow: true, signal: ending.signal };
      for await (const { message } of runtime.logs(subject.api, options)) seen.push(message);
    })();
    await world.eventually('the follower listens', async () => {
      await world.say(subject, 'before', 1);
      return seen.includes('before-1') ? true : undefined;
    });
    const started = recordedWork();
    const job = runtime.runJob(world.job(subject, release), started, (run) =>
      run('node job.mjs sleep', { timeoutMs: patienceMs }),
    );
    job.catch(() => undefined);
    await world.eventually('the job runs', async () => started.lines.includes('sleeping') || undefined);

    await proxy.cut();
    const { tenant, api } = subject;
    const spec = world.spec(subject, 'api', release);
    const calls: (() => Promise<unknown>)[] = [
      () => runtime.freeSpace(),
      async () => runtime.prepareRelease(await world.checkout('9.0.0'), quietWork()),
      () => runtime.hasRelease(release.key),
      () => runtime.removeReleasesExcept(new Set()),
      () => runtime.stage(spec, quietWork()),
      () => runtime.isLive(spec),
      () => runtime.activate(tenant, quietWork()),
      () => runtime.commit(tenant),
      () => runtime.rollback(tenant, quietWork()),
      () => runtime.start(api),
      () => runtime.stop(api),
      () => runtime.restart(api),
      () => runtime.inspect(api),
      async () => {
        const options = { lines: 1, follow: false, signal: new AbortController().signal };
        for await (const _ of runtime.logs(api, options));
      },
      () => runtime.runJob(world.job(subject, release), quietWork(), (run) => run('true', { timeoutMs: patienceMs })),
      () => runtime.putImportFile(tenant, 'a.csv', (async function* () {})()),
      () => runtime.removeImportFile(tenant, 'a.csv'),
      () => runtime.list(),
      () => runtime.removeTenant(tenant, { data: false }),
      async () => runtime.databaseServers?.address(tenant),
      async () => runtime.databaseServers?.ensure(database(tenant), quietWork()),
      () => job,
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject({ code: 'runtime_unavailable' });
    expect(await runtime.availability()).toMatchObject({ available: false, reason: expect.any(String) });
    await world.say(subject, 'between', 1);

    await proxy.restore();
    expect(await runtime.availability()).toMatchObject({ available: true });
    expect((await runtime.inspect(api)).state).toBe('active');
    await world.say(subject, 'after', 1);
    await world.eventually('the follower goes on', async () => (seen.includes('after-1') ? true : undefined));
    expect(seen.filter((line) => line === 'between-1')).toHaveLength(1);
    ending.abort();
    await following;
    // The watch is back too: it removes the interrupted job.
    await world.eventually('the leftover job is gone', async () =>
      (await world.runtime.list()).some(({ kind }) => kind === 'job') ? undefined : true,
    );
    await runtime.close();
    await proxy.close();
    expect(await testRuntime({ engine: { socketPath: '/nonexistent/docker.sock' } }).availability()).toMatchObject({
      available: false,
    });
  });

  check('a manager in a container reaches units and databases by name, without published ports', async () => {
    const manager = await docker.createContainer({ Image: 'node:24-bookworm-slim', Cmd: ['sleep', '600'] });
    try {
      await manager.start();
      const runtime = await sibling({ managerContainer: manager.id });
      const subject = await world.subject();
      const release = await world.release('1.0.0');
      for (const role of ['api', 'frontend'] as const)
        await runtime.stage(world.spec(subject, role, release), quietWork());
      await runtime.activate(subject.tenant, quietWork());
      const address = await runtime.address(subject.api, subject.ports.api);
      expect(address).toEqual({ host: `${subject.tenant.slug}-api`, port: 8000 });
      expect(await world.ask(subject, 'api', '/')).toBeUndefined();
      const script = `fetch('http://${address.host}:${address.port}/').then(r=>r.text()).then(console.log,e=>console.log(''+e))`;
      await world.eventually('the unit answers inside', async () => {
        const exec = await manager.exec({ Cmd: ['node', '-e', script], AttachStdout: true });
        const stream = await exec.start({});
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(chunk);
        return Buffer.concat(chunks).toString().includes('"version":"1.0.0"') ? true : undefined;
      });
      await runtime.removeTenant(subject.tenant, { data: true });
      expect((await runtime.list()).filter(({ tenantId }) => tenantId === subject.tenant.id)).toEqual([]);
      await runtime.close();
    } finally {
      await manager.remove({ force: true });
    }
  });

  check('a database server is reachable for the manager and units, keeps its data, and is removed', async () => {
    const servers = world.runtime.databaseServers;
    if (!servers) throw new Error('No database servers');
    const subject = await world.subject();
    const { tenant } = subject;
    const release = await world.release('1.0.0');
    const work = recordedWork();
    const { host, port } = await servers.ensure(database(tenant), work);
    expect({ host, port }).toEqual({ host: `${tenant.slug}-db`, port: 3306 });
    expect(await servers.address(tenant)).toMatchObject({ host: '127.0.0.1' });
    const greeting = `node -e "require('net').connect(${port},'${host}').once('data',d=>{console.log(d.toString('latin1').includes('MariaDB'));process.exit()})"`;
    const job = recordedWork();
    expect(await world.run(subject, release, greeting, { work: job })).toMatchObject({ exitCode: 0 });
    expect(job.lines).toEqual(['true']);

    const first = await inspect(`${tenant.slug}-db`);
    expect(first.HostConfig.CapAdd?.map((name: string) => name.replace(/^CAP_/, ''))).toEqual([
      'CHOWN',
      'DAC_OVERRIDE',
      'SETGID',
      'SETUID',
    ]);
    await servers.ensure(database(tenant), work);
    expect((await inspect(`${tenant.slug}-db`)).Id).toBe(first.Id);
    await docker.getContainer(`${tenant.slug}-db`).stop();
    expect(await servers.address(tenant)).toBeUndefined();
    await servers.ensure(database(tenant, { limits: { memoryMb: 600, cpus: 1, pids: 200 } }), work);
    expect((await inspect(`${tenant.slug}-db`)).HostConfig.Memory).toBe(600 * 1024 * 1024);
    const volume = { kind: 'volume', name: `tenantry-${tenant.id}-db`, tenantId: tenant.id };
    await servers.remove(tenant, { data: false });
    await servers.remove(tenant, { data: false });
    expect(await world.runtime.list()).toContainEqual(volume);
    await servers.remove(tenant, { data: true });
    expect(await world.runtime.list()).not.toContainEqual(volume);
    // The rollback of a failed first deployment runs this when all is removed already.
    await expect(servers.remove(tenant, { data: true })).resolves.toBeUndefined();
  });

  check('a program next to a database server gets its input and environment, and reports its exit code', async () => {
    const servers = world.runtime.databaseServers;
    if (!servers) throw new Error('No database servers');
    const { tenant } = await world.subject();
    const { signal } = new AbortController();
    const exec = async (argv: string[], input?: AsyncIterable<Uint8Array>) => {
      const program = await servers.exec(tenant, argv, { environment: { WORD: "it's ü" }, input, signal });
      const chunks: Uint8Array[] = [];
      for await (const chunk of program.output) chunks.push(chunk);
      return { output: Buffer.concat(chunks), ...(await program.ended) };
    };
    await expect(exec(['true'])).rejects.toThrow();
    await servers.ensure(database(tenant), recordedWork());
    const bytes = randomBytes(3_000_000);
    const input = async function* () {
      for (let at = 0; at < bytes.length; at += 70_000) yield bytes.subarray(at, at + 70_000);
    };
    const copied = await exec(['cat'], input());
    expect([copied.exitCode, copied.output.equals(bytes), copied.errors]).toEqual([0, true, '']);
    expect((await exec(['printenv', 'WORD'])).output.toString()).toBe("it's ü\n");
    // Arguments are literal: no shell reads them.
    expect((await exec(['printf', '%s|', '$HOME', '; exit 3', '*'])).output.toString()).toBe('$HOME|; exit 3|*|');
    const failed = await exec(['ls', '/nowhere']);
    expect([failed.exitCode, failed.output.length]).toEqual([2, 0]);
    expect(failed.errors).toContain('/nowhere');
    const broken = (async function* (): AsyncGenerator<Uint8Array> {
      yield Buffer.from('half');
      throw new Error('the source broke off');
    })();
    await expect(exec(['cat'], broken)).rejects.toThrow('the source broke off');
    const aborting = new AbortController();
    const sleeping = await servers.exec(tenant, ['sleep', '100'], { environment: {}, signal: aborting.signal });
    setTimeout(() => aborting.abort(new Error('enough')), 100);
    await expect(async () => {
      for await (const _ of sleeping.output);
      await sleeping.ended;
    }).rejects.toThrow('enough');
  });

  check('a unit that was paused or renamed by hand starts, and is found, under its name', async () => {
    const { subject } = await world.deployed();
    const name = `${subject.tenant.slug}-api`;
    const container = docker.getContainer((await inspect(name)).Id);
    await container.pause();
    await world.runtime.start(subject.api);
    expect((await container.inspect()).State).toMatchObject({ Running: true, Paused: false });
    await container.pause();
    await container.rename({ name: 'somebody-renamed-this' });
    expect(await world.runtime.inspect(subject.api)).toMatchObject({ obstacle: 'paused' });
    expect((await container.inspect()).Name).toBe(`/${name}`);
    await container.rename({ name: `${name}-old` });
    await world.runtime.restart(subject.api);
    expect((await container.inspect()).Name).toBe(`/${name}`);
    expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'active' });
  });

  check(
    'a tenant is not removed in part: containers of others in its network or with its volumes are named',
    async () => {
      const { subject } = await world.deployed();
      const { tenant } = subject;
      const before = await containersOf(subject);
      const network = docker.getNetwork(`tenantry-${tenant.slug}`);
      const foreign = await docker.createContainer({
        name: `somebody-${tenant.slug}`,
        Image: 'node:24-bookworm-slim',
        Cmd: ['sleep', '600'],
        HostConfig: { Binds: [`tenantry-${tenant.id}-data:/data:ro`] },
      });
      try {
        await foreign.start();
        await network.connect({ Container: foreign.id });
        const refused = world.runtime.removeTenant(tenant, { data: true });
        await expect(refused).rejects.toMatchObject({
          code: 'invalid_state',
          message: expect.stringMatching(
            new RegExp(`network disconnect tenantry-${tenant.slug} somebody-.*; the container somebody-`),
          ),
        });
        await network.disconnect({ Container: foreign.id });
        await expect(world.runtime.assertRemovable?.(tenant)).rejects.toThrow('uses its volumes');
        expect(await containersOf(subject)).toEqual(before);
      } finally {
        await foreign.remove({ force: true });
      }
      await world.runtime.removeTenant(tenant, { data: true });
      expect(await containersOf(subject)).toEqual([]);
    },
  );

  check('units that a killed manager left paused resume at the next start', async () => {
    const { subject } = await world.deployed();
    const container = docker.getContainer(`${subject.tenant.slug}-api`);
    await container.pause();
    await world.reopen();
    await world.answer(subject);
    expect((await container.inspect()).State.Paused).toBe(false);
  });

  check('a database server that does not start reports its last output', async () => {
    const servers = world.runtime.databaseServers;
    const { tenant } = await world.subject();
    const spec = database(tenant, { environment: {} });
    await expect(servers?.ensure(spec, quietWork())).rejects.toThrow(/does not start: .*MARIADB_ROOT_PASSWORD/);
  });
});

function database(tenant: Subject['tenant'], changes: Partial<DatabaseServerSpec> = {}): DatabaseServerSpec {
  return {
    tenant,
    image: 'mariadb:11.8',
    environment: { MARIADB_ROOT_PASSWORD: 'root-secret', MARIADB_DATABASE: 'app', MARIADB_INITDB_SKIP_TZINFO: '1' },
    limits: { memoryMb: 512, cpus: 1, pids: 200 },
    ...changes,
  };
}

/** The command lines of this machine's processes, if the engine runs on it. */
async function processes(): Promise<string[]> {
  const { readdir, readFile } = await import('node:fs/promises');
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const lines = ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(lines)).map((line) => line.replaceAll('\0', ' '));
}
