import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, chmod, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { ReleaseRequest } from '../../../../src/adapters/runtimes/runtime.ts';
import {
  quietWork,
  type RuntimeHarness,
  RuntimeWorld,
  recordedWork,
  type Subject,
} from '../../../contracts/runtime-world.ts';
import { attempts } from './attempts.ts';
import type { ManagerOrders } from './changing-manager.ts';
import { output, unitsOnDisk, usersOf } from './machine.ts';
import { systemdHarness } from './systemd-harness.ts';

/** What only systemd promises. */
let harness: RuntimeHarness & { instance: string };
let world: RuntimeWorld;

beforeAll(async () => {
  harness = await systemdHarness({ watchMs: 300, steadyMs: 2_000 });
  world = await RuntimeWorld.create(harness);
});
afterAll(async () => {
  await world.destroy();
  expect(await usersOf(harness.instance)).toEqual([]);
  expect(await output('systemctl', 'list-units', '--all', '--no-legend', `tenantry.${harness.instance}.*`)).toBe('');
});

const check = (what: string, tests: () => Promise<void>): void => test(what, tests, 120_000);
const unitFile = (subject: Subject, role = 'api'): string =>
  `/etc/systemd/system/${subject.tenant.slug}-${role}.service`;
const environmentOf = async (subject: Subject): Promise<string> =>
  /^EnvironmentFile=(.+)$/m.exec(await readFile(unitFile(subject), 'utf8'))?.[1] ?? '';
const property = async (subject: Subject, name: string): Promise<string> =>
  (await output('systemctl', 'show', `--property=${name}`, '--value', `${subject.tenant.slug}-api`)).trim();
const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Runs a separate manager on the world's directory, which changes generations endlessly, and kills it. */
async function lifeOfAManager(orders: ManagerOrders, afterMs: number): Promise<void> {
  const script = join(import.meta.dirname, 'changing-manager.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(orders)], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  await sleep(afterMs);
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** A prepared release whose units have another start command. */
async function releaseStartedBy(start: string, files: Record<string, string> = {}): Promise<ReleaseRequest> {
  const release = await world.checkout('1.0.0');
  for (const [name, content] of Object.entries(files)) await writeFile(join(release.checkout, name), content);
  const { api, frontend } = release.units;
  const changed = { ...release, units: { api: { ...api, start }, frontend: { ...frontend, start } } };
  await world.runtime.prepareRelease(changed, quietWork());
  return changed;
}

check('a unit can write only its own files, read nothing of others, and gain no privilege', async () => {
  const { subject: other } = await world.deployed('1.0.0', { environment: { SECRET: 'of-the-other' } });
  const subject = await world.subject();
  const release = await releaseStartedBy('node attempts.mjs && exec node server.mjs', { 'attempts.mjs': attempts });
  const paths = {
    otherEnvironment: await environmentOf(other),
    otherData: join(other.tenant.directory, 'data'),
    ownDirectory: subject.tenant.directory,
    record: join(harness.directory, 'runtime', 'tenants', other.tenant.id, 'generations.json'),
    imports: world.runtime.paths(subject.tenant).importDirectory,
    openToAll: '/opt/open-to-all',
  };
  await mkdir(paths.openToAll, { recursive: true });
  await chmod(paths.openToAll, 0o777);
  const otherPid = await property(other, 'MainPID');
  await world.activate(subject, release, { environment: { PATHS: JSON.stringify(paths), OTHER_PID: otherPid } });
  await world.runtime.commit(subject.tenant);
  const found = await world.eventually('the attempts are reported', async () =>
    (await world.lastLines(subject.api, 100)).find((line) => line.startsWith('ATTEMPTS ')),
  );
  const result = JSON.parse(found.slice('ATTEMPTS '.length));
  // The paths are right: root can read them.
  expect(await readFile(paths.otherEnvironment, 'utf8')).toContain('of-the-other');
  expect(await isThere(paths.record)).toBe(true);

  expect(result.allowed).toEqual({ data: 'ok', imports: 'ok', temporary: 'ok' });
  const refused = expect.stringMatching(/^(EACCES|EPERM|EROFS|ENOENT|ESRCH)$/);
  for (const [what, answer] of Object.entries(result.refused)) expect([what, answer]).toEqual([what, refused]);
  expect(Object.keys(result.refused)).toHaveLength(18);
  expect(result.status).toMatchObject({
    CapEff: '0000000000000000',
    CapBnd: '0000000000000000',
    NoNewPrivs: '1',
    Seccomp: '2',
  });
  expect(result.uid).toBeGreaterThan(0);
  for (const [what, code] of Object.entries(result.programs)) expect([what, code]).not.toEqual([what, 0]);
  expect(result.processes).not.toContain('1');
  expect(result.processes).not.toContain(otherPid);
  expect(await isThere('/etc/tenantry-was-here')).toBe(false);
  expect(await isThere(join(release.checkout, 'tenantry-was-here'))).toBe(false);
  // The other one was not stopped.
  await world.answer(other);
});

check('enforces limits: memory, processes', async () => {
  const subject = await world.subject();
  const release = await world.release('1.0.0');
  const hungry = 'node -e "const a=[];for(;;)a.push(Buffer.alloc(16e6,1))"';
  expect((await world.run(subject, release, hungry)).exitCode).not.toBe(0);
  const many = 'i=0; while [ $i -lt 200 ]; do sleep 5 & i=$((i+1)); done';
  const work = recordedWork();
  expect((await world.run(subject, release, many, { work })).exitCode).not.toBe(0);
  expect(work.lines.join('\n')).toMatch(/fork/i);
  const { subject: live } = await world.deployed();
  expect(await property(live, 'MemoryMax')).toBe(String(256 * 1024 * 1024));
  expect(await property(live, 'TasksMax')).toBe('128');
  expect(await property(live, 'CPUQuotaPerSecUSec')).toBe('1s');
});

check('a start command is literal, whatever systemd would interpret in it', async () => {
  const subject = await world.subject();
  const awkward = `100% "%n" '%i' \\ $HOME \${NOT_SET}x $$ ü ;`;
  const script = 'console.log("ARGUMENTS " + JSON.stringify(process.argv.slice(2)))';
  const line = `node say.mjs '100% "%n"' "%i \\\\ $WHO" $((1 + 1)) 'a;b' && exec node server.mjs`;
  await world.activate(subject, await releaseStartedBy(line, { 'say.mjs': script }), { environment: { WHO: awkward } });
  const said = await world.eventually('its arguments are reported', async () =>
    (await world.lastLines(subject.api, 100)).find((text) => text.startsWith('ARGUMENTS ')),
  );
  expect(JSON.parse(said.slice('ARGUMENTS '.length))).toEqual(['100% "%n"', `%i \\ ${awkward}`, '2', 'a;b']);
});

check('rejects a start command of more than one line, and the live unit keeps running', async () => {
  const { subject } = await world.deployed();
  const before = await world.answer(subject);
  const release = await releaseStartedBy('node server.mjs\nUser=root');
  await expect(world.stage(subject, release)).rejects.toThrow('line end');
  expect(await world.answer(subject)).toEqual(before);
  expect(await readFile(unitFile(subject), 'utf8')).not.toContain('root');
  await world.runtime.rollback(subject.tenant, quietWork());
  expect(await world.answer(subject)).toEqual(before);
});

check('rejects a foreign unit with our name by name, and leaves it alone', async () => {
  const subject = await world.subject();
  const release = await world.release('1.0.0');
  const foreign = '[Service]\nExecStart=/bin/sleep 1000\n';
  await writeFile(unitFile(subject), foreign);
  await output('systemctl', 'daemon-reload');
  await output('systemctl', 'start', `${subject.tenant.slug}-api`);
  try {
    await expect(world.stage(subject, release)).rejects.toThrow(`${subject.tenant.slug}-api.service`);
    await world.runtime.stop(subject.api);
    await world.runtime.removeTenant(subject.tenant, { data: true });
    expect(await readFile(unitFile(subject), 'utf8')).toBe(foreign);
    expect(await property(subject, 'SubState')).toBe('running');
  } finally {
    await output('systemctl', 'stop', `${subject.tenant.slug}-api`);
    await rm(unitFile(subject));
    await output('systemctl', 'daemon-reload');
  }
});

check('an edited unit file is drift; the next activation repairs it', async () => {
  const { subject, release } = await world.deployed();
  const spec = world.spec(subject, 'api', release);
  expect(await world.runtime.isLive(spec)).toBe(true);
  const text = await readFile(unitFile(subject), 'utf8');
  await writeFile(unitFile(subject), text.replace('NoNewPrivileges=yes', 'NoNewPrivileges=no'));
  expect(await world.runtime.isLive(spec)).toBe(false);
  await world.activate(subject, release);
  await world.runtime.commit(subject.tenant);
  expect(await world.runtime.isLive(spec)).toBe(true);
  expect(await property(subject, 'NoNewPrivileges')).toBe('yes');
});

check('gives up a unit that never stays up, and can start it again', async () => {
  const subject = await world.subject();
  await world.stage(subject, await world.release('1.0.0'), { environment: { CRASH: '1' } });
  // The delays of ten starts alone would take minutes.
  const quick = `/run/systemd/system/${subject.tenant.slug}-api.service.d`;
  await mkdir(quick, { recursive: true });
  await writeFile(join(quick, 'quick.conf'), '[Unit]\nStartLimitBurst=3\n[Service]\nRestartSec=10ms\nRestartSteps=0\n');
  await world.runtime.activate(subject.tenant, quietWork());
  const state = await world.eventually('it is given up', async () => {
    const seen = await world.runtime.inspect(subject.api);
    return seen.gaveUp ? seen : undefined;
  });
  expect(state).toMatchObject({ state: 'inactive', reason: expect.stringMatching(/exited with code 3; .*given up/) });
  await world.runtime.start(subject.api);
  expect((await world.runtime.inspect(subject.api)).gaveUp).toBe(false);
  await world.runtime.stop(subject.api);
  await rm(quick, { recursive: true });
});

check('stopped by others: reported, and started by the next manager; stopped by us: disabled, and not', async () => {
  const { subject } = await world.deployed();
  await world.runtime.stop(subject.frontend);
  await output('systemctl', 'stop', `${subject.tenant.slug}-api`);
  expect(await world.runtime.inspect(subject.api)).toMatchObject({ state: 'inactive', reason: 'stopped from outside' });
  await world.reopen();
  await world.answer(subject);
  expect((await world.runtime.inspect(subject.frontend)).state).toBe('inactive');
  expect((await unitsOnDisk(subject.tenant.slug)).sort()).toEqual([
    `multi-user.target.wants/${subject.tenant.slug}-api.service`,
    `${subject.tenant.slug}-api.service`,
    `${subject.tenant.slug}-frontend.service`,
  ]);
});

check('releases belong to root, and the user of an install is removed', async () => {
  const release = await releaseStartedBy('node server.mjs', { 'private.txt': 'x' });
  const listing = await output('find', release.checkout, '-printf', '%u %m %f\n');
  for (const line of listing.trim().split('\n')) expect(line).toMatch(/^root (755|644) /);
  const who = { ...(await world.checkout('1.0.0')), install: 'id -u; touch made /tmp/made; touch /etc/made' };
  const work = recordedWork();
  await expect(world.runtime.prepareRelease(who, work)).rejects.toThrow('Read-only');
  expect(Number(work.lines.find((line) => /^\d+$/.test(line)))).toBeGreaterThan(0);
  const users = await output('getent', 'passwd');
  expect(users).not.toContain(`Tenantry ${harness.instance} install`);
});

check('data is read and written as its owner: a link there leads nowhere', async () => {
  const { subject } = await world.deployed();
  const data = join(subject.tenant.directory, 'data');
  const secret = join(harness.directory, 'secret');
  await writeFile(secret, 'of the manager', { mode: 0o600 });
  await world.run(
    subject,
    await world.release('1.0.0'),
    'echo mine > /srv/data/own; mkdir /srv/data/deep; echo x > /srv/data/deep/er',
  );
  await symlink(secret, join(data, 'link'));
  await symlink(harness.directory, join(data, 'way-out'));
  const { signal } = new AbortController();
  const archive: Uint8Array[] = [];
  for await (const chunk of world.runtime.data.read(subject.tenant, { except: ['own'], still: true, signal }))
    archive.push(chunk);
  expect(Buffer.concat(archive).toString('latin1')).not.toContain('of the manager');
  expect(Buffer.concat(archive).toString('latin1')).toContain('deep/er');
  // The units continue.
  await world.answer(subject);

  await world.runtime.data.remove(subject.tenant, { except: ['own'] }, signal);
  expect(await readdir(data)).toEqual(['own']);
  expect(await isThere(secret)).toBe(true);
  await world.runtime.data.write(
    subject.tenant,
    (async function* () {
      yield* archive;
    })(),
    signal,
  );
  expect((await readdir(data)).sort()).toEqual(['deep', 'link', 'own', 'way-out']);
  const owners = await output('find', data, '-printf', '%U\n');
  expect(new Set(owners.trim().split('\n')).size).toBe(1);
  expect(owners).not.toMatch(/^0$/m);
});

check('a unit that has run well for a while counts as stable again', async () => {
  const { subject } = await world.deployed();
  const first = await world.answer(subject);
  await world.ask(subject, 'api', '/exit?code=7');
  await world.eventually('its restart is counted', async () =>
    (await property(subject, 'NRestarts')) === '1' ? true : undefined,
  );
  await world.answer(subject, 'api', ({ instance }) => instance !== first.instance);
  await world.eventually('its restarts are forgotten', async () =>
    (await property(subject, 'NRestarts')) === '0' ? true : undefined,
  );
  expect((await world.runtime.inspect(subject.api)).state).toBe('active');
});

check('after a kill anywhere in a change, the next manager completes it or rolls it back', async () => {
  const { subject } = await world.deployed('1.0.0');
  const versions = [await world.release('1.0.0'), await world.release('2.0.0')].map((release) =>
    (['api', 'frontend'] as const).map((role) => world.spec(subject, role, release)),
  );
  await world.runtime.close();
  const orders: ManagerOrders = { instance: harness.instance, directory: join(harness.directory, 'runtime'), versions };
  for (let kills = 0; kills < 4; kills += 1) {
    await lifeOfAManager(orders, 300 + kills * 410);
    await world.reopen();
    const unsettled = (await world.runtime.pendingChanges()).includes(subject.tenant.id);
    await world.runtime.rollback(subject.tenant, quietWork());
    expect(await world.runtime.pendingChanges()).not.toContain(subject.tenant.id);
    const [api, frontend] = [await world.answer(subject, 'api'), await world.answer(subject, 'frontend')];
    expect([kills, unsettled, api.version]).toEqual([kills, unsettled, frontend.version]);
    const live = versions.find(([spec]) => spec?.release.commit === versionOf(api.version));
    for (const spec of live ?? []) expect(await world.runtime.isLive(spec)).toBe(true);
    expect((await world.runtime.inspect(subject.api)).commit).toBe(versionOf(api.version));
    await world.runtime.close();
  }
  await world.reopen();
  const folder = join(harness.directory, 'runtime', 'tenants', subject.tenant.id);
  expect((await readdir(folder)).sort()).toEqual(['generations', 'generations.json']);
  expect(await readdir(join(folder, 'generations'))).toHaveLength(2);

  function versionOf(version: string): string | undefined {
    return versions[version === '1.0.0' ? 0 : 1]?.[0]?.release.commit;
  }
});

check('resumes paused units and ends jobs of an earlier manager', async () => {
  const { subject, release } = await world.deployed();
  await output('systemctl', 'kill', '--signal=SIGSTOP', `${subject.tenant.slug}-api`);
  const name = `tenantry.${harness.instance}.job.${subject.tenant.id}.left-1.service`;
  await output('systemd-run', '--quiet', '--collect', `--unit=${name}`, '/bin/sleep', '1000');
  expect((await world.runtime.list()).filter(({ kind }) => kind === 'job')).toEqual([
    { kind: 'job', name, tenantId: subject.tenant.id },
  ]);
  await world.reopen();
  expect((await world.runtime.list()).filter(({ kind }) => kind === 'job')).toEqual([]);
  await world.answer(subject);
  expect(await world.runtime.isLive(world.spec(subject, 'api', release))).toBe(true);
});
