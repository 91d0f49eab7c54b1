import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { helpOf } from '../../../dashboard/src/shell/help/help-links.ts';

const read = (path: string): string => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

/** The paths of a list of routes in the dashboard's code, from its name to the end of the list. */
function pathsIn(list: string): string[] {
  const code = read('dashboard/src/routes.tsx');
  const start = code.indexOf(`const ${list}: RouteObject[] = [`);
  const own = code.slice(start, code.indexOf('\n];', start));
  return [...own.matchAll(/path: '([^']+)'/g)].map(([, path = '']) => path);
}

const routes = [
  ...pathsIn('routes'),
  ...pathsIn('pages').filter((path) => path !== '*'),
  ...pathsIn('tenantRoutes').map((path) => `/tenants/:id/${path}`),
  ...pathsIn('systemRoutes').map((path) => `/system/${path}`),
];

describe('the help of a page', () => {
  const headings = [...read('docs/operations.md').matchAll(/^#{2,3} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^a-z\d -]/g, '')
      .replaceAll(' ', '-'),
  );

  test('is a section of the guide for every route', () => {
    expect(routes.length).toBeGreaterThan(35);
    const without = routes.filter(
      (route) => !headings.includes(helpOf(route.replaceAll('?', '')).slice('/help/#'.length)),
    );
    expect(without).toEqual([]);
  });

  test.each([
    ['/inbox', 'be-notified'],
    ['/system/notifications/rules', 'be-notified'],
    ['/journal', 'read-the-audit-log'],
    ['/reports/availability/2026-11', 'metrics-and-availability'],
    ['/tenants/1/metrics', 'metrics-and-availability'],
    ['/tenants/1/configuration', 'configure-a-tenant'],
    ['/system/settings', 'change-the-settings'],
    ['/sign-in', 'sign-in'],
    ['/password', 'sign-in'],
    ['/no-such-page', ''],
  ])('%s', (path, anchor) => {
    expect(helpOf(path)).toBe(`/help/#${anchor}`);
  });
});
