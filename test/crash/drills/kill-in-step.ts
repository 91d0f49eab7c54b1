import { setTimeout as sleep } from 'node:timers/promises';
import type { ManagerProcess } from '../../harness/app/manager-process.ts';
import { type DeploymentAnswer, until } from '../../harness/data/tenants.ts';

/** The steps in which tenants' code runs or their services change, in order. */
export const drilledSteps = {
  deployment: [
    'Copy files',
    'Install dependencies',
    'Generate environment',
    'Initialize database',
    'Create service-manager services',
    'Start services',
    'Health check',
  ],
  upgrade: [
    'Prepare',
    'Stop services',
    'Back up database',
    'Fetch code',
    'Install dependencies',
    'Run migrations',
    'Start services',
    'Health check',
  ],
} as const;

/**
 * Starts a deployment and kills the manager the given milliseconds after the start of a step.
 * @returns the
 * deployment's id
 */
export async function deployAndKill(
  manager: ManagerProcess,
  tenantId: string,
  { version, step, delayMs }: { version: string; step: string; delayMs: number },
): Promise<string> {
  const { body } = await manager.call<{ deployment_id: string }>('POST', `/api/tenants/${tenantId}/deploy`, {
    body: { target_version: version },
  });
  await killWhen(manager, body.deployment_id, { shows: stepBegins(step), delayMs });
  return body.deployment_id;
}

/** What a stream shows when a step starts. */
export const stepBegins = (step: string): string => `"current_step":"${step}"`;

/** Follows an operation's stream, and kills the manager the given milliseconds after it shows a text (or its end). */
export async function killWhen(
  manager: ManagerProcess,
  id: string,
  { shows, delayMs }: { shows: string; delayMs: number },
): Promise<void> {
  await untilShown(manager, id, shows);
  if (delayMs > 0) await sleep(delayMs);
  await manager.kill();
}

/** Follows an operation's stream until it shows a text, or its end. */
export async function untilShown(
  { url, token }: Pick<ManagerProcess, 'url' | 'token'>,
  id: string,
  text: string,
): Promise<void> {
  const response = await fetch(`${url}/api/deployments/${id}/logs?stream=true&access_token=${token}`);
  let seen = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    seen += chunk;
    if (seen.includes(text) || seen.includes('event: complete')) break;
  }
}

/** Waits until a deployment has ended. */
export function endOfDeployment(manager: ManagerProcess, id: string): Promise<DeploymentAnswer> {
  return until(
    async () => (await manager.call<DeploymentAnswer>('GET', `/api/deployments/${id}`)).body,
    ({ status }) => !['queued', 'running'].includes(status),
  );
}
