import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { z } from 'zod';
import { list, port, variable } from './variable.ts';

const path = z
  .string()
  .min(1)
  .transform((text) => resolve(text));
const httpUrl = z.url({ protocol: /^https?$/ });
const plainName = z.string().regex(/^[A-Za-z][\w-]{0,63}$/);

/** Let’s Encrypt’s own; its staging directory, for trying things out, is https://acme-staging-v02.api.letsencrypt.org/directory */
const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory';

/** The variables of the reverse proxy and of certificates. */
export const proxyVariables = {
  PROXY: variable(z.enum(['none', 'nginx', 'traefik']), 'none, nginx or traefik', 'nginx', 'none'),
  PROXY_DIRECTORY: variable(
    path,
    'a directory, at the same path for the manager and for the proxy',
    '/var/lib/tenantry/proxy',
  ),
  PROXY_ADDRESS: variable(
    z.string().regex(/^[\w.:-]+$/),
    'a host name or address where the manager reaches the proxy',
    '127.0.0.1',
    '127.0.0.1',
  ),
  PROXY_HTTP_PORT: variable(port.pipe(z.int().min(1)), 'a port number from 1', '80', '80'),
  PROXY_HTTPS_PORT: variable(port.pipe(z.int().min(1)), 'a port number from 1', '443', '443'),
  PROXY_LISTEN: variable(
    list.refine((addresses) => addresses.length > 0 && addresses.every((address) => isIP(address) !== 0)),
    'IP addresses that nginx listens on, comma-separated',
    '0.0.0.0,::',
    '0.0.0.0',
  ),
  FRONT_PROXIES: variable(
    list.refine((all) =>
      all.every((one) => z.union([z.ipv4(), z.ipv6(), z.cidrv4(), z.cidrv6()]).safeParse(one).success),
    ),
    'IP addresses or subnets of proxies in front of the reverse proxy, comma-separated',
    '10.0.0.0/8,2001:db8::5',
    '',
  ),
  PROXY_CONTAINER: variable(
    z.string().regex(/^[A-Za-z0-9][\w.-]*$/),
    'the name of the container that the proxy runs in',
    'tenantry-nginx',
  ),
  PROXY_SERVICE: variable(
    z.string().regex(/^[A-Za-z0-9][\w.-]*$/),
    'the name of the Swarm service that runs nginx on the nodes; PROXY_ADDRESS is then a name of all its tasks',
    'tenantry_sites',
  ),
  NGINX_BINARY: variable(z.string().min(1), 'a program', '/usr/sbin/nginx', 'nginx'),
  NGINX_CONFIG: variable(
    path,
    'the path of nginx’s main configuration',
    '/etc/nginx/nginx.conf',
    '/etc/nginx/nginx.conf',
  ),
  PROXY_API_URL: variable(httpUrl, 'the http or https address of Traefik’s API', 'http://127.0.0.1:8080'),
  PROXY_API_ENTRYPOINT: variable(
    plainName,
    'the entry point at which Traefik shall serve its API, with a password',
    'internal',
  ),
  PROXY_API_USER: variable(z.string().min(1), 'a user name', 'tenantry'),
  PROXY_API_PASSWORD: variable(z.string().min(1), 'a password', 'the one of the basic authentication before the API'),
  PROXY_ENTRYPOINTS: variable(
    z.string().regex(/^[A-Za-z][\w-]{0,63},[A-Za-z][\w-]{0,63}$/),
    'the names of Traefik’s entry points for HTTP and HTTPS, joined by a comma',
    'web,websecure',
    'web,websecure',
  ),
  PROXY_RESOLVER: variable(plainName, 'the name of one of Traefik’s certificate resolvers', 'letsencrypt'),
  CERTIFICATES: variable(
    z.enum(['none', 'acme', 'files', 'self-signed']),
    'none, acme, files or self-signed',
    'acme',
    'none',
  ),
  CERTIFICATE_DIRECTORY: variable(
    path,
    'a directory with <host name>.crt and <host name>.key',
    '/etc/tenantry/certificates',
  ),
  ACME_DIRECTORY_URL: variable(httpUrl, 'the address of an ACME directory', letsEncrypt, letsEncrypt),
  ACME_EMAIL: variable(z.email(), 'an e-mail address', 'admin@example.org'),
  ACME_CA_FILE: variable(
    path,
    'a file of certificates in PEM that the authority is trusted by',
    '/etc/tenantry/acme-ca.pem',
  ),
  ACME_EAB_KEY_ID: variable(z.string().min(1), 'the key id of an external account binding', 'kid-1'),
  ACME_EAB_HMAC_KEY: variable(
    z.string().min(1),
    'the HMAC key of an external account binding',
    'as your authority shows it',
  ),
};

export type OptionalProxyVariable =
  | 'PROXY_DIRECTORY'
  | 'PROXY_CONTAINER'
  | 'PROXY_SERVICE'
  | 'PROXY_API_URL'
  | 'PROXY_API_ENTRYPOINT'
  | 'PROXY_API_USER'
  | 'PROXY_API_PASSWORD'
  | 'PROXY_RESOLVER'
  | 'CERTIFICATE_DIRECTORY'
  | 'ACME_EMAIL'
  | 'ACME_CA_FILE'
  | 'ACME_EAB_KEY_ID'
  | 'ACME_EAB_HMAC_KEY';

/** Problems of the combination of values that are each valid. */
export function proxyProblems(config: {
  PROXY: string;
  RUNTIME: string | undefined;
  PROXY_CONTAINER: string | undefined;
  PROXY_SERVICE: string | undefined;
  CERTIFICATES: string;
  CERTIFICATE_DIRECTORY: string | undefined;
  PROXY_RESOLVER: string | undefined;
  ACME_EAB_KEY_ID: string | undefined;
  ACME_EAB_HMAC_KEY: string | undefined;
  PROXY_API_USER: string | undefined;
  PROXY_API_PASSWORD: string | undefined;
}): string[] {
  const problems: string[] = [];
  if (config.PROXY === 'none' && config.CERTIFICATES !== 'none')
    problems.push('CERTIFICATES needs a proxy to serve them. Example: PROXY=nginx');
  if (
    config.PROXY !== 'none' &&
    config.PROXY_CONTAINER !== undefined &&
    config.RUNTIME !== undefined &&
    !['docker', 'swarm'].includes(config.RUNTIME)
  )
    problems.push(
      'PROXY_CONTAINER needs RUNTIME=docker or swarm: units on the host’s loopback are not reached from a container',
    );
  if (config.PROXY_SERVICE !== undefined && (config.PROXY !== 'nginx' || config.RUNTIME !== 'swarm'))
    problems.push('PROXY_SERVICE needs PROXY=nginx and RUNTIME=swarm');
  if (config.PROXY_SERVICE !== undefined && config.PROXY_CONTAINER !== undefined)
    problems.push('PROXY_SERVICE and PROXY_CONTAINER can’t both be set');
  if (config.CERTIFICATES === 'files' && config.CERTIFICATE_DIRECTORY === undefined)
    problems.push(
      'CERTIFICATE_DIRECTORY must be set with CERTIFICATES=files. Example: CERTIFICATE_DIRECTORY=/etc/tenantry/certificates',
    );
  if ((config.ACME_EAB_KEY_ID === undefined) !== (config.ACME_EAB_HMAC_KEY === undefined))
    problems.push('ACME_EAB_KEY_ID and ACME_EAB_HMAC_KEY must be set together');
  if ((config.PROXY_API_USER === undefined) !== (config.PROXY_API_PASSWORD === undefined))
    problems.push('PROXY_API_USER and PROXY_API_PASSWORD must be set together');
  if (config.PROXY === 'traefik' && config.CERTIFICATES === 'acme' && config.PROXY_RESOLVER === undefined)
    problems.push(
      'PROXY_RESOLVER must be set with PROXY=traefik and CERTIFICATES=acme. Example: PROXY_RESOLVER=letsencrypt',
    );
  return problems;
}
