import { z } from 'zod';
import { variable } from './variable.ts';

/** Where a Docker engine listens, in the form that Docker's own programs take. */
export const engineAddress = z
  .string()
  .regex(/^(unix:\/\/\/.+|tcp:\/\/[^/\s:]+:[1-9]\d{0,4})$/)
  .transform((text) => {
    if (text.startsWith('unix://')) return { socketPath: text.slice('unix://'.length) };
    const { hostname, port } = new URL(text);
    return { host: hostname, port: Number(port) };
  });

/** The environment variables of RUNTIME=swarm, and the engines of both Docker runtimes. */
export const swarmVariables = {
  DOCKER_HOST: variable(
    z
      .string()
      .transform((text) => text.split(',').map((item) => item.trim()))
      .pipe(z.array(engineAddress)),
    'unix:///path/of/the/socket or tcp://host:port of a Docker engine; with RUNTIME=swarm several managers, comma-separated',
    'unix:///var/run/docker.sock',
  ),
  REGISTRY_AUTH_FILE: variable(
    z.string().regex(/^\//),
    'the absolute path of a file of Docker’s form (config.json)',
    '/etc/tenantry/registries.json',
  ),
  SWARM_STORAGE: variable(
    z.string().regex(/^\/[^\s:,]+$/),
    'the absolute path of a directory that is mounted on every node',
    '/srv/tenantry',
  ),
  SWARM_PROBE_IMAGE: variable(
    z.string().min(1),
    'an image with the program cp that every node can pull',
    'busybox:1.37',
    'busybox:1.37',
  ),
  SWARM_MTU: variable(
    z
      .string()
      .regex(/^\d{4,5}$/)
      .transform(Number)
      .pipe(z.int().min(1_280).max(65_535)),
    'the bytes of a packet on the links between nodes, from 1280 to 65535',
    '1350',
  ),
  SWARM_REGISTRY: variable(
    z.string().regex(/^[a-z0-9.[\]-]+(:\d+)?(\/[a-z0-9._-]+)*$/),
    'a registry that every node reaches: host:port or host/path, without a scheme',
    'registry.internal:5000',
  ),
  SWARM_REGISTRY_USER: variable(z.string().min(1), 'the user’s name at the registry', 'tenantry'),
  SWARM_REGISTRY_PASSWORD: variable(z.string().min(1), 'the user’s password or token', 'a token of the registry'),
};

export type OptionalSwarmVariable = Exclude<keyof typeof swarmVariables, 'SWARM_PROBE_IMAGE'>;

/** What a swarm needs, and what only a swarm can use. */
export function swarmProblems(
  config: { RUNTIME?: string | undefined; DOCKER_HOST?: readonly object[] | undefined } & {
    [Name in 'TENANT_DATABASE_URL' | Exclude<OptionalSwarmVariable, 'DOCKER_HOST' | 'SWARM_MTU'>]?: string | undefined;
  },
): string[] {
  const problems: string[] = [];
  if ((config.SWARM_REGISTRY_USER === undefined) !== (config.SWARM_REGISTRY_PASSWORD === undefined))
    problems.push('SWARM_REGISTRY_USER and SWARM_REGISTRY_PASSWORD must be set together');
  if (config.RUNTIME !== 'swarm') {
    if ((config.DOCKER_HOST?.length ?? 0) > 1)
      problems.push('DOCKER_HOST must be one engine; several managers need RUNTIME=swarm');
    return problems;
  }
  if (config.TENANT_DATABASE_URL === undefined)
    problems.push(
      'TENANT_DATABASE_URL must be set with RUNTIME=swarm: a tenant’s own database would be lost with its node. Example: TENANT_DATABASE_URL=mysql://root:password@db.internal:3306',
    );
  if (config.SWARM_STORAGE === undefined)
    problems.push(
      'SWARM_STORAGE must be set with RUNTIME=swarm: files on a node’s own disk would be lost with it. Example: SWARM_STORAGE=/srv/tenantry',
    );
  return problems;
}
