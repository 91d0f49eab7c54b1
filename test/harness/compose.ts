import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { adminPassword } from './app.ts';

const run = promisify(execFile);
const root = join(import.meta.dirname, '..', '..');

/** Why compose can't be used here; undefined: it can. */
export function composeObstacle(): string | undefined {
  const { status } = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' });
  return status === 0 ? undefined : 'docker compose is missing (docker/offline/compose-plugin.sh installs it)';
}

/** The project's own compose.yaml under a name, ports and an image of the test's own. */
export interface ComposeProject {
  name: string;
  compose(...parameters: string[]): Promise<string>;
  /** Where the manager's API answers; another one after each start. */
  url(): Promise<string>;
  /** Ends and removes everything of the project, its volumes and the manager's image too. */
  remove(): Promise<void>;
  /** Removes what was written for a project that was never brought up. */
  forget(): Promise<void>;
}

/**
 * @param environment of compose itself, as from .env; PROXY_HTTP_PORT and PROXY_HTTPS_PORT are to be free ports where
 *   COMPOSE_PROFILES brings a proxy
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
      PROXY_CONTAINER: \${COMPOSE_PROFILES:+${name}-}\${COMPOSE_PROFILES:-}
    ports: !override
      - 127.0.0.1::32201
  nginx:
    container_name: ${name}-nginx
  traefik:
    container_name: ${name}-traefik
`,
  );
  const files = ['--file', join(root, 'compose.yaml'), '--file', changes];
  const secrets = {
    SECRET_KEY: randomBytes(32).toString('hex'),
    STORE_PASSWORD: randomBytes(24).toString('hex'),
    ADMIN_PASSWORD: adminPassword,
    ...environment,
  };

  async function docker(...parameters: string[]): Promise<string> {
    const { stdout } = await run('docker', parameters, {
      cwd: root,
      env: { ...process.env, ...secrets },
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.trim();
  }
  const compose = (...parameters: string[]) => docker('compose', '--project-name', name, ...files, ...parameters);

  const forget = () => rm(directory, { recursive: true, force: true });

  return {
    name,
    compose,
    async url() {
      return `http://${await compose('port', 'manager', '32201')}`;
    },
    async remove() {
      await compose('down', '--volumes', '--remove-orphans', '--timeout', '30');
      await docker('image', 'rm', '--force', name);
      await forget();
    },
    forget,
  };
}
