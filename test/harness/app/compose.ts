import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv, promisify } from 'node:util';

const execute = promisify(execFile);
const root = join(import.meta.dirname, '..', '..', '..');

/** Why compose cannot be used here; undefined if it can. */
export function composeObstacle(): string | undefined {
  const { status } = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'docker compose is missing (docker/offline/compose-plugin.sh installs it)';
}

/** The project's own compose.yaml with the test's own name, ports and image. */
export interface ComposeProject {
  name: string;
  /** Its .env, which docker/make-secrets.sh completed. */
  envFile: string;
  /** The values in .env. */
  environment(): Promise<NodeJS.Dict<string>>;
  /** Runs docker/make-secrets.sh for this project, as the README says; returns its output. */
  makeSecrets(environment?: Record<string, string>): Promise<string>;
  compose(...parameters: string[]): Promise<string>;
  /** The address of the manager's API, or the standby's; it changes with each start. */
  url(service?: 'manager' | 'standby'): Promise<string>;
  /** Stops and removes everything of the project, its volumes and the manager's image too. */
  remove(): Promise<void>;
  /** Removes the files of a project that was never started. */
  forget(): Promise<void>;
}

/** The option replaces COMPOSE_PROFILES. */
const allProfiles = ['nginx', 'traefik', 'standby'].flatMap((profile) => ['--profile', profile]);

/**
 * @param environment of compose itself, as from .env; PROXY_HTTP_PORT and PROXY_HTTPS_PORT must be free ports if
 * COMPOSE_PROFILES includes a proxy
 */
export async function makeComposeProject(environment: Record<string, string> = {}): Promise<ComposeProject> {
  const name = `tenantry-test-${randomBytes(4).toString('hex')}`;
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-compose-'));
  const changes = join(directory, 'changes.yaml');
  await writeFile(
    changes,
    `services:
  manager:
    container_name: ${name}-manager
    image: ${name}
    environment:
      ALLOW_LOCAL_REPOSITORIES: "true"
      DOCKER_NETWORK_POOL: \${DOCKER_NETWORK_POOL:-10.213.0.0/16}
      PROXY_CONTAINER: \${COMPOSE_PROFILES:+${name}-}\${COMPOSE_PROFILES:-}
    ports: !override
      - 127.0.0.1::32201
  standby:
    container_name: ${name}-standby
    image: ${name}
    ports: !override
      - 127.0.0.1::32201
  nginx:
    container_name: ${name}-nginx
  traefik:
    container_name: ${name}-traefik
    image: \${TRAEFIK_IMAGE:-traefik:v3.7}
`,
  );
  // As in a checkout: the script writes into its parent directory.
  const envFile = join(directory, '.env');
  await mkdir(join(directory, 'docker'));
  await cp(join(root, 'docker', 'make-secrets.sh'), join(directory, 'docker', 'make-secrets.sh'));
  await writeFile(
    envFile,
    Object.entries(environment)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
  );
  const files = ['--file', join(root, 'compose.yaml'), '--file', changes, '--env-file', envFile];

  async function run(program: string, parameters: string[], environment: Record<string, string> = {}): Promise<string> {
    const { stdout } = await execute(program, parameters, {
      cwd: root,
      env: { PATH: process.env.PATH, HOME: process.env.HOME, COMPOSE_PROJECT_NAME: name, ...environment },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.trim();
  }
  const docker = (...parameters: string[]) => run('docker', parameters);
  const compose = (...parameters: string[]) => docker('compose', '--project-name', name, ...files, ...parameters);
  const makeSecrets = (environment?: Record<string, string>) =>
    run(join(directory, 'docker', 'make-secrets.sh'), [], environment);
  await makeSecrets();

  const forget = () => rm(directory, { recursive: true, force: true });

  return {
    name,
    envFile,
    environment: async () => parseEnv(await readFile(envFile, 'utf8')),
    makeSecrets,
    compose,
    async url(service = 'manager') {
      return `http://${await compose(...allProfiles, 'port', service, '32201')}`;
    },
    async remove() {
      await compose(...allProfiles, 'down', '--volumes', '--remove-orphans', '--timeout', '30');
      await docker('image', 'rm', '--force', name);
      await forget();
    },
    forget,
  };
}
