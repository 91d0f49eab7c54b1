import { z } from 'zod';
import type { RegistryCredentials } from '../../image-access.ts';

const answerWithinMs = 5_000;
const tokenAnswer = z.object({ token: z.string().optional(), access_token: z.string().optional() });

/** Go's units of durations in seconds; some registries answer with such a text. */
const units: Record<string, number> = { h: 3_600, m: 60, s: 1, ms: 1e-3, µs: 1e-6, us: 1e-6, ns: 1e-9 };

interface LimitedImage {
  host: string;
  repository: string;
  tag: string | undefined;
  digest: string | undefined;
}

/**
 * When a registry that refused an image allows more pulls, as it says in these words or in the headers of the image's manifest;
 * undefined: it does not say. Asking for the headers counts as no pull.
 */
export async function limitedUntil(
  words: string,
  image: LimitedImage,
  login: RegistryCredentials['login'],
): Promise<Date | undefined> {
  const signal = AbortSignal.timeout(answerWithinMs);
  return untilInWords(words) ?? untilInHeaders(await headersOf(image, login, signal).catch(() => undefined));
}

const inSeconds = (seconds: number): Date => new Date(Date.now() + Math.ceil(seconds) * 1_000);

/** `retry-after: 1m30.5s`, as GHCR answers. */
function untilInWords(words: string): Date | undefined {
  const [, duration = ''] = /\bretry-after: ?((?:[\d.]{1,20}(?:h|ms?|s|[nuµ]s)){1,4})/i.exec(words) ?? [];
  const parts = [...duration.matchAll(/([\d.]{1,20})(h|ms|m|s|[nuµ]s)/g)];
  if (parts.length === 0) return undefined;
  return inSeconds(parts.reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0));
}

/** `Retry-After`, in seconds or as a date; or the window of Docker Hub's limit (`ratelimit-remaining: 0;w=21600`), when it is used up. */
function untilInHeaders(headers: Headers | undefined): Date | undefined {
  const after = headers?.get('retry-after') ?? '';
  if (/^\d{1,9}$/.test(after)) return inSeconds(Number(after));
  const date = new Date(after);
  if (!Number.isNaN(date.getTime())) return date;
  const [, remaining, window] = /^(\d{1,9});w=(\d{1,9})$/.exec(headers?.get('ratelimit-remaining') ?? '') ?? [];
  return Number(remaining) === 0 ? inSeconds(Number(window)) : undefined;
}

async function headersOf(
  { host, repository, tag, digest }: LimitedImage,
  login: RegistryCredentials['login'],
  signal: AbortSignal,
): Promise<Headers | undefined> {
  const address = host === 'docker.io' ? 'registry-1.docker.io' : host;
  for (const scheme of ['https', 'http']) {
    const url = `${scheme}://${address}/v2/${repository}/manifests/${digest ?? tag}`;
    const ask = (headers: Record<string, string>): Promise<Response> =>
      fetch(url, { method: 'HEAD', redirect: 'manual', headers, signal });
    const answer = await ask({}).catch(() => undefined);
    if (!answer) continue;
    if (answer.status !== 401) return answer.headers;
    const token = await tokenFor(answer.headers.get('www-authenticate') ?? '', address, login, signal);
    return token === undefined ? undefined : (await ask({ authorization: `Bearer ${token}` })).headers;
  }
  return undefined;
}

/** A token of the registry's own host or of Docker Hub's service: another address could be any server in the manager's network. */
async function tokenFor(
  challenge: string,
  address: string,
  login: RegistryCredentials['login'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const fields = new Map(
    [...challenge.matchAll(/(\w{1,20})="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]),
  );
  const url = URL.parse(fields.get('realm') ?? '');
  const isOwn = url?.host === address || (address === 'registry-1.docker.io' && url?.host === 'auth.docker.io');
  if (!url || !isOwn) return undefined;
  for (const key of ['service', 'scope']) url.searchParams.set(key, fields.get(key) ?? '');
  const basic = login && Buffer.from(`${login.username}:${login.password}`).toString('base64');
  const headers = basic !== undefined && url.protocol === 'https:' ? { authorization: `Basic ${basic}` } : {};
  const answer = await fetch(url, { redirect: 'error', headers, signal });
  if (!answer.ok) return undefined;
  const found = tokenAnswer.parse(await answer.json());
  return found.token ?? found.access_token;
}
