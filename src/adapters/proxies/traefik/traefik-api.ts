import { Agent, request } from 'undici';
import { z } from 'zod';
import { AppError, messageOf } from '../../../lib/errors.ts';
import type { TraefikApiOptions } from './options.ts';
import type { ElementKind } from './site-names.ts';

/** A router, service or middleware that Traefik runs; only the fields we read. */
const element = z.object({
  /** With its provider: `name@file`. */
  name: z.string(),
  provider: z.string().default(''),
  status: z.string().optional(),
  error: z.array(z.string()).default([]),
  headers: z.object({ customResponseHeaders: z.record(z.string(), z.string()).optional() }).optional(),
});
export type Element = z.infer<typeof element>;

const versionAnswer = z.object({ Version: z.string() });
/** Options that are not set are missing, as in versions that do not have them. */
const entryPoint = z.object({
  name: z.string(),
  forwardedHeaders: z
    .object({ insecure: z.boolean().default(false), trustedIPs: z.array(z.string()).default([]) })
    .optional(),
  http: z.object({ underscoreHeadersStrategy: z.string().optional() }).optional(),
});
export type EntryPoint = z.infer<typeof entryPoint>;

const timeoutMs = 5_000;
const perPage = 1_000;
const maxBytes = 16 * 1024 * 1024;

/** Traefik's API, read only (https://doc.traefik.io/traefik/v3.7/reference/install-configuration/api-dashboard/). */
export class TraefikApi {
  readonly #base: string;
  #authorization: string | undefined;
  /** Each request on a new connection: a restarted Traefik may have closed idle ones. */
  readonly #agent = new Agent({ connections: 4, pipelining: 0 });

  /** @throws for an invalid address */
  constructor({ url, user, password }: TraefikApiOptions) {
    const { protocol, username } = new URL(url);
    if (!/^https?:$/.test(protocol) || username) throw new Error('Traefik’s API needs an address http(s)://host:port');
    this.#base = url.replace(/(?<!\/)\/+$/, '');
    if (user || password) this.identify({ user: user ?? '', password: password ?? '' });
  }

  /** Sets the credentials. */
  identify({ user, password }: { user: string; password: string }): void {
    this.#authorization = `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  }

  /** `3.7.13`. @throws AppError proxy_unavailable, like all of these */
  async version(): Promise<string> {
    return (await this.#ask('/api/version', versionAnswer)).answer.Version;
  }

  async entryPoints(): Promise<EntryPoint[]> {
    return (await this.#ask(`/api/entrypoints?per_page=${perPage}`, z.array(entryPoint))).answer;
  }

  /** Everything of a kind that comes from files. */
  async list(kind: ElementKind): Promise<Element[]> {
    const all: Element[] = [];
    for (let page = 1; ; ) {
      const path = `/api/http/${kind}?per_page=${perPage}&page=${page}`;
      const { answer, headers } = await this.#ask(path, z.array(element));
      all.push(...answer);
      // The last page's successor is the first one.
      const next = Number(headers['x-next-page']);
      if (!(next > page)) return all.filter(({ provider }) => provider === 'file');
      page = next;
    }
  }

  /** One from a file, by its name there; undefined if Traefik has none of that name. */
  async find(kind: ElementKind, name: string): Promise<Element | undefined> {
    const { answer } = await this.#ask(`/api/http/${kind}/${name}@file`, element.nullable(), true);
    return answer ?? undefined;
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  async #ask<Answer>(
    path: string,
    schema: z.ZodType<Answer>,
    mayBeMissing = false,
  ): Promise<{ answer: Answer; headers: Record<string, string | string[] | undefined> }> {
    const { statusCode, headers, text } = await this.#get(path);
    if (mayBeMissing && statusCode === 404) return { answer: schema.parse(null), headers };
    if (statusCode !== 200) throw this.#unavailable(path, refusals[statusCode] ?? `it responded with ${statusCode}`);
    try {
      return { answer: schema.parse(JSON.parse(text)), headers };
    } catch {
      throw this.#unavailable(path, 'the response is not from Traefik');
    }
  }

  async #get(path: string) {
    try {
      const { statusCode, headers, body } = await request(`${this.#base}${path}`, {
        dispatcher: this.#agent,
        headers: this.#authorization === undefined ? {} : { authorization: this.#authorization },
        signal: AbortSignal.timeout(timeoutMs),
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of body as AsyncIterable<Buffer>) {
        chunks.push(chunk);
        size += chunk.length;
        if (size > maxBytes) throw new Error('its answer is too long');
      }
      return { statusCode, headers, text: Buffer.concat(chunks).toString('utf8') };
    } catch (error) {
      throw this.#unavailable(path, reasonOf(error), error);
    }
  }

  #unavailable(path: string, reason: string, cause?: unknown): AppError {
    const where = `${this.#base}${path.replace(/\?.*/, '')}`;
    return new AppError('proxy_unavailable', `Traefik’s API does not answer at ${where}: ${reason}`, { cause });
  }
}

/** Traefik's complaint about an element; undefined if it runs. */
export function complaintOf(kind: ElementKind, { name, status, error }: Element): string | undefined {
  if (error.length === 0 && (status === undefined || status === 'enabled')) return undefined;
  return `${kind.slice(0, -1)} ${name} is ${status ?? 'in error'}${error.length > 0 ? `: ${error.join('; ')}` : ''}`;
}

const refusals: Record<number, string> = {
  401: 'it rejects the user name or password (401)',
  403: 'it denies access to the user (403)',
  404: 'it has no such API (404)',
};

const reasons: Record<string, string> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was reset',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name could not be looked up',
  UND_ERR_CONNECT_TIMEOUT: 'the connection timed out',
  UND_ERR_SOCKET: 'the connection broke off',
};

function reasonOf(error: unknown): string {
  const of = (key: 'code' | 'name'): string =>
    typeof error === 'object' && error !== null && key in error ? String((error as Record<string, unknown>)[key]) : '';
  if (of('name') === 'TimeoutError') return `no answer within ${timeoutMs} ms`;
  return reasons[of('code')] ?? messageOf(error);
}
