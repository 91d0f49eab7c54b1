import { Resolver } from 'node:dns/promises';
import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { RateLimiterMemory } from '../../lib/concurrency/rate-limiter-memory.ts';
import { AppError } from '../../lib/errors.ts';
import { defineRoute, type Route } from '../../lib/http/routing/route.ts';
import { hostName } from '../tenants/tenants.ts';

/** Of one request to a name server, and how often it is repeated. */
const resolverOptions = { timeout: 2_000, tries: 2 };
/** Checks of one user in a minute: a form checks while its user types. */
const maxPerMinute = 60;
const maxNames = 10;

const request = z.strictObject({ names: z.array(hostName).min(1).max(maxNames) }).meta({ id: 'DnsCheckRequest' });

const states = ['correct', 'elsewhere', 'missing', 'resolves', 'unknown'] as const;
const result = z
  .object({
    results: z.array(
      z.object({
        name: z.string(),
        state: z.enum(states).meta({
          description:
            '`correct`: leads to the reverse proxy; `elsewhere`: to other addresses, too; `missing`: no such name; `resolves`: ' +
            '`public_addresses` is not set, so nothing is compared; `unknown`: the name servers did not answer, or ' +
            '`public_addresses` has a host name without an address',
        }),
        addresses: z.array(z.string()),
        advice: z
          .string()
          .nullable()
          .meta({ description: 'What to change at the name’s provider or in `public_addresses`; null: nothing' }),
      }),
    ),
  })
  .meta({ id: 'DnsCheck' });

export type DnsResult = z.output<typeof result>['results'][number];

export interface DnsCheckDeps {
  /** Name servers, each with or without a port; empty: the machine's. */
  servers: readonly string[];
  /** IP addresses and host names, comma-separated, under which the reverse proxy is reached; empty: unknown. */
  publicAddresses(): Promise<string>;
}

/** What `public_addresses` leads to. */
interface Expected {
  addresses: string[];
  /** Its host names without an address. */
  unresolved: string[];
}

/** Looks up whether host names lead to the reverse proxy; never throws. */
export function createDnsCheck({ servers, publicAddresses }: DnsCheckDeps) {
  const resolver = new Resolver(resolverOptions);
  if (servers.length > 0) resolver.setServers(servers);

  /** @throws Error when the name servers do not answer */
  async function addressesOf(name: string): Promise<string[]> {
    const found = await Promise.all([
      resolver.resolve4(name).catch(noneOrThrow),
      resolver.resolve6(name).catch(noneOrThrow),
    ]);
    // An IPv6 address has many spellings.
    return found.flat().map((address) => ipaddr.parse(address).toString());
  }

  async function expectedAddresses(): Promise<Expected> {
    const entries = (await publicAddresses()).split(/[\s,]+/).filter(Boolean);
    const found = await Promise.all(
      entries.map(async (entry) => ({
        entry,
        // A silent name server leaves the entry without addresses, too.
        addresses: isIP(entry) ? [ipaddr.parse(entry).toString()] : await addressesOf(entry).catch(() => []),
      })),
    );
    return {
      addresses: found.flatMap(({ addresses }) => addresses),
      unresolved: found.filter(({ addresses }) => addresses.length === 0).map(({ entry }) => entry),
    };
  }

  async function check(name: string, expected: Promise<Expected>): Promise<DnsResult> {
    try {
      const [addresses, ours] = await Promise.all([addressesOf(name), expected]);
      return { name, ...judged(addresses, ours) };
    } catch {
      return { name, state: 'unknown', addresses: [], advice: 'The name servers did not answer. Try again.' };
    }
  }

  return (names: readonly string[]): Promise<DnsResult[]> => {
    const expected = expectedAddresses();
    return Promise.all(names.map((name) => check(name, expected)));
  };
}

export function dnsCheckRoutes(check: ReturnType<typeof createDnsCheck>): Route[] {
  const limiter = new RateLimiterMemory({ points: maxPerMinute, duration: 60 });
  return [
    defineRoute(
      {
        method: 'post',
        path: '/api/dns-check',
        tag: 'Reverse proxy',
        summary: 'Check where host names lead',
        description: `Compares their A and AAAA records with the setting \`public_addresses\`. At most ${maxPerMinute} checks a minute for each user.`,
        access: 'operate',
        body: request,
        responses: { 200: { schema: result } },
        errors: ['rate_limited'],
      },
      async ({ body, principal }) => {
        const { consumedPoints, msBeforeNext } = await limiter.penalty(principal.userId);
        if (consumedPoints > maxPerMinute)
          throw new AppError('rate_limited', 'Too many checks of host names; try again later', {
            headers: { 'Retry-After': String(Math.ceil(msBeforeNext / 1_000)) },
          });
        return { results: await check(body.names) };
      },
    ),
  ];
}

/** A name without such a record is an answer; everything else is a failure of the name servers. */
function noneOrThrow(error: NodeJS.ErrnoException): string[] {
  if (error.code === 'ENOTFOUND' || error.code === 'ENODATA') return [];
  throw error;
}

function judged(addresses: string[], { addresses: expected, unresolved }: Expected): Omit<DnsResult, 'name'> {
  if (unresolved.length > 0) {
    const advice = `The setting public_addresses cannot be resolved: no address of ${unresolved.join(' and ')} was found. Correct the setting or that host name’s records, then check again.`;
    return { state: addresses.length === 0 ? 'missing' : 'unknown', addresses, advice };
  }
  const ours = expected.join(' or ') || 'the address of your reverse proxy';
  if (addresses.length === 0)
    return { state: 'missing', addresses, advice: `Create ${recordsFor(expected)} with ${ours}.` };
  if (expected.length === 0)
    return { state: 'resolves', addresses, advice: 'Set public_addresses to compare them with your reverse proxy.' };
  const wrong = addresses.filter((address) => !expected.includes(address));
  if (wrong.length === 0) return { state: 'correct', addresses, advice: null };
  const advice =
    wrong.length < addresses.length
      ? `Remove the records with ${wrong.join(' and ')}: some visitors are led there.`
      : `Change the records to ${ours}, unless a service in front of your reverse proxy has these addresses.`;
  return { state: 'elsewhere', addresses, advice };
}

function recordsFor(expected: readonly string[]): string {
  const kinds = new Set(expected.map((address) => (isIP(address) === 6 ? 'AAAA' : 'A')));
  return kinds.size === 2 ? 'A and AAAA records' : kinds.has('AAAA') ? 'an AAAA record' : 'an A record';
}
