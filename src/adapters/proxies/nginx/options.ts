import { dirname, join } from 'node:path';
import type { Logger } from '../../../lib/logger.ts';
import { absolutePath, listenAddress, port, subnet } from '../config-values.ts';
import type { ProxyAddress } from '../external-probe.ts';

/** How many sites are written or checked at a time. */
export const nginxConcurrency = 16;

/** Runs a program to its end; rejects when it cannot be started. */
export type RunProgram = (
  argv: readonly [string, ...string[]],
  options: { timeoutMs: number },
) => Promise<{ exitCode: number | null; output: string; timedOut: boolean }>;

export interface NginxProxyOptions extends ProxyAddress {
  /** Runs nginx on the proxy's host: as a local program, or in its container. As the user of nginx's master process. */
  run: RunProgram;
  /** nginx's main configuration. A missing one is written. Default /etc/nginx/nginx.conf */
  mainConfig?: string;
  /** Contains the sites, their includes, certificates and challenges: at the same path for the manager and for nginx. */
  directory: string;
  /** Default `nginx`. */
  binary?: string;
  /** What nginx listens on. Default: every IPv4 address, and the ports of the proxy's address. */
  listen?: { addresses?: readonly string[]; httpPort?: number; httpsPort?: number };
  /** Whether any site may have TLS: otherwise nothing listens on the HTTPS port. Default true */
  tls?: boolean;
  /** Addresses and subnets of proxies in front of nginx: from them alone it takes the visitor's scheme and address. Default: none */
  frontProxies?: readonly string[] | undefined;
  /** Resolves upstreams that are host names. Default: Docker's own, 127.0.0.11 */
  resolver?: string;
  /** The error log in a main configuration that we write. Default: error.log next to it */
  errorLog?: string;
  /**
   * nginx runs on several hosts that share the directory and the main configuration: `addresses` are theirs. Each one reloads when
   * the list of files changes that the manager writes (docker/stack/sites.sh); `run` tests the configuration on one of them.
   */
  hosts?: { addresses(): Promise<string[]> } | undefined;
  /** Timeout of a program. Default 60,000 */
  programTimeoutMs?: number;
  /**
   * How long a reload may take until the sites answer as configured, in addition to four times the duration of its test.
   * Default 15,000
   */
  proofTimeoutMs?: number;
  logger: Logger;
}

/** Every path and port of the adapter, validated: all of them are used in configurations. */
export interface Layout {
  mainConfig: string;
  errorLog: string;
  directory: string;
  sites: string;
  extension: string;
  /** What the main configuration must include. */
  sitesPattern: string;
  common: string;
  candidates: string;
  /** What nginx reads, with digests: the hosts of a shared configuration watch it. Undefined: nginx runs on one host. */
  fileList: string | undefined;
  pidFile: string;
  certificates: string;
  challenges: string;
  /** `address:port`, as for `listen`. */
  listenHttp: string[];
  listenHttps: string[];
  tls: boolean;
  frontProxies: string[];
  resolver: string;
  /** The suffix of the host name when the port is not the scheme's default: `:8080`, or nothing. */
  httpSuffix: string;
  httpsSuffix: string;
  /** The ports nginx itself sees. */
  serverPorts: { http: string; https: string };
}

/** @throws for a path, a port or an address that cannot be in a configuration */
export function layoutOf(options: NginxProxyOptions): Layout {
  const mainConfig = absolutePath(options.mainConfig ?? '/etc/nginx/nginx.conf');
  const directory = absolutePath(options.directory);
  const addresses = (options.listen?.addresses ?? ['0.0.0.0']).map(listenAddress);
  const http = port(options.listen?.httpPort ?? options.httpPort);
  const https = port(options.listen?.httpsPort ?? options.httpsPort);
  const errorLog = options.errorLog ?? (options.hosts ? 'stderr' : join(dirname(mainConfig), 'error.log'));
  const resolver = listenAddress(options.resolver ?? '127.0.0.11');
  return {
    mainConfig,
    errorLog: errorLog === 'stderr' ? errorLog : absolutePath(errorLog),
    directory,
    sites: join(directory, 'sites'),
    extension: '.conf',
    sitesPattern: join(directory, 'sites', '*.conf'),
    common: join(directory, 'common'),
    candidates: join(directory, 'candidates'),
    fileList: options.hosts && join(directory, 'files.sha256'),
    pidFile: options.hosts ? '/run/nginx.pid' : join(dirname(mainConfig), 'nginx.pid'),
    certificates: join(directory, 'certificates'),
    challenges: join(directory, 'challenges'),
    listenHttp: addresses.map((address) => `${address}:${http}`),
    listenHttps: addresses.map((address) => `${address}:${https}`),
    tls: options.tls ?? true,
    frontProxies: (options.frontProxies ?? []).map(subnet),
    resolver,
    httpSuffix: options.httpPort === 80 ? '' : `:${port(options.httpPort)}`,
    httpsSuffix: options.httpsPort === 443 ? '' : `:${port(options.httpsPort)}`,
    serverPorts: { http, https },
  };
}
