import { join } from 'node:path';
import type { Logger } from '../../../lib/logger.ts';
import { absolutePath, port, subnet } from '../config-values.ts';
import type { ProxyAddress } from '../external-probe.ts';

/** The address of Traefik's API and its credentials. */
export interface TraefikApiOptions {
  /** `http://traefik:8080`, with `api.basepath` if one is set; without `/api`. */
  url: string;
  /** For basic authentication, if a proxy in front of the API requires it. */
  user?: string | undefined;
  password?: string | undefined;
  /**
   * The entry point at which the adapter has Traefik offer its API, with a generated password; undefined: it is offered
   * already.
   */
  entryPoint?: string | undefined;
}

export interface TraefikProxyOptions {
  /**
   * Contains the sites and the certificates, at the same path for the manager and for Traefik, which reads `sites` in it
   * (`providers.file.directory`) and must own the certificates.
   */
  directory: string;
  /** The names of Traefik's entry points. Default `web` and `websecure` */
  entryPoints?: { http?: string | undefined; https?: string | undefined } | undefined;
  /** The name of Traefik's certificate resolver, if it obtains certificates itself. */
  certificateResolver?: string | undefined;
  /** Traefik's address for visitors; undefined: no requests are used for verification. */
  visited?: ProxyAddress | undefined;
  /** Addresses and subnets of proxies in front of Traefik, which its entry points have to trust. Default: none */
  frontProxies?: readonly string[] | undefined;
  /** undefined: Traefik's API is not used for verification. */
  api?: TraefikApiOptions | undefined;
  /** How long Traefik may take to load a change; it debounces for 2 s. Default 20,000 */
  proofTimeoutMs?: number | undefined;
  logger: Logger;
}

/** Every path and name of the adapter, validated: all of them are used in configurations. */
export interface Layout {
  directory: string;
  sites: string;
  extension: string;
  certificates: string;
  entryPoints: { http: string; https: string };
  certificateResolver: string | undefined;
  apiEntryPoint: string | undefined;
  frontProxies: string[];
  /** The suffix of the host name in an address over TLS; undefined: the default port. */
  httpsPort: string | undefined;
}

/** @throws for a path, a name or a port that cannot be in a configuration */
export function layoutOf(options: TraefikProxyOptions): Layout {
  const directory = absolutePath(options.directory);
  const { http = 'web', https = 'websecure' } = options.entryPoints ?? {};
  const resolver = options.certificateResolver;
  const api = options.api?.entryPoint;
  const httpsPort = port(options.visited?.httpsPort ?? 443);
  return {
    directory,
    sites: join(directory, 'sites'),
    extension: '.yml',
    certificates: join(directory, 'certificates'),
    entryPoints: { http: plainName('entry point', http), https: plainName('entry point', https) },
    certificateResolver: resolver === undefined ? undefined : plainName('certificate resolver', resolver),
    apiEntryPoint: api === undefined ? undefined : plainName('entry point', api),
    frontProxies: (options.frontProxies ?? []).map(subnet),
    httpsPort: httpsPort === '443' ? undefined : httpsPort,
  };
}

function plainName(what: string, value: string): string {
  if (/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(value)) return value;
  throw new Error(`This name of Traefik’s ${what} cannot stand in its configuration: ${JSON.stringify(value)}`);
}
