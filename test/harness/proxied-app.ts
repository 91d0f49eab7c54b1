import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type App, type AppOptions, startApp } from './app.ts';
import { type FixtureRepository, makeFixtureRepository } from './fixture-repository.ts';
import { TestNginx } from './nginx.ts';

/** The real manager with a real nginx before its tenants, and a repository to deploy. */
export interface ProxiedApp {
  app: App;
  nginx: TestNginx;
  repository: FixtureRepository;
  /** Starts the manager anew on the same data. */
  restart(environment?: Record<string, string>): Promise<void>;
  destroy(): Promise<void>;
}

/** @param environment beside PROXY=nginx and where it is */
export async function startProxiedApp(
  environment: Record<string, string> = {},
  options: Omit<AppOptions, 'environment' | 'directory'> = {},
): Promise<ProxiedApp> {
  const nginx = await TestNginx.create();
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
      await proxied.app.stop();
      await nginx.destroy();
      await rm(directory, { recursive: true, force: true });
    },
  };
  // The manager has written the main configuration.
  await nginx.start();
  return proxied;
}
