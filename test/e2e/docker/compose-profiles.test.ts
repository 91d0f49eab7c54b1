import { afterEach, describe, expect, test } from '@jest/globals';
import { readConfig } from '../../../src/app/config/config.ts';
import { type ComposeProject, composeObstacle, makeComposeProject } from '../../harness/app/compose.ts';

interface Service {
  image: string;
  container_name: string;
  environment?: Record<string, string>;
  networks: Record<string, unknown>;
  ports?: { target: number; published: string }[];
  volumes?: { source: string; target: string }[];
}

const obstacle = composeObstacle();

describe('profiles of compose.yaml', () => {
  if (obstacle !== undefined && process.env.CI !== 'true') {
    test.skip(`skipped: ${obstacle}`, () => undefined);
    return;
  }

  let project: ComposeProject | undefined;
  afterEach(() => project?.forget());

  /** The compose configuration with these variables in .env. */
  async function services(environment: Record<string, string>): Promise<Record<string, Service>> {
    project = await makeComposeProject(environment);
    return JSON.parse(await project.compose('config', '--format', 'json')).services;
  }
  const configOf = ({ environment }: Service) => readConfig(environment ?? {});

  test('none: no proxy, and a manager without one', async () => {
    const { manager, ...others } = await services({});
    expect(Object.keys(others)).toEqual(['store']);
    expect(configOf(manager as Service)).toMatchObject({ PROXY: 'none', PROXY_CONTAINER: undefined });
  });

  test('a proxy in front of the manager is named in .env', async () => {
    const TRUST_PROXY = '172.18.0.1';
    const DASHBOARD_ORIGIN = 'https://tenantry.example.org';
    const { manager } = await services({ TRUST_PROXY, DASHBOARD_ORIGIN });
    expect(configOf(manager as Service)).toMatchObject({
      TRUST_PROXY: [TRUST_PROXY],
      DASHBOARD_ORIGIN: [DASHBOARD_ORIGIN],
    });
  });

  test.each(['nginx', 'traefik'] as const)('%s: configures the manager with its address', async (profile) => {
    const {
      manager,
      store,
      [profile]: proxy,
      ...others
    } = await services({
      COMPOSE_PROFILES: profile,
      PROXY_HTTP_PORT: '8080',
      CERTIFICATES: 'acme',
      FRONT_PROXIES: '192.0.2.1,198.51.100.0/24',
    });
    expect([others, store]).toEqual([{}, expect.anything()]);
    if (!manager || !proxy) throw new Error('A service is missing');
    expect(configOf(manager)).toMatchObject({
      PROXY: profile,
      PROXY_CONTAINER: proxy.container_name,
      PROXY_ADDRESS: profile,
      PROXY_HTTP_PORT: 8080,
      PROXY_HTTPS_PORT: 443,
      CERTIFICATES: 'acme',
      FRONT_PROXIES: ['192.0.2.1', '198.51.100.0/24'],
    });
    expect(proxy.image).toMatch(new RegExp(`^${profile}:v?\\d+\\.\\d+`));
    expect(proxy.ports?.map(({ target, published }) => [target, published])).toEqual([
      [8080, '8080'],
      [443, '443'],
    ]);
    // It starts in the first network only; the manager connects it to the tenants', not to the store's.
    expect(Object.keys(proxy.networks)).toEqual(['default']);
    const shared = { source: 'proxy', target: configOf(manager).PROXY_DIRECTORY };
    expect(manager.volumes).toContainEqual(expect.objectContaining(shared));
    expect(proxy.volumes).toContainEqual(expect.objectContaining(shared));
  });
});
