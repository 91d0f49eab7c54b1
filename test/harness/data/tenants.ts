import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { App } from '../app/app.ts';
import { patienceMs } from '../patience.ts';

export interface TenantAnswer {
  id: string;
  slug: string;
  status: string;
  directory: string;
  frontend_port: number;
  backend_port: number;
  deployed_at: string | null;
  [field: string]: unknown;
}

export interface DeploymentAnswer {
  id: string;
  status: string;
  version: string | null;
  commit: string | null;
  current_step: string | null;
  error: {
    step: string;
    message: string;
    cause: {
      code: string;
      title: string;
      remedy: string | null;
      diagnosis: { confidence: string; evidence: { fact: string; source: string; at: string }[] } | null;
    } | null;
    detail: string | null;
  } | null;
  steps: { name: string; status: string; reason: string | null; duration: number | null }[];
  logs: string;
}

let made = 0;

/** A new tenant of a repository, with its own names. */
export async function makeTenant(
  app: App,
  repository: string | undefined,
  fields: Record<string, unknown> = {},
): Promise<TenantAnswer> {
  made += 1;
  const slug = `t${Date.now().toString(36)}${made}`;
  const { body, status } = await app.call<TenantAnswer>('POST', '/api/tenants', {
    body: {
      name: `Tenant ${made}`,
      slug,
      domain: `${slug}.example.org`,
      api_domain: `api.${slug}.example.org`,
      ...(repository === undefined ? {} : { git_repo: repository }),
      ...fields,
    },
  });
  if (status !== 201) throw new Error(`The tenant could not be made: ${JSON.stringify(body)}`);
  return body;
}

/** The next free pair as the fields of a new tenant, which keeps ports that a user chose. */
export async function requestedPorts(app: App): Promise<{ frontend_port: number; backend_port: number }> {
  const { body } = await app.call<{ frontend_port: number; backend_port: number }>('GET', '/api/ports/next-available');
  return body;
}

export async function getTenant(app: App, id: string): Promise<TenantAnswer> {
  return (await app.call<TenantAnswer>('GET', `/api/tenants/${id}`)).body;
}

/** Sets `custom_env`, which applies from the next deployment, start or restart. */
export async function setEnvironment(app: App, id: string, custom_env: Record<string, string>): Promise<void> {
  const { status, body } = await app.call('PUT', `/api/tenants/${id}/config`, { body: { custom_env } });
  if (status !== 200) throw new Error(`The configuration was refused: ${JSON.stringify(body)}`);
}

/** Starts a deployment; returns its id. */
export async function askDeploy(app: App, id: string, body: Record<string, unknown> = {}): Promise<string> {
  const answer = await app.call<{ deployment_id: string }>('POST', `/api/tenants/${id}/deploy`, { body });
  if (answer.status !== 202)
    throw new Error(`The deployment was refused: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body.deployment_id;
}

export async function getDeployment(app: App, id: string): Promise<DeploymentAnswer> {
  return (await app.call<DeploymentAnswer>('GET', `/api/deployments/${id}`)).body;
}

/** Waits until a deployment has ended: for the engine first, since each request costs 3 ms of processor time. */
export async function endOf(app: App, id: string): Promise<DeploymentAnswer> {
  const ended = app.manager.app.engine.ended(id)?.catch(() => undefined);
  await Promise.race([ended, sleep(patienceMs, undefined, { ref: false })]);
  return until(
    () => getDeployment(app, id),
    ({ status }) => !['queued', 'running'].includes(status),
  );
}

export async function deploy(app: App, id: string, body: Record<string, unknown> = {}): Promise<DeploymentAnswer> {
  return endOf(app, await askDeploy(app, id, body));
}

/** Repeats a request until the result matches. @throws Error with the last result at the timeout */
export async function until<T>(
  ask: () => Promise<T>,
  wanted: (answer: T) => boolean,
  maxWaitMs = patienceMs,
): Promise<T> {
  const deadline = performance.now() + maxWaitMs;
  for (;;) {
    const answer = await ask();
    if (wanted(answer)) return answer;
    if (performance.now() > deadline) throw new Error(`Not as wanted after ${maxWaitMs} ms: ${JSON.stringify(answer)}`);
    await sleep(50);
  }
}

/** The SQLite file of a tenant that is at rest: a restore puts another one in its place. */
export function databaseFileIn(dataDirectory: string): string {
  const [first = '', second = ''] = ['tenant.db', 'tenant-2.db'].map((name) => join(dataDirectory, name));
  return existsSync(second) && !existsSync(first) ? second : first;
}
