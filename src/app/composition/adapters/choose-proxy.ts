import { lookup } from 'node:dns/promises';
import type { createNginxProxy } from '../../../adapters/proxies/nginx/nginx-proxy.ts';
import { createNoProxy } from '../../../adapters/proxies/none.ts';
import type { ReverseProxy } from '../../../adapters/proxies/proxy.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Logger } from '../../../lib/logger.ts';
import { runProgram } from '../../../lib/spawn.ts';
import { type Config, ConfigError } from '../../config/config.ts';
import type { HostEnvironment } from '../../config/host-environment.ts';

interface ProxyChoice {
  config: Config;
  host: HostEnvironment;
  logger: Logger;
}

/** The reverse proxy that PROXY names. @throws ConfigError where a value cannot stand in its configuration */
export async function chooseProxy(place: ProxyChoice): Promise<ReverseProxy> {
  try {
    return await createProxy(place);
  } catch (error) {
    throw new ConfigError(`PROXY=${place.config.PROXY} can’t be used as set: ${messageOf(error)}`);
  }
}

async function createProxy({ config, host, logger }: ProxyChoice): Promise<ReverseProxy> {
  // Outside the data directory, which only the manager may enter: nginx's workers run as another user and read challenge answers here.
  const directory = config.PROXY_DIRECTORY ?? `${config.DATA_DIR}-proxy`;
  switch (config.PROXY) {
    case 'none':
      return createNoProxy();
    case 'nginx': {
      const nginx = await import('../../../adapters/proxies/nginx/nginx-proxy.ts');
      return nginx.createNginxProxy({
        address: config.PROXY_ADDRESS,
        httpPort: config.PROXY_HTTP_PORT,
        httpsPort: config.PROXY_HTTPS_PORT,
        run: await programs(config, host),
        mainConfig: config.NGINX_CONFIG,
        directory,
        binary: config.NGINX_BINARY,
        listen: { addresses: config.PROXY_LISTEN },
        tls: config.CERTIFICATES !== 'none',
        frontProxies: config.FRONT_PROXIES,
        hosts: config.PROXY_SERVICE ? { addresses: () => addressesOf(config.PROXY_ADDRESS) } : undefined,
        logger,
      });
    }
    case 'traefik': {
      const traefik = await import('../../../adapters/proxies/traefik/traefik-proxy.ts');
      return traefik.createTraefikProxy({
        directory,
        entryPoints: entryPoints(config.PROXY_ENTRYPOINTS),
        certificateResolver: config.PROXY_RESOLVER,
        frontProxies: config.FRONT_PROXIES,
        visited: {
          address: config.PROXY_ADDRESS,
          httpPort: config.PROXY_HTTP_PORT,
          httpsPort: config.PROXY_HTTPS_PORT,
        },
        api: apiAccess(config),
        logger,
      });
    }
    default:
      throw new Error(`Unknown proxy ${config.PROXY satisfies never}`);
  }
}

/** Runs programs where the proxy runs: in its container, or here. */
async function programs(config: Config, host: HostEnvironment): Promise<Parameters<typeof createNginxProxy>[0]['run']> {
  const { PROXY_CONTAINER: container, PROXY_SERVICE: service } = config;
  const place = container !== undefined ? { container } : service !== undefined && { service };
  if (place) {
    const docker = await import('../../../adapters/runtimes/engine/exec/container-programs.ts');
    return docker.createContainerPrograms(place, config.DOCKER_HOST?.[0]);
  }
  const env = { PATH: host.PATH ?? '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' };
  return ([file, ...args], options) => {
    const settings = { env, ...options };
    return runProgram(file, args, settings);
  };
}

function entryPoints(names: string): { http: string | undefined; https: string | undefined } {
  const [http, https] = names.split(',');
  return { http, https };
}

function apiAccess(config: Config) {
  if (config.PROXY_API_URL === undefined) return undefined;
  return {
    url: config.PROXY_API_URL,
    user: config.PROXY_API_USER,
    password: config.PROXY_API_PASSWORD,
    entryPoint: config.PROXY_API_ENTRYPOINT,
  };
}

/** Of all tasks of a service, by Swarm's own name server. */
async function addressesOf(name: string): Promise<string[]> {
  const found = await lookup(name, { all: true, family: 4 });
  return found.map(({ address }) => address).sort();
}
