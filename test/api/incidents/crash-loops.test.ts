import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type App, startApp } from '../../harness/app/app.ts';
import { failWith, makeFaultyRepository } from '../../harness/data/faulty-application.ts';
import { deploy, makeTenant, setEnvironment, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { eachDatabase } from '../../harness/servers/mariadb.ts';
import { alertKeys, type IncidentAnswer, type IncidentListAnswer } from './incident-answers.ts';

/** Its name says that it is one. */
const secret = 'tulip-marmalade-77';

eachDatabase('units that crash', (newDatabase) => {
  let app: App;
  let tenants: TenantAnswer[];

  beforeAll(async () => {
    app = await startApp({ environment: { DATABASE_URL: await newDatabase() }, healthTimeoutMs: 20_000 });
    const repository = await makeFaultyRepository(`${app.directory}/repository`);
    tenants = await Promise.all(['a', 'b'].map((name) => makeTenant(app, repository.path, { name })));
    for (const { id } of tenants) {
      await setEnvironment(app, id, { SMTP_TOKEN: secret });
      expect(await deploy(app, id, { target_version: 'v2.0.0' })).toMatchObject({ status: 'success' });
    }
  });
  afterAll(async () => {
    for (const { id } of tenants) await app?.call('DELETE', `/api/tenants/${id}?remove_files=true`);
    await app?.stop();
  });

  const incidentsOf = async ({ id }: TenantAnswer) =>
    (await app.call<IncidentListAnswer>('GET', `/api/incidents?tenant_id=${id}`)).body.incidents;
  const checkBoth = () => Promise.all(tenants.map(({ id }) => app.call('POST', `/api/tenants/${id}/health-check`)));

  test('again and again are one incident with the exception as cause, while their pages answer, and one message', async () => {
    await Promise.all(tenants.map((tenant) => failWith(app, tenant, 'api', 'crash-later')));
    const title = /^The API crashes: TypeError: cannot send mail with •••• at server\.js:\d+, \d+ restarts in 1 min$/;
    const [incident] = await until(
      async () => {
        await checkBoth();
        return (await Promise.all(tenants.map(incidentsOf))).flat();
      },
      (found) => found.length > 0 && found.every((one) => title.test(one.title)),
      60_000,
    );
    const { body } = await app.call<IncidentAnswer>('GET', `/api/incidents/${incident?.id}`);
    expect(body.cause.code).toBe('uncaught_exception');
    expect(JSON.stringify(body)).toContain('••••');
    expect(JSON.stringify(body)).not.toContain(secret);
    // Many checks see its pages answer.
    for (let checks = 0; checks < 20; checks += 1) await checkBoth();
    for (const tenant of tenants) {
      const known = await incidentsOf(tenant);
      expect(known).toMatchObject([{ status: 'open', reopened: 0 }]);
      const health = await app.call('GET', `/api/tenants/${tenant.id}/health`);
      expect(health.body).toMatchObject({
        overall_status: 'unhealthy',
        checks: { services: { crash_loop: { service: 'backend' } } },
      });
    }
    const announced = () => alertKeys(app, incident?.id ?? '');
    expect(await until(announced, ({ length }) => length > 0, 60_000)).toEqual(['opened']);
  });

  test('the reason of an unwell application and the text of an error page are evidence, without secrets', async () => {
    const [a] = tenants as [TenantAnswer];
    const diagnosis = async () =>
      (await app.call<{ cause: { code: string } | null }>('GET', `/api/tenants/${a.id}/diagnosis`)).body;
    for (const [fault, code, text] of [
      ['unwell', 'application_unwell', 'The API says that it is not healthy: queue is stuck: ••••'],
      ['error-page', 'application_fails', 'Cannot connect with ••••'],
    ] as const) {
      await failWith(app, a, 'api', fault);
      const found = await until(diagnosis, ({ cause }) => cause?.code === code, 30_000);
      expect(JSON.stringify(found)).toContain(text);
      expect(JSON.stringify(found)).not.toMatch(/tulip|color|<b>/);
    }
  });
});
