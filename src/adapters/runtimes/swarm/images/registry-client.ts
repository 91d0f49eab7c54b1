import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { actingDeadline } from '../../../../lib/concurrency/acting-deadline.ts';
import { AppError, messageOf } from '../../../../lib/errors.ts';
import type { Logger } from '../../../../lib/logger.ts';

const timeoutMs = 20_000;
const tagList = z.object({ tags: z.array(z.string()).nullable() });
const token = z.object({ token: z.string().optional(), access_token: z.string().optional() });
/** Every kind of manifest: the registry would convert one that is not accepted, and name another digest. */
const manifests = [
  'application/vnd.docker.distribution.manifest.v2+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.oci.image.index.v1+json',
].join(', ');

/** What TLS reads where a server speaks plain HTTP. */
const noTls = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

/**
 * Lists and removes tags by the registry's HTTP API (distribution-spec). Engines push and pull by themselves. Plain HTTP is used
 * only where the registry speaks no TLS, and with credentials only to a loopback or private address.
 */
export function createRegistryClient(
  { address, user, password = '' }: { address: string; user?: string | undefined; password?: string | undefined },
  logger: Logger,
) {
  const [host = '', ...path] = address.split('/');
  const prefix = path.map((part) => `${part}/`).join('');
  const basic = user === undefined ? undefined : `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  /** Known from the first answer: a connection broken later is not repeated in plain text. */
  let scheme: 'https' | 'http' | undefined;
  let removes = true;

  const credentialsFor = (protocol: string, where: string): string | undefined =>
    protocol === 'https' || (scheme === 'http' && isPrivate(where)) ? basic : undefined;

  async function send(method: string, url: string, token?: string): Promise<Response> {
    const signal = AbortSignal.timeout(timeoutMs);
    const by = (protocol: 'https' | 'http'): Promise<Response> => {
      actingDeadline.check();
      const headers = headersOf(token ?? credentialsFor(protocol, host));
      return fetch(`${protocol}://${host}${url}`, { method, headers, signal, redirect: 'manual' });
    };
    try {
      const answer = await by(scheme ?? 'https');
      scheme ??= 'https';
      return answer;
    } catch (error) {
      if (scheme !== undefined || !noTls.has(codeOf(error))) throw failed(error);
    }
    scheme = 'http';
    return by('http').catch((error: unknown) => {
      throw failed(error);
    });
  }

  async function ask(method: string, repository: string, rest: string): Promise<Response> {
    const url = `/v2/${prefix}${repository}/${rest}`;
    const answer = await send(method, url);
    const challenge = /^Bearer (.+)$/i.exec(answer.headers.get('www-authenticate') ?? '')?.[1];
    if (answer.status !== 401 || challenge === undefined) return answer;
    return send(method, url, `Bearer ${await tokenFor(challenge)}`);
  }

  /** Bearer tokens as Docker Hub and others require them. */
  async function tokenFor(challenge: string): Promise<string> {
    const fields = new Map(
      [...challenge.matchAll(/(?:^|,)\s?(\w{1,20})="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
    );
    const realm = fields.get('realm') ?? '';
    const url = URL.canParse(realm) ? new URL(realm) : undefined;
    if (!url || (url.protocol !== 'https:' && scheme === 'https')) throw failed('its token service is not encrypted');
    for (const key of ['service', 'scope']) url.searchParams.set(key, fields.get(key) ?? '');
    const headers = headersOf(credentialsFor(url.protocol.slice(0, -1), url.host));
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
      throw failed(error);
    });
    if (!answer.ok) throw failed(`its token service answered ${answer.status}`);
    const found = token.parse(await answer.json());
    return found.token ?? found.access_token ?? '';
  }

  const failed = (reason: unknown): AppError => {
    const cause = (reason as { cause?: unknown }).cause ?? reason;
    return new AppError('runtime_unavailable', `The registry ${host} (SWARM_REGISTRY): ${messageOf(cause)}`, { cause });
  };

  return {
    /** The tags of a repository; none if it does not exist. */
    async tagsOf(repository: string): Promise<string[]> {
      const answer = await ask('GET', repository, 'tags/list');
      if (answer.status === 404) return [];
      if (!answer.ok) throw failed(`it answered ${answer.status} to the list of tags`);
      return tagList.parse(await answer.json()).tags ?? [];
    },

    /** Removes the manifest of a tag. A registry that removes nothing is logged once. */
    async removeTag(repository: string, tag: string): Promise<void> {
      if (!removes) return;
      const found = await ask('HEAD', repository, `manifests/${tag}`);
      const digest = found.headers.get('docker-content-digest');
      if (found.status === 404 || digest === null) return;
      const answer = await ask('DELETE', repository, `manifests/${digest}`);
      if (answer.ok || answer.status === 404) return;
      if (answer.status !== 405) throw failed(`it answered ${answer.status} to the removal of ${tag}`);
      removes = false;
      logger.warn({ registry: host }, 'the registry does not remove images: old releases stay there');
    },
  };
}

const headersOf = (authorization: string | undefined): Record<string, string> => ({
  accept: manifests,
  ...(authorization === undefined ? {} : { authorization }),
});

/** The code of a failed connection; fetch has it in its cause. */
function codeOf(error: unknown): string {
  const { cause } = error as { cause?: { code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : '';
}

/** Whether a registry is on this machine or in a private network, by its address or by the name `localhost`. */
function isPrivate(host: string): boolean {
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  if (name === 'localhost') return true;
  if (!ipaddr.isValid(name)) return false;
  return ['loopback', 'private', 'uniqueLocal', 'linkLocal'].includes(ipaddr.parse(name).range());
}
