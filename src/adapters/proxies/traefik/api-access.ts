import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import type { Layout } from './options.ts';

const user = 'tenantry';

/**
 * Has Traefik offer its API at an entry point, only to the manager: Traefik is in the tenants' networks, so an API without a
 * password (`api.insecure`) would show each tenant all others. Traefik needs only `api` to be enabled.
 * @returns the API's credentials. The password is created once and stored with the sites, 0600.
 */
export async function provideApiAccess(
  layout: Layout,
  entryPoint: string,
): Promise<{ user: string; password: string }> {
  const password = await keptPassword(join(layout.directory, 'api-password'));
  // The name starts with a digit, unlike any tenant's.
  const path = join(layout.sites, `00-tenantry-api${layout.extension}`);
  const text = accessConfig(entryPoint, password);
  if ((await textOf(path)) !== text) await writeFileAtomic(path, text);
  return { user, password };
}

/** SHA-1 is enough for a password of 256 random bits. */
function accessConfig(entryPoint: string, password: string): string {
  const hash = createHash('sha1').update(password).digest('base64');
  const config = {
    http: {
      routers: {
        tenantry_api: {
          entryPoints: [entryPoint],
          rule: 'PathPrefix(`/api`)',
          middlewares: ['tenantry_api_access'],
          service: 'api@internal',
        },
      },
      middlewares: { tenantry_api_access: { basicAuth: { users: [`${user}:{SHA}${hash}`], removeHeader: true } } },
    },
  };
  const comment = '# Managed by Tenantry and overwritten at its next start: Traefik’s API, for Tenantry alone.\n';
  return comment + stringify(config, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN', lineWidth: 0 });
}

async function keptPassword(path: string): Promise<string> {
  const kept = await textOf(path);
  if (kept !== undefined && /^[0-9a-f]{64}$/.test(kept)) return kept;
  const password = randomBytes(32).toString('hex');
  await writeFileAtomic(path, password);
  return password;
}

const textOf = (path: string): Promise<string | undefined> =>
  readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
