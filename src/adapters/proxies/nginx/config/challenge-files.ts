import { join } from 'node:path';
import { AppError, messageOf } from '../../../../lib/errors.ts';
import { writeFileAtomic } from '../../../../lib/files/atomic-file.ts';
import { chmod, rm } from '../../../../lib/files/changes.ts';
import { type ProxyAddress, requestThroughProxy } from '../../external-probe.ts';
import type { ReverseProxy } from '../../proxy.ts';
import type { Layout } from '../options.ts';
import { ownHost } from './common-config.ts';

const probeTimeoutMs = 5_000;

/**
 * HTTP-01 answers as files for nginx's workers, which run as another user. Tokens are base64url (RFC 8555, 8.1). Their readability
 * is checked before an authority validates and counts a failure: a parent directory may be closed to them.
 */
export function challengeFiles(layout: Layout, proxy: ProxyAddress): NonNullable<ReverseProxy['challenges']> {
  const pathOf = (token: string): string => {
    if (!/^[A-Za-z0-9_-]{1,256}$/.test(token)) throw new Error('The token of a challenge must be base64url');
    return join(layout.challenges, token);
  };

  async function remove(token: string): Promise<void> {
    await rm(pathOf(token), { force: true });
  }

  /** @throws AppError proxy_unavailable when nginx does not answer; Error when it answers something else */
  async function ensureServed(token: string, keyAuthorization: string): Promise<void> {
    const path = `/.well-known/acme-challenge/${token}`;
    const ask = { domain: ownHost, path, tls: false, timeoutMs: probeTimeoutMs };
    const reply = await requestThroughProxy(proxy, ask).catch((error: unknown) => {
      throw new AppError('proxy_unavailable', `nginx does not answer: ${messageOf(error)}`);
    });
    if (reply.statusCode === 200 && reply.body === keyAuthorization) return;
    throw new Error(
      `nginx does not serve the challenge, it answers ${reply.statusCode}: its workers must be able to read ${layout.challenges} and to pass every directory above it`,
    );
  }

  return {
    async put(token, keyAuthorization) {
      const path = pathOf(token);
      await writeFileAtomic(path, keyAuthorization, 0o644);
      // Independent of the manager's umask.
      await chmod(path, 0o644);
      try {
        await ensureServed(token, keyAuthorization);
      } catch (error) {
        await remove(token);
        throw error;
      }
    },
    remove,
  };
}
