import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ComposeProject, composeObstacle, makeComposeProject } from '../../harness/app/compose.ts';
import { readiness } from '../../harness/app/manager-pair.ts';
import { until } from '../../harness/data/tenants.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';

const obstacle = composeObstacle();

describeWithEngine('two managers by docker compose --profile standby', () => {
  if (obstacle !== undefined && process.env.CI !== 'true') {
    test.skip(`skipped: ${obstacle}`, () => undefined);
    return;
  }

  let project: ComposeProject;
  const compose = (...parameters: string[]) => project.compose('--profile', 'standby', ...parameters);
  const both = async () =>
    Promise.all((['manager', 'standby'] as const).map(async (name) => readiness(await project.url(name))));

  beforeAll(async () => {
    project = await makeComposeProject({ STANDBY: 'true' });
    await compose('up', '--build', '--detach', '--wait');
  });
  afterAll(() => project.remove());

  test('both are healthy, and one of them is ready', async () => {
    expect((await until(both, (statuses) => statuses.includes(200))).sort()).toEqual([200, 503]);
  });

  test('when the active one is killed, the other takes over; started again, it is the standby', async () => {
    const [active, other] =
      (await both())[0] === 200 ? (['manager', 'standby'] as const) : (['standby', 'manager'] as const);
    const { ADMIN_PASSWORD: password } = await project.environment();
    await compose('kill', active);
    const url = await project.url(other);
    await until(
      () => readiness(url),
      (status) => status === 200,
    );
    const login = await fetch(`${url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password }),
    });
    expect(login.status).toBe(200);
    await compose('up', '--detach', '--wait');
    expect([await readiness(await project.url(active)), await readiness(url)]).toEqual([503, 200]);
  });
});
