import { afterAll, beforeAll, expect, test } from '@jest/globals';
import {
  alertKeys,
  checkApart,
  type IncidentAnswer,
  type IncidentListAnswer,
  inboxOf,
  kindsOf,
} from '../../api/incidents/incident-answers.ts';
import { type ProxiedApp, startProxiedApp } from '../../harness/app/proxied-app.ts';
import { deploy, makeTenant, type TenantAnswer, until } from '../../harness/data/tenants.ts';
import { timelineOfFleet } from '../../harness/data/timeline.ts';
import { describeWithNginx } from '../../harness/proxy/nginx.ts';
import { tenantWeb } from '../../harness/servers/tenant-web.ts';

describeWithNginx('an incident of nginx', () => {
  let proxied: ProxiedApp;
  const tenants: TenantAnswer[] = [];

  beforeAll(async () => {
    // The problem of the manager itself is found later than that of its tenants.
    proxied = await startProxiedApp({ CERTIFICATES: 'self-signed' }, { healthTimeoutMs: 20_000, alertSeconds: 10 });
    await proxied.repository.release('v2.0.0', tenantWeb);
    for (const name of ['a', 'b', 'c']) {
      const tenant = await makeTenant(proxied.app, proxied.repository.path, { name });
      expect(await deploy(proxied.app, tenant.id)).toMatchObject({ status: 'success', error: null });
      tenants.push(tenant);
    }
  });
  afterAll(() => proxied.destroy());

  test('is one for all tenants behind it, announced once', async () => {
    const { app, nginx } = proxied;
    await nginx.endAll('SIGKILL');
    // Findings about the proxy are reused for some seconds.
    await until(
      async () => (await app.call<{ system: { kind: string }[] }>('GET', '/api/attention')).body.system,
      (found) => found.some(({ kind }) => kind === 'proxy'),
    );
    const unhealthy = async ({ id }: TenantAnswer) =>
      (await app.call<{ overall_status: string }>('POST', `/api/tenants/${id}/health-check`)).body.overall_status;
    await checkApart(async () => {
      for (const tenant of tenants) expect(await unhealthy(tenant)).toBe('unhealthy');
    });
    const { incidents } = await until(
      async () => (await app.call<IncidentListAnswer>('GET', '/api/incidents')).body,
      (found) => found.incidents[0]?.affected_count === 3,
    );
    expect(incidents).toMatchObject([{ title: 'The reverse proxy does not answer', severity: 'critical' }]);
    const id = incidents[0]?.id ?? '';
    await until(
      () => alertKeys(app, id),
      ({ length }) => length > 0,
    );
    const { body } = await app.call<IncidentAnswer>('GET', `/api/incidents/${id}`);
    expect(kindsOf(body).filter((kind) => kind !== 'diagnosis_changed')).toEqual([
      'opened',
      'joined',
      'joined',
      'notified',
    ]);
    expect(await timelineOfFleet(app, 'proxy')).toMatchObject([
      {
        title: 'Incident: The reverse proxy does not answer',
        severity: 'critical',
        link: { type: 'incident', id },
      },
    ]);
    const announced = (await inboxOf(app)).find(({ key }) => key === `incident/${id}/opened`);
    expect(announced?.tenants.map(({ slug }) => slug).sort()).toEqual(tenants.map(({ slug }) => slug).sort());
  });
});
