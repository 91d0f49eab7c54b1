import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import {
  createProcessRuntime,
  type ProcessRuntimeOptions,
} from '../../src/adapters/runtimes/recorded/process/process-runtime.ts';
import { identityOf } from '../../src/adapters/runtimes/recorded/process/processes/process-identity.ts';
import { listProcesses } from '../../src/adapters/runtimes/recorded/process/processes/process-table.ts';
import { createMarks } from '../../src/adapters/runtimes/recorded/process/units/unit-mark.ts';
import type { ReleaseRequest, UnitLogLine } from '../../src/adapters/runtimes/runtime.ts';
import { linesOf } from '../../src/lib/files/lines.ts';
import { createLogger } from '../../src/lib/logger.ts';
import type { ManagerOrders } from './runtime-process-manager.ts';
import { quietWork, RuntimeWorld, recordedWork, type Subject } from './runtime-world.ts';

/** What only local processes promise: units survive a killed manager, and none is lost, duplicated or confused. */
describe('process runtime', () => {
  let directory: string;
  let world: RuntimeWorld;
  let settings: Partial<ProcessRuntimeOptions>;
  let others: ChildProcess[];

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-process-only-'));
    settings = {};
    others = [];
    world = await RuntimeWorld.create({
      directory,
      separateStreams: false,
      async open() {
        const runtime = createProcessRuntime({
          directory: join(directory, 'runtime'),
          importRoot: join(directory, 'imports'),
          managerEnvironment: process.env,
          logger: createLogger({ level: 'fatal' }),
          adoptedPollMs: 50,
          ...settings,
        });
        await runtime.open();
        return runtime;
      },
      close: async () => undefined,
    });
  });
  afterEach(async () => {
    for (const other of others) other.kill('SIGKILL');
    // A failed test may have left the runtime closed.
    await world.reopen();
    await world.destroy();
  });

  const processesOf = (subject: Subject): string[] =>
    listProcesses().flatMap(({ mark }) => (mark?.includes(subject.tenant.id) ? [mark] : []));
  /** A mark for each start: a unit that runs once has one, on all of its processes. */
  const marksOf = (subject: Subject): string[] => [...new Set(processesOf(subject))];
  const roleOf = (mark: string): string | undefined => mark.split('/')[3];
  const recordFile = (subject: Subject, name: string): string =>
    join(directory, 'runtime', 'tenants', subject.tenant.id, name);

  /** Runs another manager on the same directory, while the world's own is closed. */
  async function manager(orders: Pick<ManagerOrders, 'versions' | 'forever' | 'job'>) {
    await world.runtime.close();
    const argument: ManagerOrders = {
      directory: join(directory, 'runtime'),
      importRoot: join(directory, 'imports'),
      ...orders,
    };
    const script = new URL('runtime-process-manager.ts', import.meta.url).pathname;
    const child = spawn(process.execPath, [script, JSON.stringify(argument)], { stdio: ['ignore', 'pipe', 'inherit'] });
    others.push(child);
    const lines: string[] = [];
    void (async () => {
      for await (const line of linesOf(child.stdout)) lines.push(line);
    })();
    return {
      says: (line: string) =>
        world.eventually(`the manager says ${line}`, async () => lines.includes(line) || undefined),
      async kill() {
        const gone = once(child, 'exit');
        child.kill('SIGKILL');
        await gone;
      },
    };
  }
  const both = (subject: Subject, release: ReleaseRequest) =>
    (['api', 'frontend'] as const).map((role) => world.spec(subject, role, release));

  describe('after the manager was killed', () => {
    test('units keep running, are adopted, supervised and stopped', async () => {
      const subject = await world.subject();
      const release = await world.release('1.0.0');
      const first = await manager({ versions: [both(subject, release)], forever: false });
      await first.says('placed');
      const before = await world.answer(subject);
      await first.kill();
      expect(await world.answer(subject)).toEqual(before);

      await world.reopen();
      expect(await world.answer(subject)).toEqual(before);
      expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'active', commit: release.commit });
      await world.ask(subject, 'api', '/exit?code=1');
      const next = await world.answer(subject, 'api', ({ instance }) => instance !== before.instance);
      await world.runtime.restart(subject.frontend);
      expect(await world.answer(subject)).toEqual(next);
      await world.runtime.stop(subject.api);
      await world.runtime.stop(subject.frontend);
      expect(marksOf(subject)).toEqual([]);
    });

    test('ends a unit that was not recorded in time, and runs it once', async () => {
      const subject = await world.subject();
      const release = await world.release('1.0.0');
      const first = await manager({ versions: [both(subject, release)], forever: false });
      await first.says('placed');
      const before = { api: await world.answer(subject, 'api'), frontend: await world.answer(subject, 'frontend') };
      await first.kill();
      // As after a spawn whose process number never reached the disk, and as after one whose intent did not either.
      const file = recordFile(subject, 'api.process.json');
      await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), pid: null, identity: null }));
      await rm(recordFile(subject, 'frontend.process.json'));

      await world.reopen();
      for (const role of ['api', 'frontend'] as const)
        await world.answer(subject, role, ({ instance }) => instance !== before[role].instance);
      expect(marksOf(subject).map(roleOf).sort()).toEqual(['api', 'frontend']);
    });

    test('starts units that exited while it was down, but not stopped ones', async () => {
      const { subject } = await world.deployed();
      await world.runtime.stop(subject.frontend);
      await world.runtime.close();
      const before = await world.answer(subject);
      await world.ask(subject, 'api', '/exit?code=1');
      await world.eventually('it is gone', async () => marksOf(subject).length === 0 || undefined);
      await world.reopen();
      await world.answer(subject, 'api', ({ instance }) => instance !== before.instance);
      expect(marksOf(subject).map(roleOf)).toEqual(['api']);
    });

    test('ends its jobs', async () => {
      const subject = await world.subject();
      const release = await world.release('1.0.0');
      const first = await manager({
        versions: [],
        forever: false,
        job: { spec: world.job(subject, release), command: 'node job.mjs sleep' },
      });
      await first.says('sleeping');
      await first.kill();
      expect(marksOf(subject).map(roleOf)).toEqual(['job']);
      await world.reopen();
      expect(marksOf(subject)).toEqual([]);
    });

    test('at any moment of a change, every unit runs once and matches the record', async () => {
      const subject = await world.subject();
      const versions = [await world.release('1.0.0'), await world.release('2.0.0')].map((release) =>
        both(subject, release),
      );
      for (let round = 0; round < 8; round += 1) {
        const first = await manager({ versions, forever: true });
        await first.says('placed');
        await sleep(Math.random() * 300);
        await first.kill();
        await world.reopen();
        const { commit } = await world.runtime.inspect(subject.api);
        expect((await world.runtime.inspect(subject.frontend)).commit).toBe(commit);
        const version = versions.flat().find((spec) => spec.release.commit === commit)?.release.key;
        expect(version).toBeDefined();
        const [api, frontend] = [await world.answer(subject, 'api'), await world.answer(subject, 'frontend')];
        expect(api.version).toBe(frontend.version);
        expect(marksOf(subject).map(roleOf).sort()).toEqual(['api', 'frontend']);
      }
    });
  });

  test('a reused process number is not taken for the unit', async () => {
    const { subject } = await world.deployed();
    await world.runtime.close();
    const before = await world.answer(subject);
    await world.ask(subject, 'api', '/exit?code=1');
    await world.eventually('it is gone', async () => marksOf(subject).length === 1 || undefined);
    const stranger = spawn('sleep', ['600'], { detached: true, stdio: 'ignore' });
    others.push(stranger);
    const file = recordFile(subject, 'api.process.json');
    await writeFile(file, JSON.stringify({ ...JSON.parse(await readFile(file, 'utf8')), pid: stranger.pid }));

    await world.reopen();
    await world.answer(subject, 'api', ({ instance }) => instance !== before.instance);
    await world.runtime.stop(subject.api);
    expect(stranger.exitCode).toBeNull();
    expect(stranger.signalCode).toBeNull();
  });

  test('many concurrent orders never start two processes of a unit', async () => {
    const { subject } = await world.deployed();
    const { runtime } = world;
    let most = 0;
    const watching = setInterval(() => {
      most = Math.max(most, marksOf(subject).filter((mark) => roleOf(mark) === 'api').length);
    }, 5);
    const orders = Array.from({ length: 30 }, (_, at) => [runtime.restart, runtime.stop, runtime.start][at % 3]);
    await Promise.all(orders.map((order) => order?.(subject.api)));
    clearInterval(watching);
    await world.answer(subject);
    expect(most).toBe(1);
  });

  test('everything that a start command leaves running ends with the unit, in its group or not', async () => {
    const { subject, release } = await world.deployed();
    const start = 'setsid sleep 601 & sleep 602 & node server.mjs; echo over';
    const spec = { ...world.spec(subject, 'api', release), definition: { ...release.units.api, start } };
    await world.runtime.stage(spec, quietWork());
    await world.runtime.activate(subject.tenant, quietWork());
    const before = await world.answer(subject);
    const ofApi = () => processesOf(subject).filter((mark) => roleOf(mark) === 'api');
    expect(ofApi()).toHaveLength(4);
    await world.ask(subject, 'api', '/exit?code=1');
    await world.answer(subject, 'api', ({ instance }) => instance !== before.instance);
    expect(ofApi()).toHaveLength(4);
    await world.runtime.stop(subject.api);
    expect(ofApi()).toEqual([]);
  });

  test('an install or a job leaves nothing running, aborted or not', async () => {
    const subject = await world.subject();
    const release = await world.release('1.0.0');
    const marks = createMarks(join(directory, 'runtime'));
    const left = () => listProcesses().filter(({ mark }) => marks.read(mark) !== undefined);
    await world.run(subject, release, 'setsid sleep 603 >/dev/null 2>&1 &');
    const held = await world.run(subject, release, 'setsid sleep 604 & wait', { timeoutMs: 300 });
    expect(held).toMatchObject({ timedOut: true });

    const aborting = new AbortController();
    const work = recordedWork(aborting.signal);
    const slow = { ...(await world.checkout('1.0.0')), install: 'setsid sleep 605 & echo started; sleep 606' };
    const preparing = world.runtime.prepareRelease(slow, work);
    preparing.catch(() => undefined);
    await world.eventually('it has started', async () => work.lines.includes('started') || undefined);
    aborting.abort(new Error('enough'));
    await expect(preparing).rejects.toThrow('enough');
    expect(left()).toEqual([]);
  });

  test('units and jobs get nothing of the manager’s environment', async () => {
    settings = {
      managerEnvironment: {
        ...process.env,
        SECRET_KEY: 'of the manager',
        NODE_OPTIONS: '--no-warnings',
        LANG: 'de_DE.UTF-8',
      },
    };
    process.env.TENANTRY_TEST_SECRET = 'of the manager';
    await world.reopen();
    const { subject, release } = await world.deployed();
    const environment = (await world.ask<Record<string, string>>(subject, 'api', '/env')) ?? {};
    const allowed = ['APP_NAME', 'HOME', 'HOST', 'LANG', 'NODE_EXTRA_CA_CERTS', 'PATH', 'PORT', 'PWD', 'TENANTRY_UNIT'];
    expect(Object.keys(environment).filter((key) => !allowed.includes(key) && key !== '_' && key !== 'OLDPWD')).toEqual(
      [],
    );
    expect(environment).toMatchObject({ HOST: '127.0.0.1', PORT: String(subject.ports.api), LANG: 'de_DE.UTF-8' });
    const work = recordedWork();
    await world.run(subject, release, 'env', { work });
    expect(work.lines.join('\n')).not.toContain('of the manager');
  });

  test('gives up a unit that exits repeatedly, and starts it again on request', async () => {
    settings = { restartPauses: { firstMs: 10, maxDelayMs: 40, resetAfterMs: 60_000, giveUpAfter: 4 } };
    await world.reopen();
    const subject = await world.subject();
    await world.stage(subject, await world.release('1.0.0'), { environment: { CRASH: '1' } });
    await world.runtime.activate(subject.tenant, quietWork());
    const state = () => world.runtime.inspect(subject.api);
    await world.eventually('it is given up', async () => (await state()).gaveUp || undefined);
    await world.eventually(
      'its reason is shown',
      async () => (await state()).reason === 'exited with code 3' || undefined,
    );
    await world.runtime.stop(subject.api);
    expect(await state()).toMatchObject({ state: 'inactive', gaveUp: false, reason: null });
    await world.runtime.start(subject.api);
    expect((await state()).gaveUp).toBe(false);
  });

  test('a unit with a missing checkout reports it, and starts when the checkout is back', async () => {
    const { subject, release } = await world.deployed();
    await world.runtime.stop(subject.api);
    const server = await readFile(join(release.checkout, 'server.mjs'));
    const version = await readFile(join(release.checkout, 'VERSION'));
    await rm(release.checkout, { recursive: true });
    await rm(recordFile(subject, 'copies'), { recursive: true });
    expect(await world.runtime.hasRelease(release.key)).toBe(false);
    await expect(world.runtime.start(subject.api)).rejects.toThrow(release.checkout);
    expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'inactive', reason: expect.any(String) });
    await mkdir(release.checkout);
    await writeFile(join(release.checkout, 'server.mjs'), server);
    await writeFile(join(release.checkout, 'VERSION'), version);
    await world.answer(subject);
  });

  describe('working copies', () => {
    /** Of both units, which must agree. */
    async function directoryOf(subject: Subject): Promise<string> {
      const [api, frontend] = await Promise.all(
        (['api', 'frontend'] as const).map(async (role) => {
          await world.answer(subject, role);
          return (await world.ask<{ cwd: string }>(subject, role, '/'))?.cwd;
        }),
      );
      expect(frontend).toBe(api);
      return api ?? '';
    }
    const write = async (subject: Subject, path: string, text: string) =>
      expect(await world.ask(subject, 'api', `/write?path=${path}&text=${text}`)).toEqual({});
    const read = (at: string, path: string) => readFile(join(at, path), 'utf8');
    const copiesOf = (subject: Subject) => readdir(recordFile(subject, 'copies'));

    test('isolate writes of a tenant, also in place, from other tenants at the same commit', async () => {
      const unprepared = await world.checkout('1.0.0');
      const { checkout } = unprepared;
      const install =
        'mkdir -p node_modules/pkg dist && echo code >node_modules/pkg/index.js && echo built >dist/app.js';
      const release = { ...unprepared, install: `${install} && echo made >made.txt` };
      await mkdir(join(checkout, 'vendor'));
      await writeFile(join(checkout, 'vendor', 'lib.js'), 'of the commit');
      await world.runtime.prepareRelease(release, quietWork());
      const [one, other, third] = [await world.subject(), await world.subject(), await world.subject()];
      for (const subject of [one, other]) await world.activate(subject, release);

      await write(one, 'own.txt', 'mine');
      const files = ['VERSION', 'vendor/lib.js', 'dist/app.js', 'made.txt'];
      const before = await Promise.all(files.map((path) => read(checkout, path)));
      for (const path of files) await write(one, path, 'overwritten');
      await world.activate(third, release);

      const [own, ...others] = [await directoryOf(one), await directoryOf(other), await directoryOf(third)];
      expect(new Set([own, ...others, checkout]).size).toBe(4);
      expect(await read(own, 'own.txt')).toBe('mine');
      for (const path of files) expect(await read(own, path)).toBe('overwritten');
      for (const at of [...others, checkout]) {
        await expect(stat(join(at, 'own.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
        expect(await Promise.all(files.map((path) => read(at, path)))).toEqual(before);
      }
      const dependency = await Promise.all(
        [checkout, own, ...others].map(async (at) => (await stat(join(at, 'node_modules/pkg/index.js'))).ino),
      );
      expect(new Set(dependency).size).toBe(1);
    });

    test('are new for each deployment, kept for a rollback, and removed when unused', async () => {
      const { subject, release } = await world.deployed();
      const first = await directoryOf(subject);
      await write(subject, 'own.txt', 'first');
      await world.activate(subject, release);
      const second = await directoryOf(subject);
      expect(second).not.toBe(first);
      await expect(read(second, 'own.txt')).rejects.toMatchObject({ code: 'ENOENT' });
      await world.runtime.rollback(subject.tenant, quietWork());
      expect(await directoryOf(subject)).toBe(first);
      expect(await read(first, 'own.txt')).toBe('first');
      expect(await copiesOf(subject)).toHaveLength(1);

      await world.activate(subject, await world.release('2.0.0'));
      expect(await copiesOf(subject)).toHaveLength(2);
      await world.runtime.commit(subject.tenant);
      expect((await copiesOf(subject)).map((name) => recordFile(subject, join('copies', name)))).toEqual([
        await directoryOf(subject),
      ]);
      const noted = join(directory, 'runtime', 'checkouts');
      expect(await readdir(noted)).toHaveLength(2);
      expect(await world.runtime.removeReleasesExcept(new Set())).toEqual([release.key]);
      expect(await readdir(noted)).toHaveLength(1);
      await world.runtime.removeTenant(subject.tenant, { data: true });
      await expect(stat(recordFile(subject, ''))).rejects.toMatchObject({ code: 'ENOENT' });
    });

    test('a job runs in the staged copy, or in its own temporary copy', async () => {
      const { subject } = await world.deployed();
      const next = await world.release('2.0.0');
      const work = recordedWork();
      await world.run(subject, next, 'pwd && echo 3.0.0 >VERSION && echo job >by-job.txt', { work });
      expect(work.lines).toHaveLength(1);
      expect(dirname(work.lines[0] ?? '')).toBe(join(directory, 'runtime', 'jobs'));
      expect(await readdir(join(directory, 'runtime', 'jobs'))).toEqual([]);
      expect(await read(next.checkout, 'VERSION')).toBe('2.0.0');

      await world.stage(subject, next);
      await world.run(subject, next, 'echo job >by-job.txt');
      await world.runtime.activate(subject.tenant, quietWork());
      await world.answer(subject, 'api', ({ version }) => version === '2.0.0');
      expect(await read(await directoryOf(subject), 'by-job.txt')).toBe('job\n');
    });

    test('the next start removes leftovers of an interrupted manager, but not running units’ copies', async () => {
      const { subject } = await world.deployed();
      const own = await directoryOf(subject);
      await world.runtime.close();
      for (const name of ['copies/unused', 'copies/other.partial', '../../jobs/left'])
        await mkdir(recordFile(subject, name), { recursive: true });
      await world.reopen();
      expect(await copiesOf(subject)).toEqual([basename(own)]);
      await expect(stat(join(directory, 'runtime', 'jobs'))).rejects.toMatchObject({ code: 'ENOENT' });
      expect(await directoryOf(subject)).toBe(own);
    });

    test('adopts units that an earlier version started in the checkout, and gives them a copy when they start again', async () => {
      const { subject, release } = await world.deployed();
      await world.runtime.close();
      const instances = [];
      for (const role of ['api', 'frontend'] as const) {
        // Starts the unit again as that version did.
        const file = recordFile(subject, `${role}.process.json`);
        const known = JSON.parse(await readFile(file, 'utf8'));
        const entries = (await readFile(`/proc/${known.pid}/environ`, 'utf8')).split('\0').filter(Boolean);
        process.kill(-known.pid, 'SIGKILL');
        await world.eventually('it is gone', async () => (await identityOf(known.pid)) === undefined || undefined);
        const env = Object.fromEntries(entries.map((entry) => entry.split(/=(.*)/s)));
        const options = { cwd: release.checkout, env, detached: true, stdio: 'ignore' } as const;
        const { pid = 0 } = spawn(process.execPath, ['server.mjs'], options);
        await writeFile(file, JSON.stringify({ ...known, pid, identity: await identityOf(pid) }));
        instances.push(await world.answer(subject, role));
      }
      const file = recordFile(subject, 'generations.json');
      const record = JSON.parse(await readFile(file, 'utf8'));
      for (const role of ['api', 'frontend']) delete record.units[role].live.copy;
      await writeFile(file, JSON.stringify(record));
      await rm(recordFile(subject, 'copies'), { recursive: true });
      // A copy that was incomplete when its manager was killed.
      await mkdir(recordFile(subject, `copies/${release.key}.partial/cut-off`), { recursive: true });

      await world.reopen();
      expect([await world.answer(subject, 'api'), await world.answer(subject, 'frontend')]).toEqual(instances);
      expect(await directoryOf(subject)).toBe(release.checkout);
      expect(await world.runtime.isLive(world.spec(subject, 'api', release))).toBe(true);
      await Promise.all([world.runtime.restart(subject.api), world.runtime.restart(subject.frontend)]);
      expect(await directoryOf(subject)).toBe(recordFile(subject, `copies/${release.key}`));
      expect(await readdir(recordFile(subject, `copies/${release.key}`))).not.toContain('cut-off');
      expect(await copiesOf(subject)).toEqual([release.key]);
      await world.activate(subject, release);
      await world.runtime.commit(subject.tenant);
      expect(await copiesOf(subject)).toEqual([basename(await directoryOf(subject))]);
      expect(await copiesOf(subject)).not.toContain(release.key);
    });
  });

  test('rotates logs by size while they are followed', async () => {
    settings = { logLimitBytes: 20_000, logCheckMs: 20 };
    await world.reopen();
    const { subject } = await world.deployed();
    const ending = new AbortController();
    const seen: string[] = [];
    const times: (number | undefined)[] = [];
    const following = (async () => {
      const options = { lines: 10, follow: true, signal: ending.signal };
      for await (const { message, time } of world.runtime.logs(subject.api, options)) {
        seen.push(message);
        times.push(time?.getTime());
      }
    })();
    await world.eventually('the follower has started', async () => seen.length > 0 || undefined);
    const expected: string[] = [];
    for (let round = 0; round < 12; round += 1) {
      await world.say(subject, `round${round}`, 1_000);
      for (let line = 1; line <= 1_000; line += 1) expected.push(`round${round}-${line}`);
      await world.eventually('all is seen', async () => seen.at(-1) === expected.at(-1) || undefined);
    }
    ending.abort();
    await following;
    expect(seen.filter((line) => line.startsWith('round'))).toEqual(expected);
    expect(times).not.toContain(undefined);
    expect(times).toEqual(times.toSorted((one, other) => Number(one) - Number(other)));
    const log = join(subject.tenant.directory, 'logs', 'api.log');
    await world.eventually('it is short', async () => (await stat(log)).size <= 20_000 || undefined);
    const archived = await stat(`${log}.1`);
    expect(archived.size).toBeLessThanOrEqual(80_000);
    expect([archived.mode & 0o777, (await stat(log)).mode & 0o777]).toEqual([0o600, 0o600]);
    // Lines from before and after the rotation.
    await world.say(subject, 'last', 3);
    const last = await world.eventually('it is written', async () => {
      const lines = await world.lastLines(subject.api, 503);
      return lines.at(-1) === 'last-3' ? lines : undefined;
    });
    expect(last).toEqual([...expected.slice(-500), 'last-1', 'last-2', 'last-3']);
    const again = (await timedLines(subject, 503)).map(({ time }) => time?.getTime());
    expect(again).not.toContain(undefined);
    expect(again).toEqual(again.toSorted((one, other) => Number(one) - Number(other)));
  });

  const timedLines = async (subject: Subject, lines: number): Promise<UnitLogLine[]> => {
    const found: UnitLogLine[] = [];
    const signal = AbortSignal.timeout(60_000);
    for await (const line of world.runtime.logs(subject.api, { lines, follow: false, signal })) found.push(line);
    return found;
  };
  const written = (subject: Subject, text: string): Promise<UnitLogLine> =>
    world.eventually(`${text} is written`, async () =>
      (await timedLines(subject, 100)).find(({ message }) => message === text),
    );

  test('reads a log of a manager that stored no times without them; later lines have times', async () => {
    const { subject } = await world.deployed();
    await world.say(subject, 'old', 1);
    await written(subject, 'old-1');
    await world.runtime.close();
    await rm(join(subject.tenant.directory, 'logs', 'api.log.times'));
    await world.reopen();
    await world.say(subject, 'new', 1);
    expect((await written(subject, 'new-1')).time).toEqual(expect.any(Date));
    expect((await written(subject, 'old-1')).time).toBeUndefined();
  });

  test('lines written while no manager runs have a time', async () => {
    const { subject } = await world.deployed();
    await world.runtime.close();
    const before = Date.now();
    await fetch(`http://127.0.0.1:${subject.ports.api}/say?text=alone&times=1`);
    await sleep(1_100);
    const reopened = Date.now();
    await world.reopen();
    const time = (await written(subject, 'alone-1')).time?.getTime() ?? 0;
    expect(time).toBeGreaterThanOrEqual(before - 1_000);
    expect(time).toBeLessThan(reopened);
  });

  test('its state files are readable for the manager only', async () => {
    const { subject } = await world.deployed();
    const modes = ['generations.json', 'api.process.json'].map(
      async (name) => (await stat(recordFile(subject, name))).mode,
    );
    expect((await Promise.all(modes)).map((mode) => mode & 0o777)).toEqual([0o600, 0o600]);
    expect((await stat(join(directory, 'runtime'))).mode & 0o777).toBe(0o700);
    const { importDirectory, dataDirectory } = world.runtime.paths(subject.tenant);
    expect((await stat(importDirectory)).mode & 0o777).toBe(0o700);
    expect((await stat(dataDirectory)).mode & 0o777).toBe(0o700);
  });

  test('rejects a link in place of an import directory', async () => {
    const subject = await world.subject();
    const { importDirectory } = world.runtime.paths(subject.tenant);
    await mkdir(join(directory, 'imports'), { recursive: true });
    await mkdir(join(directory, 'elsewhere'));
    await symlink(join(directory, 'elsewhere'), importDirectory);
    const content = (async function* () {
      yield Buffer.from('x');
    })();
    await expect(world.runtime.putImportFile(subject.tenant, 'list.csv', content)).rejects.toThrow('not a directory');
  });

  test('a removal without data keeps the data, with data removes it', async () => {
    const { subject } = await world.deployed();
    const { importDirectory, dataDirectory } = world.runtime.paths(subject.tenant);
    await writeFile(join(dataDirectory, 'tenant.db'), 'rows');
    await writeFile(join(importDirectory, 'list.csv'), 'rows');
    await world.runtime.removeTenant(subject.tenant, { data: false });
    expect(await readFile(join(dataDirectory, 'tenant.db'), 'utf8')).toBe('rows');
    // By its slug: the next tenant with that name must not find it.
    await expect(stat(importDirectory)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readFile(join(subject.tenant.directory, 'imports', 'list.csv'), 'utf8')).toBe('rows');
    await world.runtime.removeTenant(subject.tenant, { data: true });
    await expect(stat(dataDirectory)).rejects.toMatchObject({ code: 'ENOENT' });
  });

  test('a damaged record affects only its own units', async () => {
    const { subject } = await world.deployed();
    const { subject: sound } = await world.deployed();
    const [before, soundBefore] = [await world.answer(subject), await world.answer(sound)];
    const file = recordFile(subject, 'generations.json');
    const content = await readFile(file);
    await writeFile(file, '{"tenant":');
    await world.reopen();
    expect(await world.answer(subject)).toEqual(before);
    expect(await world.answer(sound)).toEqual(soundBefore);
    expect((await world.runtime.list()).map(({ name }) => name)).toContain(`${subject.tenant.slug}-api`);
    await writeFile(file, content);
    await world.reopen();
    expect(await world.answer(subject)).toEqual(before);
  });
});
