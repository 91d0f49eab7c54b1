import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { writeFileAtomic } from '../../../lib/files/atomic-file.ts';
import type { Layout } from './options.ts';

const user = 'tenantry';

/**
 * Has Traefik offer its API at an entry point, to the manager alone: Traefik is in the tenants' networks, so an API without a
 * password (`api.insecure`) would tell each tenant of all others. Traefik needs `api` to be on, and nothing else.
 * @returns as whom the API is to be asked. The password is made once and kept beside the sites, 0600.
 */
export async function provideApiAccess(
  layout: Layout,
  entryPoint: string,
): Promise<{ user: string; password: string }> {
  const password = await keptPassword(join(layout.directory, 'api-password'));
  // The name begins with a digit, as no tenant's does.
  const path = join(layout.sites, `00-tenantry-api${layout.extension}`);
  const text = accessConfig(entryPoint, password);
  if ((await textOf(path)) !== text) await writeFileAtomic(path, text);
  return { user, password };
}

/** SHA-1 is enough for a password of 256 random bits, which nobody guesses. */
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
  const comment = '# Written by Tenantry, and mended at its next start: Traefik’s API, for Tenantry alone.\n';
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
