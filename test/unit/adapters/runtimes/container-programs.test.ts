import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { createContainerPrograms } from '../../../../src/adapters/runtimes/engine/exec/container-programs.ts';
import { describeWithEngine } from '../../../harness/engine/engine.ts';
import { patienceMs } from '../../../harness/patience.ts';

describeWithEngine('programs in a container', () => {
  const docker = new Docker({ socketPath: '/var/run/docker.sock' });
  const name = `test-programs-${randomBytes(4).toString('hex')}`;
  const run = createContainerPrograms({ container: name });
  const soon = { timeoutMs: patienceMs };
  let container: Docker.Container;

  beforeAll(async () => {
    container = await docker.createContainer({ name, Image: 'nginx:1.30' });
    await container.start();
  });
  afterAll(() => container?.remove({ force: true }));

  test('return their exit code and both outputs', async () => {
    const good = await run(['nginx', '-t'], soon);
    expect(good).toMatchObject({ exitCode: 0, timedOut: false });
    expect(good.output).toContain('test is successful');
    const bad = await run(['nginx', '-t', '-g', 'nonsense on;'], soon);
    expect(bad.exitCode).toBe(1);
    expect(bad.output).toContain('unknown directive "nonsense"');
    expect(await run(['echo', '$(id)', '; touch /tmp/never', 'a  b'], soon)).toEqual({
      exitCode: 0,
      output: '$(id) ; touch /tmp/never a  b\n',
      timedOut: false,
    });
  });

  test('keep the end of a long output', async () => {
    const { output } = await run(['seq', '100000'], soon);
    expect(output.length).toBeLessThanOrEqual(64 * 1024);
    expect(output).toMatch(/99999\n100000\n$/);
  });

  test('that do not exist end as in a shell', async () => {
    const { exitCode, output } = await run(['no-such-program'], soon);
    expect(exitCode).not.toBe(0);
    expect(output).toContain('no-such-program');
  });

  test('end at the timeout or when the caller aborts', async () => {
    expect(await run(['sleep', '600'], { timeoutMs: 300 })).toEqual({ exitCode: null, output: '', timedOut: true });
    const aborting = new AbortController();
    const running = run(['sleep', '600'], { ...soon, signal: aborting.signal });
    running.catch(() => undefined);
    aborting.abort(new Error('no longer wanted'));
    await expect(running).rejects.toThrow('no longer wanted');
  });

  test('reports a container that is stopped or missing, and an unreachable engine', async () => {
    const absent = createContainerPrograms({ container: `${name}-absent` });
    await expect(absent(['true'], soon)).rejects.toThrow(`No container named ${name}-absent`);
    const away = createContainerPrograms({ container: name }, { socketPath: '/nonexistent/docker.sock' });
    await expect(away(['true'], soon)).rejects.toMatchObject({ code: 'runtime_unavailable' });
    await container.stop({ t: 1 });
    await expect(run(['true'], soon)).rejects.toThrow(new RegExp(`${name}.* is not running`));
    await container.start();
    expect((await run(['true'], soon)).exitCode).toBe(0);
  });
});
