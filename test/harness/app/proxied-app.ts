import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { spaceOf } from '../../../src/features/tenants/tenant.ts';
import { type FixtureRepository, makeFixtureRepository } from '../data/fixture-repository.ts';
import { until } from '../data/tenants.ts';
import { TestNginx } from '../proxy/nginx.ts';
import { type App, type AppOptions, startApp } from './app.ts';

/** The real manager with a real nginx in front of its tenants, and a repository to deploy. */
export interface ProxiedApp {
  app: App;
  nginx: TestNginx;
  repository: FixtureRepository;
  /** Starts the manager again on the same data. */
  restart(environment?: Record<string, string>): Promise<void>;
  destroy(): Promise<void>;
}

/** @param environment in addition to PROXY=nginx and its location */
export async function startProxiedApp(
  environment: Record<string, string> = {},
  options: Omit<AppOptions, 'environment' | 'directory'> = {},
): Promise<ProxiedApp> {
  const { PROXY_HTTP_PORT: httpPort } = environment;
  const nginx = await TestNginx.create(httpPort === undefined ? undefined : Number(httpPort));
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-proxied-'));
  const repository = await makeFixtureRepository(join(directory, 'repository'));
  const start = (more: Record<string, string> = {}): Promise<App> =>
    startApp({
      ...options,
      directory,
      environment: {
        PROXY: 'nginx',
        PROXY_DIRECTORY: join(nginx.directory, 'tenantry'),
        PROXY_HTTP_PORT: String(nginx.httpPort),
        PROXY_HTTPS_PORT: String(nginx.httpsPort),
        NGINX_CONFIG: nginx.mainConfig,
        ...environment,
        ...more,
      },
    });
  const proxied: ProxiedApp = {
    app: await start(),
    nginx,
    repository,
    async restart(more) {
      await proxied.app.stop();
      proxied.app = await start(more);
    },
    async destroy() {
      try {
        // Units outlive their manager.
        const { tenants, runtime } = proxied.app.manager.app;
        for await (const tenant of tenants.each()) await runtime.removeTenant(spaceOf(tenant), { data: true });
        await proxied.app.stop();
      } finally {
        await nginx.destroy();
        await rm(directory, { recursive: true, force: true });
      }
    },
  };
  // The manager has written the main configuration.
  await nginx.start();
  return proxied;
}

interface ConfigAnswer {
  domain: string;
  path: string;
  type: string;
  tenant_id: string;
  enabled: boolean;
  state: string;
}

/** The proxy's configurations for a query. */
export async function configsOf(app: App, query = 'limit=500'): Promise<ConfigAnswer[]> {
  return (await app.call<{ configs: ConfigAnswer[] }>('GET', `/api/proxy/configs?${query}`)).body.configs;
}

interface TenantProxyAnswer {
  kind: string;
  state: string;
  path: string | null;
  configuration: string | null;
  certificates: { names: string[]; fingerprint: string }[];
  certificate_error: string | null;
}

/** A tenant's site as reported. */
export async function proxyOf(app: App, tenantId: string): Promise<TenantProxyAnswer> {
  return (await app.call<TenantProxyAnswer>('GET', `/api/tenants/${tenantId}/proxy`)).body;
}

interface SiteOperation {
  id: string;
  kind: string;
  status: string;
  error: { step: string; message: string } | null;
}

/** Waits until the tenant's last operation has ended, in which its site follows its host names. */
export async function siteOperation(app: App, tenantId: string): Promise<SiteOperation> {
  const { body } = await until(
    () => app.call<{ deployments: SiteOperation[] }>('GET', `/api/tenants/${tenantId}/deployments?limit=1`),
    ({ body: { deployments } }) =>
      deployments[0]?.kind === 'proxy' && !['queued', 'running'].includes(deployments[0].status),
  );
  return body.deployments[0] as SiteOperation;
}
