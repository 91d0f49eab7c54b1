import { join } from 'node:path';
import type { Logger } from '../kernel/logger.ts';
import { createHostRule } from '../platform/source/host-rule.ts';
import { createGitSource } from '../platform/source/source.ts';
import type { Config } from './config.ts';
import type { HostEnvironment } from './host-environment.ts';

const proxyNames = ['http_proxy', 'https_proxy', 'HTTPS_PROXY'];

/** Tenants' repositories: which of them are allowed, and git, which fetches them. */
export function wireSource({ config, host, logger }: { config: Config; host: HostEnvironment; logger: Logger }) {
  const hosts = createHostRule({ allowed: config.GIT_HOSTS, throughProxy: proxyNames.some((name) => host[name]) });
  return {
    source: createGitSource(join(config.DATA_DIR, 'sources'), host, hosts, logger),
    repositories: { allowLocal: config.ALLOW_LOCAL_REPOSITORIES, hosts },
  };
}
