import { Resolver } from 'node:dns';
import { resolve } from 'node:path';
import { z } from 'zod';
import { parseGitHost } from '../../adapters/git/host-rule.ts';
import { type OptionalProxyVariable, proxyProblems, proxyVariables } from './proxy-variables.ts';
import { engineAddress, type OptionalSwarmVariable, swarmProblems, swarmVariables } from './swarm-variables.ts';
import { flag, list, port, type Variable, variable } from './variable.ts';

const unitsOfTime = { s: 1, m: 60, h: 3_600, d: 86_400 } as const;

/** `15m`, `12h`, `7d`, or plain seconds; read as seconds. */
const duration = z
  .string()
  .regex(/^[1-9]\d{0,8}[smhd]?$/)
  .transform((text) => {
    const unit = text.at(-1) as keyof typeof unitsOfTime;
    return Number.parseInt(text, 10) * (unitsOfTime[unit] ?? 1);
  });

/** Whether Node takes a text for the address of a name server. */
function isNameServer(server: string): boolean {
  try {
    new Resolver().setServers([server]);
    return true;
  } catch {
    return false;
  }
}

/** Every environment variable of the manager: its rule, an example, its default. Optional where there is no default. */
export const variables = {
  PORT: variable(port, 'a port number (0 to 65535; 0 takes any free one)', '32201', '32201'),
  DASHBOARD_PORT: variable(port, 'a port number (0 to 65535; 0 takes any free one)', '32200', '32200'),
  HOST: variable(z.string().min(1), 'a host name or address to listen on', '127.0.0.1', '127.0.0.1'),
  DATA_DIR: variable(
    z
      .string()
      .min(1)
      .transform((path) => resolve(path)),
    'a directory',
    './data',
    './data',
  ),
  DATABASE_URL: variable(
    z.string().regex(/^(sqlite:.+|mysql:\/\/[^/]+\/[^/?].*)$/),
    'sqlite:<path> or mysql://user:password@host:port/name',
    'sqlite:./data/tenantry.db',
  ),
  SECRET_KEY: variable(
    z.string().min(32),
    'at least 32 characters of randomness',
    'the output of: openssl rand -hex 32',
  ),
  STANDBY: variable(flag, 'true or false', 'true', 'false'),
  ADMIN_PASSWORD: variable(z.string().min(12).max(200), '12 to 200 characters', 'a long passphrase of your own'),
  ACCESS_TOKEN_TTL: variable(duration, 'a duration in s, m, h or d', '12h', '12h'),
  RUNTIME: variable(z.enum(['docker', 'swarm', 'systemd', 'process']), 'docker, swarm, systemd or process', 'docker'),
  ...proxyVariables,
  PORT_POOL_START: variable(port.pipe(z.int().min(1024)), 'a port number from 1024', '32300', '32300'),
  PORT_POOL_END: variable(
    port.pipe(z.int().min(1024)),
    'a port number from 1024, above PORT_POOL_START',
    '32999',
    '32999',
  ),
  TENANT_APP_API_KEY: variable(
    z.string().regex(/^[\w.~+/=-]{16,200}$/),
    '16 to 200 letters, digits or ._~+/=-',
    'the output of: openssl rand -hex 24',
  ),
  TENANT_DATABASE_URL: variable(
    z
      .string()
      .regex(/^mysql:\/\/[^/]+\/?$/)
      .regex(/[^/]@[^/]/),
    'mysql://user:password@host:port of an account that may create databases and users',
    'mysql://root:password@db.internal:3306',
  ),
  TENANT_DATABASE_ADDRESS: variable(
    z.string().refine((address) => /^[\w.-]+:\d+$/.test(address) && URL.canParse(`http://${address}`)),
    'host:port by which units reach the server of TENANT_DATABASE_URL, if it differs',
    'db.internal:3306',
  ),
  ALLOW_LOCAL_REPOSITORIES: variable(flag, 'true or false', 'true', 'false'),
  GIT_HOSTS: variable(
    list.refine((hosts) => hosts.every((host) => parseGitHost(host) !== undefined)),
    'hosts, comma-separated: names, *.domain or addresses, each with or without :port',
    'git.internal,*.corp.example,10.0.0.5:3000',
    '',
  ),
  DNS_SERVERS: variable(
    list.refine((servers) => servers.every(isNameServer)),
    'IP addresses of name servers, comma-separated, each with or without :port',
    '1.1.1.1,9.9.9.9',
    '',
  ),
  ALLOW_PRIVATE_WEBSITES: variable(flag, 'true or false', 'true', 'false'),
  ALLOW_PRIVATE_NOTIFICATIONS: variable(flag, 'true or false', 'true', 'false'),
  CHROMIUM_PATH: variable(z.string().startsWith('/'), 'the absolute path of a Chromium or Chrome', '/usr/bin/chromium'),
  METRICS_TOKEN: variable(z.string().min(16), 'at least 16 characters', 'the output of: openssl rand -hex 24'),
  TRUST_PROXY: variable(list, 'addresses or subnets of reverse proxies, comma-separated', 'loopback,10.0.0.0/8', ''),
  DASHBOARD_ORIGIN: variable(list, 'origins, comma-separated', 'https://tenantry.example.org', ''),
  ...swarmVariables,
  MOVE_FROM_ENGINE: variable(
    engineAddress,
    'unix:///path/of/the/socket or tcp://host:port of the Docker engine from which tenants are moved',
    'unix:///var/run/docker.sock',
  ),
  DOCKER_NETWORK_POOL: variable(
    z.cidrv4(),
    'an IPv4 range for the tenants’ networks, at least a /24',
    '10.213.0.0/16',
    '10.213.0.0/16',
  ),
  MARIADB_IMAGE: variable(z.string().min(1), 'an image name', 'mariadb:11.8', 'mariadb:11.8'),
  LOG_LEVEL: variable(
    z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']),
    'trace, debug, info, warn, error or silent',
    'info',
    'info',
  ),
} satisfies Record<string, Variable<unknown>>;

type Name = keyof typeof variables;
type ValueOf<V> = V extends Variable<infer T> ? T : never;

/** The manager's configuration; optional entries are undefined where the variable is not set. */
export type Config = { [N in Name]: ValueOf<(typeof variables)[N]> | (Optional<N> extends true ? undefined : never) };
type Optional<N extends Name> = N extends
  | 'DATABASE_URL'
  | 'SECRET_KEY'
  | 'ADMIN_PASSWORD'
  | 'RUNTIME'
  | 'TENANT_APP_API_KEY'
  | 'TENANT_DATABASE_URL'
  | 'TENANT_DATABASE_ADDRESS'
  | 'CHROMIUM_PATH'
  | 'METRICS_TOKEN'
  | 'MOVE_FROM_ENGINE'
  | OptionalProxyVariable
  | OptionalSwarmVariable
  ? true
  : false;

/** A start that can't go on because of the environment; the message names the variable, the rule and an example. */
export class ConfigError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ConfigError';
  }
}

/**
 * Reads the environment once.
 * @throws ConfigError listing every wrong variable; values are not repeated, they may be secrets
 */
export function readConfig(environment: Readonly<Record<string, string | undefined>>): Config {
  const problems: string[] = [];
  const entries = Object.entries<Variable<unknown>>(variables).map(([name, { schema, rule, example, fallback }]) => {
    const text = environment[name] || fallback;
    if (text === undefined) return [name, undefined];
    const result = schema.safeParse(text);
    if (!result.success) problems.push(`${name} must be ${rule}. Example: ${name}=${example}`);
    return [name, result.data];
  });
  const config = Object.fromEntries(entries) as Config;
  if (problems.length === 0 && config.PORT_POOL_END <= config.PORT_POOL_START) {
    problems.push('PORT_POOL_END must be above PORT_POOL_START. Example: PORT_POOL_START=32300 PORT_POOL_END=32999');
  }
  if (problems.length === 0 && config.PORT !== 0 && config.PORT === config.DASHBOARD_PORT) {
    problems.push('DASHBOARD_PORT must be another port than PORT. Example: PORT=32201 DASHBOARD_PORT=32200');
  }
  if (config.STANDBY) problems.push(...standbyProblems(config));
  if (config.TENANT_DATABASE_ADDRESS !== undefined && config.TENANT_DATABASE_URL === undefined)
    problems.push('TENANT_DATABASE_ADDRESS needs TENANT_DATABASE_URL: it is another address of that server');
  if (problems.length === 0) problems.push(...proxyProblems(config), ...swarmProblems(config));
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
  return config;
}

/** What a second manager needs to take over. */
function standbyProblems({ DATABASE_URL: url, SECRET_KEY: key }: Config): string[] {
  const problems: string[] = [];
  if (!url?.startsWith('mysql:'))
    problems.push(
      'DATABASE_URL must be a MySQL or MariaDB server with STANDBY=true: both managers need the same database. Example: DATABASE_URL=mysql://user:password@host:3306/name',
    );
  if (!key)
    problems.push(
      'SECRET_KEY must be set with STANDBY=true, the same for both managers. Example: SECRET_KEY=the output of: openssl rand -hex 32',
    );
  return problems;
}
