import { createHash } from 'node:crypto';
import { AppError } from '../../../lib/errors.ts';
import { DockerApiError, ignoreStatus } from '../engine/client/errors.ts';
import { label, labelFilter, tenantLabels } from '../engine/labels.ts';
import type { TenantSpace } from '../runtime.ts';
import type { SwarmContext } from './context.ts';
import { environmentScript } from './units/environment-script.ts';

/** A secret as a service mounts it. */
export interface Secret {
  id: string;
  name: string;
  /** Its name below /run/secrets. */
  file: string;
}

/** Swarm's limit, less a margin. */
const maxBytes = 500_000;

/**
 * The environment of a tenant's units: it holds passwords, and an environment in a service's specification could be read through
 * the API. Named by its content, as a secret can't be changed.
 * @throws Error when it is too large
 */
export async function ensureSecret(
  { call, instance }: SwarmContext,
  tenant: TenantSpace,
  environment: Readonly<Record<string, string>>,
): Promise<Secret> {
  const content = Buffer.from(environmentScript(environment));
  if (content.length >= maxBytes)
    throw new Error(`The environment of ${tenant.slug} has ${content.length} bytes; Swarm holds less than ${maxBytes}`);
  const digest = createHash('sha256').update(`${instance}\n${tenant.id}\n`).update(content).digest('hex').slice(0, 16);
  const name = `${tenant.slug}-${digest}`;
  const spec = { Name: name, Labels: tenantLabels(instance, tenant), Data: content.toString('base64') };
  return call(async (docker) => {
    const find = async () => {
      const found = await docker.listSecrets({ filters: { name: [name] } });
      return found.find((secret) => secret.Spec?.Name === name);
    };
    // Without `_body` the content would be in the URL. 409: created since, or by a try whose answer was lost.
    if (!(await find())) await ignoreStatus([409], () => docker.createSecret({ _query: {}, _body: spec }));
    const found = await find();
    if (found?.Spec?.Labels?.[label.tenant] === tenant.id) return { id: found.ID, name, file: 'environment' };
    throw new AppError('internal_error', `The secret ${name} exists in the swarm and is not this tenant's`);
  });
}

/** Removes the tenant's secrets that no service uses. */
export async function collectSecrets({ call, instance }: SwarmContext, tenant: TenantSpace): Promise<void> {
  const filters = labelFilter({ instance, tenant: tenant.id });
  for (const { ID: id } of await call((docker) => docker.listSecrets({ filters })))
    await call((docker) => ignoreStatus([404], () => docker.getSecret(id).remove())).catch((error: unknown) => {
      // The engine's answer for one in use, and the only place where its services are listed for us.
      if (!(error instanceof DockerApiError) || !error.message.includes('in use')) throw error;
    });
}
