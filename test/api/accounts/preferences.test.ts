import { expect, test } from '@jest/globals';
import { eachStoreApp } from '../../harness/app/each-store-app.ts';

const path = '/api/auth/preferences';
const view = (name: string) => ({ name, query: 'tag=Pilots&sort=name', columns: ['version', 'tags'] });

eachStoreApp('preferences', (app) => {
  const get = async (token: string) => (await app().call('GET', path, { token })).body;
  const put = (token: string, tenant_views: unknown) => app().call('PUT', path, { token, body: { tenant_views } });

  test('belong to their user, and stay when nothing is sent', async () => {
    const [one, other] = await Promise.all([app().userOf('viewer'), app().userOf('viewer')]);
    expect(await get(one.token)).toEqual({ tenant_views: [] });
    const saved = { tenant_views: [view('Ring 1'), view('Ring 2')] };
    expect(await put(one.token, saved.tenant_views)).toMatchObject({ status: 200, body: saved });
    expect((await app().call('PUT', path, { token: one.token, body: {} })).body).toEqual(saved);
    expect(await get(one.token)).toEqual(saved);
    expect(await get(other.token)).toEqual({ tenant_views: [] });
    expect(await put(one.token, [])).toMatchObject({ status: 200, body: { tenant_views: [] } });
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
    expect(await get(token)).toEqual({ tenant_views: [] });
  });
});
