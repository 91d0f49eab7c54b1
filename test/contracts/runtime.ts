import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { UnitLogLine, UnitRef } from '../../src/adapters/runtimes/runtime.ts';
import { patienceMs } from '../harness/patience.ts';
import { freePort } from '../harness/servers/ports.ts';
import { describeTenantData } from './runtime-data.ts';
import { quietWork, type RuntimeHarness, RuntimeWorld, recordedWork } from './runtime-world.ts';

export type { RuntimeHarness } from './runtime-world.ts';

/** The promises that show that the main job works: all others are for `npm run test:exhaustive`. */
const smoke = new Set([
  'is available and knows its free space',
  'are prepared once for concurrent callers',
  'change by activate, which is idempotent',
  'go back by rollback, once, also across a new manager',
  'are idempotent, and outlast the manager',
  'arrives unchanged, whatever it contains',
  'return exactly the last lines',
  'return their exit code and lines, before any unit is live',
  'are read by the unit, replaced and removed',
  'are written, and read unchanged, whole or in part',
  'are isolated, and removed with all that belongs to them',
]);

/**
 * The contract of every runtime, run against a real one.
 * @param only some of its promises
 */
export function describeRuntime(
  name: string,
  makeHarness: () => Promise<RuntimeHarness>,
  { only }: { only?: 'smoke' | undefined } = {},
): void {
  describe(`runtime contract: ${name}`, () => {
    let harness: RuntimeHarness;
    let world: RuntimeWorld;

    beforeAll(async () => {
      harness = await makeHarness();
      world = await RuntimeWorld.create(harness);
    });
    afterAll(() => world?.destroy());

    const missing = new Set(smoke);
    const promises = (what: string, check: () => Promise<void>): void => {
      missing.delete(what);
      if (only === undefined || smoke.has(what)) test(what, check);
    };

    promises('is available and knows its free space', async () => {
      expect(await world.runtime.availability()).toMatchObject({ available: true, version: expect.any(String) });
      for (const { bytes } of await world.runtime.freeSpace()) expect(bytes).toBeGreaterThan(0);
    });

    describe('releases', () => {
      promises('are prepared once for concurrent callers', async () => {
        const release = await world.checkout('1.0.0');
        expect(await world.runtime.hasRelease(release.key)).toBe(false);
        const works = [recordedWork(), recordedWork(), recordedWork()];
        await Promise.all(works.map((work) => world.runtime.prepareRelease(release, work)));
        const again = recordedWork();
        await world.runtime.prepareRelease(release, again);

        expect(await world.runtime.hasRelease(release.key)).toBe(true);
        // `BUILD <target> <random>`: one number for each target means one run for each target.
        const builds = [...works, again].flatMap(({ lines }) =>
          lines.flatMap((line) => line.match(/BUILD \w+ [\w-]{36}/) ?? []),
        );
        const targets = new Set(builds.map((line) => line.split(' ')[1]));
        expect(targets.size).toBeGreaterThan(0);
        expect(new Set(builds).size).toBe(targets.size);
      });

      promises('that fail report the reason and do not exist', async () => {
        const release = await world.checkout('1.0.0', 'fail');
        const work = recordedWork();
        await expect(world.runtime.prepareRelease(release, work)).rejects.toThrow();
        expect(work.lines.join('\n')).toContain('the build fails on purpose');
        expect(await world.runtime.hasRelease(release.key)).toBe(false);
      });

      promises('end when aborted, and can be prepared again', async () => {
        const release = await world.checkout('1.0.0', 'slow');
        const aborting = new AbortController();
        const work = recordedWork(aborting.signal);
        const preparing = world.runtime.prepareRelease(release, work);
        preparing.catch(() => undefined);
        await world.eventually('the build has started', async () =>
          work.lines.some((line) => /BUILD/.test(line)) ? true : undefined,
        );
        aborting.abort(new Error('cancelled by the test'));
        await expect(preparing).rejects.toThrow('cancelled by the test');
        expect(await world.runtime.hasRelease(release.key)).toBe(false);

        await rm(join(release.checkout, 'slow'));
        await world.runtime.prepareRelease(release, quietWork());
        expect(await world.runtime.hasRelease(release.key)).toBe(true);
      });

      promises('continue for other callers when one of two is aborted', async () => {
        const release = await world.checkout('1.0.0');
        const aborting = new AbortController();
        const left = world.runtime.prepareRelease(release, recordedWork(aborting.signal));
        const stays = world.runtime.prepareRelease(release, quietWork());
        left.catch(() => undefined);
        aborting.abort(new Error('cancelled by the test'));
        await expect(left).rejects.toThrow('cancelled by the test');
        await stays;
        expect(await world.runtime.hasRelease(release.key)).toBe(true);
      });

      promises('are removed when unused, and kept while in use', async () => {
        const { subject, release } = await world.deployed();
        const unused = await world.release('1.1.0');
        const wanted = await world.release('1.2.0');
        const removed = await world.runtime.removeReleasesExcept(new Set([wanted.key]));
        expect(removed).toContain(unused.key);
        expect(removed).not.toContain(release.key);
        expect(removed).not.toContain(wanted.key);
        expect(await world.runtime.hasRelease(unused.key)).toBe(false);
        expect(await world.runtime.hasRelease(release.key)).toBe(true);
        expect(await world.runtime.hasRelease(wanted.key)).toBe(true);
        await world.answer(subject);
      });
    });

    describe('a unit before its first deployment', () => {
      promises('is inactive, cannot be started, and may be stopped', async () => {
        const { tenant, api } = await world.subject();
        const nothing = { state: 'inactive', commit: null, reason: null, gaveUp: false, startedAt: null };
        expect(await world.runtime.inspect(api)).toMatchObject(nothing);
        await expect(world.runtime.start(api)).rejects.toMatchObject({ code: 'not_deployed' });
        await expect(world.runtime.restart(api)).rejects.toMatchObject({ code: 'not_deployed' });
        await expect(world.runtime.activate(tenant, quietWork())).rejects.toMatchObject({ code: 'not_deployed' });
        await world.runtime.stop(api);
        await world.runtime.commit(tenant);
        await world.runtime.rollback(tenant, quietWork());
        await world.runtime.removeTenant(tenant, { data: true });
        expect(await world.lastLines(api, 10)).toEqual([]);
      });
    });

    describe('generations', () => {
      promises('are staged next to the live one, which keeps running', async () => {
        const { subject, release } = await world.deployed('1.0.0');
        const before = await world.answer(subject);
        const next = await world.release('2.0.0');
        await world.stage(subject, next);
        expect(await world.answer(subject)).toEqual(before);
        expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'active', commit: release.commit });
        expect(await world.runtime.isLive(world.spec(subject, 'api', release))).toBe(true);
        expect(await world.runtime.isLive(world.spec(subject, 'api', next))).toBe(false);
      });

      promises('report which tenants are between two of them, also to a new manager', async () => {
        const { subject } = await world.deployed('1.0.0');
        const { id } = subject.tenant;
        expect(await world.runtime.pendingChanges()).not.toContain(id);
        await world.stage(subject, await world.release('2.0.0'));
        expect(await world.runtime.pendingChanges()).toContain(id);
        await world.runtime.activate(subject.tenant, quietWork());
        expect(await world.runtime.pendingChanges()).toContain(id);
        await world.runtime.rollback(subject.tenant, quietWork());
        expect(await world.runtime.pendingChanges()).not.toContain(id);
      });

      promises('that are only staged are not live', async () => {
        const subject = await world.subject();
        await world.stage(subject, await world.release('1.0.0'));
        expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'inactive', commit: null });
        await expect(world.runtime.start(subject.api)).rejects.toMatchObject({ code: 'not_deployed' });
        expect(await world.ask(subject, 'api', '/')).toBeUndefined();
        await world.runtime.rollback(subject.tenant, quietWork());
        await expect(world.runtime.activate(subject.tenant, quietWork())).rejects.toMatchObject({
          code: 'not_deployed',
        });
      });

      promises('change by activate, which is idempotent', async () => {
        const { subject, release } = await world.deployed('1.0.0');
        const next = await world.release('2.0.0');
        await world.activate(subject, next);
        const first = await world.answer(subject);
        expect(first.version).toBe('2.0.0');
        await world.runtime.activate(subject.tenant, quietWork());
        expect(await world.answer(subject)).toEqual(first);
        const state = await world.runtime.inspect(subject.frontend);
        expect(state).toMatchObject({ state: 'active', commit: next.commit, reason: null, gaveUp: false });
        expect(state.startedAt).toBeInstanceOf(Date);
        expect(await world.runtime.isLive(world.spec(subject, 'api', next))).toBe(true);
        expect(await world.runtime.isLive(world.spec(subject, 'api', release))).toBe(false);
      });

      promises('go back by rollback, once, also across a new manager', async () => {
        const { subject, release } = await world.deployed('1.0.0');
        await world.activate(subject, await world.release('2.0.0'));
        await world.reopen();
        await world.runtime.rollback(subject.tenant, quietWork());
        const back = await world.answer(subject, 'api', ({ version }) => version === '1.0.0');
        await world.answer(subject, 'frontend', ({ version }) => version === '1.0.0');
        expect((await world.runtime.inspect(subject.api)).commit).toBe(release.commit);
        await world.runtime.rollback(subject.tenant, quietWork());
        expect(await world.answer(subject)).toEqual(back);
      });

      promises('that did not run before do not run after a rollback', async () => {
        const { subject } = await world.deployed('1.0.0');
        await world.runtime.stop(subject.api);
        await world.runtime.stop(subject.frontend);
        await world.activate(subject, await world.release('2.0.0'));
        await world.runtime.rollback(subject.tenant, quietWork());
        expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'inactive', reason: null });
        expect(await world.ask(subject, 'api', '/')).toBeUndefined();
        await world.runtime.start(subject.api);
        expect((await world.answer(subject)).version).toBe('1.0.0');
      });

      promises('of a first deployment are removed by a rollback', async () => {
        const subject = await world.subject();
        await world.activate(subject, await world.release('1.0.0'));
        await world.runtime.rollback(subject.tenant, quietWork());
        expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'inactive', commit: null });
        expect(await world.ask(subject, 'api', '/')).toBeUndefined();
      });

      promises('are kept by commit, which is idempotent; a rollback then changes nothing', async () => {
        const { subject } = await world.deployed('1.0.0');
        await world.activate(subject, await world.release('2.0.0'));
        const running = await world.answer(subject);
        await world.runtime.commit(subject.tenant);
        await world.runtime.commit(subject.tenant);
        await world.runtime.rollback(subject.tenant, quietWork());
        expect(await world.answer(subject)).toEqual(running);
      });

      promises('staged after a committed one roll back to that one', async () => {
        const { subject } = await world.deployed('1.0.0');
        await world.activate(subject, await world.release('2.0.0'));
        await world.runtime.commit(subject.tenant);
        await world.stage(subject, await world.release('3.0.0'));
        await world.runtime.rollback(subject.tenant, quietWork());
        expect((await world.answer(subject)).version).toBe('2.0.0');
      });
    });

    describe('starting and stopping', () => {
      promises('are idempotent, and outlast the manager', async () => {
        const { subject } = await world.deployed();
        const first = await world.answer(subject);
        await world.runtime.start(subject.api);
        expect(await world.answer(subject)).toEqual(first);
        await world.runtime.stop(subject.api);
        await world.runtime.stop(subject.api);
        const stopped = { state: 'inactive', reason: null, gaveUp: false };
        expect(await world.runtime.inspect(subject.api)).toMatchObject(stopped);
        expect(await world.ask(subject, 'api', '/')).toBeUndefined();
        expect(await world.runtime.inspect(subject.frontend)).toMatchObject({ state: 'active' });

        await world.reopen();
        expect(await world.runtime.inspect(subject.api)).toMatchObject(stopped);
        expect(await world.ask(subject, 'api', '/')).toBeUndefined();
        await world.runtime.start(subject.api);
        await world.answer(subject);
        expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'active' });
      });

      promises('report the resource usage of a running unit', async () => {
        const never = await world.subject();
        expect(await world.runtime.usage(never.api)).toBeUndefined();
        const { subject } = await world.deployed();
        await world.answer(subject);
        const before = await world.runtime.usage(subject.api);
        expect(before?.memoryBytes).toBeGreaterThan(4 * 1024 ** 2);
        expect([null, 256 * 1024 ** 2]).toContain(before?.memoryLimitBytes);
        await world.ask(subject, 'api', '/burn?ms=700');
        const after = await world.runtime.usage(subject.api);
        // systemd counts no processor time if control groups have version 1 and an unexpected layout.
        if (before?.cpuMs !== null) expect((after?.cpuMs ?? 0) - (before?.cpuMs ?? 0)).toBeGreaterThan(100);
        else expect([world.runtime.kind, after?.cpuMs]).toEqual(['systemd', null]);
        await world.runtime.stop(subject.api);
        expect(await world.runtime.usage(subject.api)).toBeUndefined();
      });

      promises('restart starts a new process, also of a stopped unit', async () => {
        const { subject } = await world.deployed();
        const first = await world.answer(subject);
        await world.runtime.restart(subject.api);
        await world.answer(subject, 'api', ({ instance }) => instance !== first.instance);
        await world.runtime.stop(subject.api);
        await world.runtime.restart(subject.api);
        await world.answer(subject);
      });

      promises('end a unit that ignores SIGTERM', async () => {
        const subject = await world.subject();
        const release = await world.release('1.0.0');
        const deaf = { environment: { IGNORE_SIGTERM: '1' } };
        await world.runtime.stage(world.spec(subject, 'api', release, deaf), quietWork());
        await world.runtime.stage(world.spec(subject, 'frontend', release), quietWork());
        await world.runtime.activate(subject.tenant, quietWork());
        await world.answer(subject);
        await world.runtime.stop(subject.api);
        expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'inactive', reason: null });
        expect(await world.ask(subject, 'api', '/')).toBeUndefined();
      });

      promises('start a unit again that exits', async () => {
        const { subject } = await world.deployed();
        const first = await world.answer(subject);
        await world.ask(subject, 'api', '/exit?code=7');
        await world.answer(subject, 'api', ({ instance }) => instance !== first.instance);
        await world.eventually('it is active', async () =>
          (await world.runtime.inspect(subject.api)).state === 'active' ? true : undefined,
        );
      });

      promises('report a unit that cannot run with the reason, and can stop it', async () => {
        const subject = await world.subject();
        const release = await world.release('1.0.0');
        await world.stage(subject, release, { environment: { CRASH: '1' } });
        await world.runtime.activate(subject.tenant, quietWork());
        const state = await world.eventually('it is seen dead', async () => {
          const seen = await world.runtime.inspect(subject.api);
          return seen.state === 'inactive' && seen.reason !== null && !seen.waiting ? seen : undefined;
        });
        expect(state.reason).toContain('3');
        expect(state.commit).toBe(release.commit);
        await world.runtime.stop(subject.api);
        expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'inactive', reason: null });
      });

      promises('leave running units to the next manager, which adopts them', async () => {
        const { subject, release } = await world.deployed();
        const before = await world.answer(subject);
        const state = await world.runtime.inspect(subject.api);
        await world.reopen();
        expect(await world.answer(subject)).toEqual(before);
        const after = await world.runtime.inspect(subject.api);
        expect(after).toMatchObject({ state: 'active', commit: release.commit });
        expect(after.startedAt?.getTime()).toBe(state.startedAt?.getTime());

        await world.ask(subject, 'api', '/exit?code=1');
        await world.answer(subject, 'api', ({ instance }) => instance !== before.instance);
        await world.runtime.stop(subject.api);
        expect(await world.ask(subject, 'api', '/')).toBeUndefined();
      });
    });

    describe('environment', () => {
      promises('arrives unchanged, whatever it contains', async () => {
        const values: Record<string, string> = {
          COMMAND: '$(touch /tmp/never) `touch /tmp/never` ; touch /tmp/never && true',
          QUOTES: `"double" 'single' \\ backslash \\n \\"`,
          NEWLINES: 'first\nsecond\r\n\tthird\n',
          DOLLAR: `$HOME \${PATH} %PATH% $$ !history`,
          OPTION: '--env=OTHER=1',
          EQUALS: 'a=b=c',
          EMPTY: '',
          UNICODE: 'Ünïcödé 日本 🚀',
          SPACES: '  around  ',
        };
        const { subject, release } = await world.deployed('1.0.0', { environment: values });
        expect(await world.ask(subject, 'api', '/env')).toMatchObject(values);
        for (const [key, value] of Object.entries(values)) {
          const work = recordedWork();
          const job = world.job(subject, release, { environment: values });
          await world.runtime.runJob(job, work, (run) => run(`node job.mjs env ${key}`, { timeoutMs: patienceMs }));
          expect(work.lines).toContain(`${key}=${JSON.stringify(value)}`);
        }
      });

      promises('of a read-only image: a unit writes to its data, its imports and /tmp alone', async () => {
        if (world.runtime.needs !== 'image') return;
        const made = await world.release('1.0.0');
        const { image } = made.units.api;
        const units = { ...made.units, api: { ...made.units.api, image: image && { ...image, read_only: true } } };
        const release = { ...made, units };
        const subject = await world.subject();
        await world.activate(subject, release);
        await world.runtime.commit(subject.tenant);
        const { dataDirectory, importDirectory } = world.runtime.paths(subject.tenant);
        const writes = (path: string) => world.ask(subject, 'api', `/write?path=${path}/probe&text=x`);
        for (const path of [dataDirectory, importDirectory, '/tmp'])
          expect([path, await writes(path)]).toEqual([path, {}]);
        for (const path of ['/app', '/var/tmp', '/home/node']) expect(await writes(path)).toBeUndefined();
        expect(await world.ask(subject, 'api', '/env')).toBeDefined();
      });

      promises('has PORT and HOST, and the tenant’s paths', async () => {
        const { subject } = await world.shared();
        const environment = await world.ask<Record<string, string>>(subject, 'api', '/env');
        expect(environment?.PORT).toMatch(/^\d+$/);
        expect(environment?.HOST).toBeTruthy();
        const { importDirectory, dataDirectory } = world.runtime.paths(subject.tenant);
        expect(importDirectory).toContain(subject.tenant.slug);
        expect(dataDirectory).toMatch(/^\//);
      });
    });

    describe('the address for the reverse proxy', () => {
      promises('is that of the live unit, or of the staged one', async () => {
        const subject = await world.subject();
        const { api, ports } = subject;
        const onHost = (port: number) => ({
          host: expect.stringMatching(harness.unitHost ?? /^127\.0\.0\.1$/),
          port,
        });
        expect(await world.runtime.proxyAddress(api, ports.api)).toEqual(onHost(ports.api));
        await world.activate(subject, await world.release('1.0.0'));
        await world.runtime.commit(subject.tenant);
        const live = await world.runtime.proxyAddress(api, ports.api);
        const response = await fetch(`http://${live.host}:${live.port}/`);
        expect(await response.json()).toMatchObject({ version: '1.0.0' });

        // The tenant has another port, on which nothing runs until the next generation does.
        const changed = await freePort();
        expect(await world.runtime.proxyAddress(api, changed)).toEqual(live);
        await world.stage(subject, await world.release('2.0.0'), { ports: { api: changed } });
        expect(await world.runtime.proxyAddress(api, changed)).toEqual(onHost(changed));
        await world.runtime.rollback(subject.tenant, quietWork());
        expect(await world.runtime.proxyAddress(api, changed)).toEqual(live);
      });
    });

    describe('logs', () => {
      promises('return exactly the last lines', async () => {
        const { subject } = await world.shared();
        await world.say(subject, 'line', 3_000);
        const last = await world.eventually('all is written', async () => {
          const lines = await world.lastLines(subject.api, 5);
          return lines.at(-1) === 'line-3000' ? lines : undefined;
        });
        expect(last).toEqual(['line-2996', 'line-2997', 'line-2998', 'line-2999', 'line-3000']);
        const all = await world.lastLines(subject.api, 10_000);
        expect(all.filter((line) => line.startsWith('line-'))).toHaveLength(3_000);
        expect(await world.lastLines(subject.api, 0)).toEqual([]);
        expect((await world.lastLines(subject.frontend, 100)).some((line) => line.startsWith('line-'))).toBe(false);
      });

      promises('have both outputs', async () => {
        const { subject } = await world.shared();
        await world.say(subject, 'good', 1, 'stdout');
        await world.say(subject, 'bad', 1, 'stderr');
        const found = await world.eventually('both are there', async () => {
          const lines: UnitLogLine[] = [];
          const signal = AbortSignal.timeout(patienceMs);
          for await (const line of world.runtime.logs(subject.api, { lines: 10, follow: false, signal }))
            lines.push(line);
          const good = lines.find(({ message }) => message === 'good-1');
          const bad = lines.find(({ message }) => message === 'bad-1');
          return good && bad ? { good, bad } : undefined;
        });
        if (harness.separateStreams) {
          expect(found.good.stream).toBe('stdout');
          expect(found.bad.stream).toBe('stderr');
        }
      });

      promises('have the time of each line, to merge the logs of both units', async () => {
        const { subject } = await world.shared();
        const linesOf = async (unit: UnitRef, follow: boolean, until: string): Promise<UnitLogLine[]> => {
          const ending = new AbortController();
          const signal = AbortSignal.any([ending.signal, AbortSignal.timeout(patienceMs)]);
          const found: UnitLogLine[] = [];
          for await (const line of world.runtime.logs(unit, { lines: 100, follow, signal })) {
            found.push(line);
            if (line.message === until) ending.abort();
          }
          return found;
        };
        const before = Date.now();
        await world.say(subject, 'early', 1);
        const early = await world.eventually('the first line is there', async () =>
          (await linesOf(subject.api, false, 'early-1')).find(({ message }) => message === 'early-1'),
        );
        await sleep(1_100);
        const between = Date.now();
        await world.say(subject, 'late', 1);
        const followed = (await linesOf(subject.api, true, 'late-1')).filter(({ message }) =>
          /^(early|late)-/.test(message),
        );
        expect(followed.map(({ message }) => message)).toEqual(['early-1', 'late-1']);
        const [first, second] = followed.map(({ time }) => time?.getTime() ?? 0);
        expect(first).toBe(early.time?.getTime());
        // The engine uses this machine's clock; the time of a file is that of the kernel's last tick, at most 10 ms ago.
        expect(first).toBeGreaterThanOrEqual(before - 10);
        expect(first).toBeLessThan(between);
        expect(second).toBeGreaterThanOrEqual(between - 10);
        expect(second).toBeLessThanOrEqual(Date.now());
        // Reading both again returns the same times.
        const again = (await linesOf(subject.api, false, '')).filter(({ message }) => /^(early|late)-/.test(message));
        expect(again).toEqual(followed);
        const frontend = await linesOf(subject.frontend, false, '');
        expect(frontend.length).toBeGreaterThan(0);
        expect(frontend.filter(({ time }) => time === undefined)).toEqual([]);
      });

      promises('are followed across a restart, without a gap or a repetition, until aborted', async () => {
        const { subject } = await world.shared();
        const first = await world.answer(subject);
        await world.say(subject, 'before', 20);
        await world.eventually('the first lines are written', async () =>
          (await world.lastLines(subject.api, 1))[0] === 'before-20' ? true : undefined,
        );
        const ending = new AbortController();
        const seen: string[] = [];
        const following = (async () => {
          const options = { lines: 10, follow: true, signal: ending.signal };
          for await (const { message } of world.runtime.logs(subject.api, options)) seen.push(message);
        })();
        const sees = (line: string): Promise<boolean> =>
          world.eventually(`the follower sees ${line}`, async () => (seen.includes(line) ? true : undefined));
        await sees('before-20');
        await world.say(subject, 'during', 100);
        await sees('during-100');
        await world.runtime.restart(subject.api);
        await world.answer(subject, 'api', ({ instance }) => instance !== first.instance);
        await world.say(subject, 'after', 100);
        await sees('after-100');
        ending.abort();
        await following;

        const numbered = (text: string, from: number, to: number): string[] =>
          Array.from({ length: to - from + 1 }, (_, at) => `${text}-${from + at}`);
        expect(seen.filter((line) => /^(before|during|after)-/.test(line))).toEqual([
          ...numbered('before', 11, 20),
          ...numbered('during', 1, 100),
          ...numbered('after', 1, 100),
        ]);
      });

      promises('outlast the manager', async () => {
        const { subject } = await world.shared();
        await world.say(subject, 'early', 2);
        await world.reopen();
        await world.say(subject, 'late', 2);
        await world.eventually('both are there', async () => {
          const lines = await world.lastLines(subject.api, 4);
          return lines.join() === 'early-1,early-2,late-1,late-2' ? true : undefined;
        });
      });
    });

    describe('jobs', () => {
      const jobsLeft = async (tenantId: string) =>
        (await world.runtime.list()).filter((resource) => resource.tenantId === tenantId && resource.kind === 'job');

      promises('return their exit code and lines, before any unit is live', async () => {
        const subject = await world.subject();
        const release = await world.release('1.0.0');
        expect(await world.run(subject, release, 'node job.mjs exit 0')).toEqual({ exitCode: 0, timedOut: false });
        expect(await world.run(subject, release, 'node job.mjs exit 7')).toEqual({ exitCode: 7, timedOut: false });
        const work = recordedWork();
        await world.run(subject, release, 'node job.mjs env APP_NAME', { work });
        expect(work.lines).toContain(`APP_NAME="${subject.tenant.slug}"`);
        expect(await jobsLeft(subject.tenant.id)).toEqual([]);
        expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'inactive', commit: null });
      });

      promises('run their commands in sequence in one directory, until the caller stops them', async () => {
        const subject = await world.subject();
        const release = await world.release('1.0.0');
        const work = recordedWork();
        const { dataDirectory } = world.runtime.paths(subject.tenant);
        const answer = await world.runtime.runJob(world.job(subject, release), work, async (run) => {
          const exitCodes: (number | null)[] = [];
          for (const command of [
            `echo one; echo kept > ${dataDirectory}/first; node job.mjs lines 2000`,
            `echo two; cat ${dataDirectory}/first; exit 3`,
            'echo three >&2',
          ]) {
            work.log(`next: ${command.slice(0, 8)}`);
            const { exitCode } = await run(command, { timeoutMs: patienceMs });
            exitCodes.push(exitCode);
            if (exitCode === 3) break;
          }
          return exitCodes;
        });
        expect(answer).toEqual([0, 3]);
        const many = Array.from({ length: 2_000 }, (_, at) => `line ${at + 1}`);
        expect(work.lines).toEqual(['next: echo one', 'one', ...many, 'next: echo two', 'two', 'kept']);
        expect(await jobsLeft(subject.tenant.id)).toEqual([]);
      });

      promises('do not wait for background processes of a command, and end them', async () => {
        const subject = await world.subject();
        const release = await world.release('1.0.0');
        const work = recordedWork();
        await world.runtime.runJob(world.job(subject, release), work, async (run) => {
          const ended = { exitCode: 0, timedOut: false };
          expect(await run('node job.mjs sleep & echo left', { timeoutMs: patienceMs })).toEqual(ended);
          expect(await run('echo after', { timeoutMs: patienceMs })).toEqual(ended);
        });
        expect(work.lines.filter((line) => line !== 'sleeping')).toEqual(['left', 'after']);
        expect(await jobsLeft(subject.tenant.id)).toEqual([]);
      });

      promises('pass on errors of their caller, and leave nothing', async () => {
        const subject = await world.subject();
        const release = await world.release('1.0.0');
        const failing = world.runtime.runJob(world.job(subject, release), quietWork(), async (run) => {
          await run('true', { timeoutMs: patienceMs });
          throw new Error('the second does not begin');
        });
        await expect(failing).rejects.toThrow('the second does not begin');
        expect(await jobsLeft(subject.tenant.id)).toEqual([]);
      });

      promises('have a timeout for each command, and leave nothing after it', async () => {
        const { subject, release } = await world.shared();
        const ends = await world.runtime.runJob(world.job(subject, release), quietWork(), async (run) => [
          await run('true', { timeoutMs: patienceMs }),
          await run('node job.mjs sleep', { timeoutMs: 2_000 }),
        ]);
        expect(ends).toEqual([{ exitCode: 0, timedOut: false }, expect.objectContaining({ timedOut: true })]);
        expect(ends[1]?.exitCode).not.toBe(0);
        expect(await jobsLeft(subject.tenant.id)).toEqual([]);
        await world.answer(subject);
      });

      promises('end when aborted in the middle, and leave nothing', async () => {
        const { subject, release } = await world.shared();
        const aborting = new AbortController();
        const work = recordedWork(aborting.signal);
        const running = world.runtime.runJob(world.job(subject, release), work, async (run) => {
          await run('echo first', { timeoutMs: patienceMs });
          await run('node job.mjs sleep', { timeoutMs: patienceMs });
          await run('echo last', { timeoutMs: patienceMs });
        });
        running.catch(() => undefined);
        await world.eventually('the second runs', async () => (work.lines.includes('sleeping') ? true : undefined));
        aborting.abort(new Error('cancelled by the test'));
        await expect(running).rejects.toThrow('cancelled by the test');
        expect(work.lines).toEqual(['first', 'sleeping']);
        expect(await jobsLeft(subject.tenant.id)).toEqual([]);
        await world.answer(subject);
      });
    });

    describe('import files', () => {
      const content = async function* (...parts: string[]): AsyncGenerator<Uint8Array> {
        for (const part of parts) yield Buffer.from(part);
      };
      const read = (subject: Awaited<ReturnType<RuntimeWorld['subject']>>, path: string) =>
        world.ask<{ content: string }>(subject, 'api', `/read?path=${encodeURIComponent(path)}`);

      promises('are read by the unit, replaced and removed', async () => {
        const { subject } = await world.shared();
        const path = await world.runtime.putImportFile(subject.tenant, 'list-1.csv', content('a;b\n', '1;ü\n'));
        expect(path).toBe(join(world.runtime.paths(subject.tenant).importDirectory, 'list-1.csv'));
        expect(await read(subject, path)).toEqual({ content: 'a;b\n1;ü\n' });
        await world.runtime.putImportFile(subject.tenant, 'list-1.csv', content('other'));
        expect(await read(subject, path)).toEqual({ content: 'other' });
        await world.runtime.removeImportFile(subject.tenant, 'list-1.csv');
        await world.runtime.removeImportFile(subject.tenant, 'list-1.csv');
        expect(await read(subject, path)).toBeUndefined();
      });

      promises('have generated names', async () => {
        const { subject } = await world.shared();
        for (const name of ['../escaped.csv', '/etc/escaped.csv', 'a/b.csv', '..', '.', '', 'a\nb'])
          await expect(world.runtime.putImportFile(subject.tenant, name, content('x'))).rejects.toThrow();
      });

      promises('that are interrupted leave nothing', async () => {
        const { subject } = await world.shared();
        const breaking = (async function* (): AsyncGenerator<Uint8Array> {
          yield Buffer.from('half');
          throw new Error('the upload broke off');
        })();
        await expect(world.runtime.putImportFile(subject.tenant, 'half.csv', breaking)).rejects.toThrow(
          'the upload broke off',
        );
        const path = join(world.runtime.paths(subject.tenant).importDirectory, 'half.csv');
        expect(await read(subject, path)).toBeUndefined();
      });
    });

    describeTenantData({ world: () => world, promises });

    describe('tenants', () => {
      promises('are isolated, and removed with all that belongs to them', async () => {
        const release = await world.release('1.0.0');
        const [one, other] = [await world.subject(), await world.subject()];
        await world.activate(one, release, { environment: { WHO: 'one' } });
        await world.activate(other, release, { environment: { WHO: 'other' } });
        expect(await world.ask(one, 'api', '/env')).toMatchObject({ WHO: 'one' });
        expect(await world.ask(other, 'api', '/env')).toMatchObject({ WHO: 'other' });
        const before = await world.answer(other);

        const mine = async (id: string) => (await world.runtime.list()).filter((resource) => resource.tenantId === id);
        expect((await mine(one.tenant.id)).map((resource) => resource.name)).toEqual(
          expect.arrayContaining([`${one.tenant.slug}-api`, `${one.tenant.slug}-frontend`]),
        );

        await world.runtime.stage(world.spec(one, 'api', release), quietWork());
        await world.runtime.removeTenant(one.tenant, { data: true });
        await world.runtime.removeTenant(one.tenant, { data: true });
        expect(await mine(one.tenant.id)).toEqual([]);
        expect(await world.ask(one, 'api', '/')).toBeUndefined();
        expect(await world.runtime.inspect(one.api)).toMatchObject({ state: 'inactive', commit: null });
        expect(await world.answer(other)).toEqual(before);
        await world.reopen();
        expect(await mine(one.tenant.id)).toEqual([]);
        expect(await world.answer(other)).toEqual(before);
      });
    });
    if (missing.size > 0) throw new Error(`No promise has these names: ${[...missing].join(', ')}`);
  });
}
