import { join } from 'node:path';
import { createHostRule } from '../../adapters/git/host-rule.ts';
import { createGitSource } from '../../adapters/git/source.ts';
import { createRepositoryCheck } from '../../features/tenants/tenants.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Config } from '../config/config.ts';
import type { HostEnvironment } from '../config/host-environment.ts';

export interface SourceOptions {
  config: Config;
  /** The manager's id, see `instanceId`. */
  instance: string;
  secretKey: string;
  host: HostEnvironment;
  logger: Logger;
}

const proxyNames = ['http_proxy', 'https_proxy', 'HTTPS_PROXY'];

/** Tenants' repositories: which of them are allowed, git, which fetches them, and their check. */
export function composeSource({ config, instance, secretKey, host, logger }: SourceOptions) {
  const hosts = createHostRule({ allowed: config.GIT_HOSTS, throughProxy: proxyNames.some((name) => host[name]) });
  const directory = join(config.DATA_DIR, 'sources');
  const allowLocal = config.ALLOW_LOCAL_REPOSITORIES;
  const source = createGitSource({ directory, instance, secretKey, host, hosts, allowLocal, logger });
  const repositories = { allowLocal, hosts };
  return { source, repositories, repositoryCheck: createRepositoryCheck({ source, rules: repositories }) };
}
