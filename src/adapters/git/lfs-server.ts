import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { getCACertificates } from 'node:tls';
import { z } from 'zod';
import { retry } from '../../lib/concurrency/retry.ts';
import { AppError } from '../../lib/errors.ts';
import { createWriteStream } from '../../lib/files/changes.ts';
import { addressRule, hostOf, portOf } from '../../lib/outbound-http/address.ts';
import { type Connect, createConnect } from '../../lib/outbound-http/connect.ts';
import { OutboundError } from '../../lib/outbound-http/outbound-error.ts';
import type { RepositoryAddress } from './address.ts';
import type { HostRule } from './host-rule.ts';
import { originOf } from './submodules.ts';

export interface LfsObject {
  /** SHA-256 of the content. */
  oid: string;
  size: number;
}

/** The address of an LFS server (without `/objects/batch`), and what is sent to its origin alone. */
export type LfsServer = Pick<RepositoryAddress, 'address' | 'credentials'>;

/** Where an object is downloaded from; the headers are for this address alone. */
interface Download {
  url: URL;
  headers: Record<string, string>;
}

/** Requests to one LFS server. */
export interface LfsClient extends AsyncDisposable {
  /** Asks for up to 100 objects. @throws AppError git_error, OutboundError */
  find(objects: readonly LfsObject[]): Promise<ReadonlyMap<string, Download>>;
  /** Writes an object to a file once it is the one that was asked for. @throws AppError git_error, OutboundError */
  download(object: LfsObject, from: ReadonlyMap<string, Download>, file: string): Promise<void>;
}

export type OpenLfs = (server: LfsServer, signal: AbortSignal) => Promise<LfsClient>;

const mediaType = 'application/vnd.git-lfs+json';
const maxAnswerBytes = 4 * 1024 ** 2;
const maxRedirects = 5;
/** A server must not set what the connection itself needs. */
const ownHeaders = /^(?:host|connection|content-length|transfer-encoding|upgrade|expect|te|trailer|keep-alive)$/i;

const answered = z.object({
  objects: z.array(
    z.object({
      oid: z.string(),
      authenticated: z.boolean().optional(),
      actions: z
        .object({
          download: z
            .object({ href: z.string().max(16_384), header: z.record(z.string(), z.string()).optional() })
            .optional(),
        })
        .optional(),
    }),
  ),
});

const failure = (message: string): AppError => new AppError('git_error', message);

/**
 * The batch API of Git LFS with its basic transfer. Every connection, also of a download or after a redirect, passes the rule of
 * git's hosts; redirects are followed without any credentials.
 * @param authorities the file of certificates that git trusts, if it is not the system's (GIT_SSL_CAINFO)
 */
export function createLfs(hosts: HostRule, authorities: string | undefined): OpenLfs {
  const connect: Connect = async (target, signal) => {
    const addresses = (await hosts.addressesOf(target)).map((address) => ({ address, family: isIP(address) }));
    const rule = addressRule({ allowPrivate: true });
    return createConnect({ rule, lookup: (_host, _options, done) => done(null, addresses) })(target, signal);
  };

  return async (server, signal) => {
    // At its first use: most repositories do without.
    const { createGuardedAgent, translateFailure } = await import('../../lib/outbound-http/agent.ts');
    const own = authorities === undefined ? [] : [await readFile(authorities, 'utf8')];
    const trusted = [...getCACertificates('default'), ...getCACertificates('system'), ...own];
    const { agent, close } = createGuardedAgent(connect, undefined, trusted);
    const { username, password } = server.credentials ?? {};
    const basic = Buffer.from(`${username}:${password}`).toString('base64');
    const credentials: Record<string, string> = server.credentials ? { authorization: `Basic ${basic}` } : {};

    /** @param secrets headers that no redirect gets */
    async function request(
      url: URL,
      { secrets, body }: { secrets: Record<string, string>; body?: string },
      redirects = 0,
    ): Promise<AsyncGenerator<Uint8Array>> {
      const target = { host: hostOf(url), port: portOf(url) };
      const translated = (error: unknown): unknown => {
        signal.throwIfAborted();
        return error instanceof AppError ? error : translateFailure(error, target);
      };
      const answer = await agent
        .request({
          origin: url.origin,
          path: url.pathname + url.search,
          method: body === undefined ? 'GET' : 'POST',
          signal,
          headers: {
            'user-agent': 'Tenantry',
            ...(body === undefined ? {} : { accept: mediaType, 'content-type': mediaType }),
            ...secrets,
          },
          body: body ?? null,
        })
        .catch((error: unknown) => {
          throw translated(error);
        });
      const { statusCode: status, headers } = answer;
      const location = [headers.location].flat()[0];
      if (status === 200)
        return (async function* () {
          try {
            yield* answer.body;
          } catch (error) {
            throw translated(error);
          }
        })();
      answer.body.on('error', () => undefined).destroy();
      if ([301, 302, 303, 307, 308].includes(status) && location !== undefined) {
        if (redirects === maxRedirects) throw failure(`${url.host} redirects more than ${maxRedirects} times`);
        return request(
          webAddress(location, url),
          { secrets: {}, ...(body === undefined ? {} : { body }) },
          redirects + 1,
        );
      }
      if (status === 401 || status === 403)
        throw failure(`${url.host} refuses access; credentials are sent to the repository’s own host only`);
      throw failure(`${url.host} answers with status ${status}`);
    }

    return {
      async find(objects) {
        const asked = objects.map(({ oid, size }) => ({ oid, size }));
        const body = JSON.stringify({
          operation: 'download',
          transfers: ['basic'],
          hash_algo: 'sha256',
          objects: asked,
        });
        const url = new URL(`${server.address.replace(/\/$/, '')}/objects/batch`);
        const chunks: Uint8Array[] = [];
        let bytes = 0;
        for await (const chunk of await request(url, { secrets: credentials, body })) {
          bytes += chunk.length;
          if (bytes > maxAnswerBytes) throw failure(`${url.host} sends more than is read`);
          chunks.push(chunk);
        }
        const answer = answered.safeParse(jsonOf(Buffer.concat(chunks).toString('utf8')));
        if (!answer.success) throw failure(`${url.host} does not answer as an LFS server does`);
        const found = new Map<string, Download>();
        for (const { oid, authenticated, actions } of answer.data.objects) {
          if (!actions?.download) continue;
          const { href, header = {} } = actions.download;
          const from = webAddress(href, url);
          const given = Object.entries(header).filter(([name]) => !ownHeaders.test(name));
          const isOwn = originOf(from.href) === originOf(server.address) && !authenticated;
          const headers = { ...(isOwn ? credentials : {}), ...Object.fromEntries(given.map(lowerName)) };
          found.set(oid, { url: from, headers });
        }
        return found;
      },

      async download(object, downloads, file) {
        const from = downloads.get(object.oid);
        if (!from) throw failure(`${new URL(server.address).host} does not have the content`);
        await retry(async () => saveObject(await request(from.url, { secrets: from.headers }), object, file, signal), {
          delaysMs: [500, 2_000],
          signal,
          isTransient: (error) => error instanceof OutboundError && ['broken', 'timeout'].includes(error.problem),
        });
      },

      [Symbol.asyncDispose]: close,
    };
  };
}

/** Writes content to a file while it is compared with what was asked for. @throws AppError git_error */
export async function saveObject(
  content: AsyncIterable<Uint8Array>,
  { oid, size }: LfsObject,
  file: string,
  signal: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  async function* compared(): AsyncGenerator<Uint8Array> {
    for await (const chunk of content) {
      bytes += chunk.length;
      if (bytes > size) throw failure('the content is larger than its pointer says');
      hash.update(chunk);
      yield chunk;
    }
    if (bytes !== size || hash.digest('hex') !== oid) throw failure('the content is not the one of its pointer');
  }
  await pipeline(compared(), createWriteStream(file), { signal });
}

const lowerName = ([name, value]: [string, string]): [string, string] => [name.toLowerCase(), value];

/** An address that a server names: the host rule is applied when it is connected to. */
function webAddress(text: string, base: URL): URL {
  const url = URL.parse(text, base.href);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw failure(`${base.host} names something that is no web address`);
  if (url.protocol === 'http:' && base.protocol === 'https:')
    throw failure(`${base.host} leads from https to http (${url.host})`);
  return url;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
