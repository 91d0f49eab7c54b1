import { expect, test } from '@jest/globals';
import { eachStoreApp } from '../../harness/app/each-store-app.ts';

const path = '/api/auth/preferences';
const view = (name: string) => ({ name, query: 'tag=Pilots&sort=name', columns: ['version', 'tags'] });

eachStoreApp('preferences', (app) => {
  const get = async (token: string) => (await app().call('GET', path, { token })).body;
  const change = (token: string, body: object) => app().call('PUT', path, { token, body });
  const put = (token: string, tenant_views: unknown) => change(token, { tenant_views });
  const none = { tenant_views: [], language: null, time_zone: null };

  test('belong to their user, and stay when nothing is sent', async () => {
    const [one, other] = await Promise.all([app().userOf('viewer'), app().userOf('viewer')]);
    expect(await get(one.token)).toEqual(none);
    const saved = { ...none, tenant_views: [view('Ring 1'), view('Ring 2')] };
    expect(await put(one.token, saved.tenant_views)).toMatchObject({ status: 200, body: saved });
    expect((await app().call('PUT', path, { token: one.token, body: {} })).body).toEqual(saved);
    expect(await get(one.token)).toEqual(saved);
    expect(await get(other.token)).toEqual(none);
    expect(await put(one.token, [])).toMatchObject({ status: 200, body: { tenant_views: [] } });
  });

  test('hold the language and the time zone, each changed alone', async () => {
    const { token } = await app().userOf('viewer');
    expect((await change(token, { language: 'es' })).body).toEqual({ ...none, language: 'es' });
    const both = { ...none, language: 'es', time_zone: 'America/Chicago' };
    expect((await change(token, { time_zone: 'America/Chicago' })).body).toEqual(both);
    expect((await put(token, [view('a')])).body).toEqual({ ...both, tenant_views: [view('a')] });
    expect((await change(token, { language: null, time_zone: null })).body).toMatchObject({
      language: null,
      time_zone: null,
    });
    for (const [body, field] of [
      [{ language: 'de' }, 'language'],
      [{ time_zone: 'Mars/Olympus' }, 'time_zone'],
      [{ time_zone: '' }, 'time_zone'],
    ] as const)
      expect(await change(token, body)).toMatchObject({ status: 400, body: { issues: [{ path: field }] } });
  });

  test('of many users at the same time are not mixed', async () => {
    const users = await Promise.all(Array.from({ length: 5 }, () => app().userOf('viewer')));
    await Promise.all(
      users.flatMap(({ id, token }) => Array.from({ length: 6 }, (_, index) => put(token, [view(`${id} ${index}`)]))),
    );
    for (const { id, token } of users)
      expect(await get(token)).toMatchObject({ tenant_views: [{ name: expect.stringContaining(id) }] });
  });

  test('that are wrong are rejected with the field', async () => {
    const { token } = await app().userOf('viewer');
    const wrong: [unknown, string][] = [
      [[view('')], 'tenant_views.0.name'],
      [[{ ...view('a'), query: 'x'.repeat(2_001) }], 'tenant_views.0.query'],
      [[view('a'), view('a')], 'tenant_views'],
      [Array.from({ length: 101 }, (_, index) => view(`${index}`)), 'tenant_views'],
    ];
    for (const [views, field] of wrong)
      expect(await put(token, views)).toMatchObject({ status: 400, body: { issues: [{ path: field }] } });
    expect(await get(token)).toEqual(none);
  });
});
