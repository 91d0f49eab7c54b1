import { poll } from '../../../lib/concurrency/poll.ts';
import { AppError, messageOf } from '../../../lib/errors.ts';
import { type ProxyAddress, requestThroughProxy, wrongCertificate } from '../external-probe.ts';
import { type Expectation, revisionPath } from '../site-header.ts';
import { revisionHeader } from './site-config.ts';
import { type ElementKind, siteNames } from './site-names.ts';
import { complaintOf, type TraefikApi } from './traefik-api.ts';

/** The configuration that Traefik must have loaded, or removed. */
export interface TraefikExpectation extends Expectation {
  /** The names at Traefik of the site's elements; default: none is asked for. */
  elements?: readonly { kind: ElementKind; name: string }[];
}

/** The state of an expectation: met; pending; rejected by Traefik; or Traefik does not answer. */
export type ProofState = { is: 'met' } | { is: 'waiting' | 'refused' | 'unavailable'; reason: string };

const met: ProofState = { is: 'met' };
const probeTimeoutMs = 3_000;
const pauseMs = 250;

/** Verifies by Traefik's API and by requests through it, as far as configured, what it has loaded. */
export class Proof {
  readonly #api: TraefikApi | undefined;
  readonly #visited: ProxyAddress | undefined;

  constructor(api: TraefikApi | undefined, visited: ProxyAddress | undefined) {
    this.#api = api;
    this.#visited = visited;
  }

  /** Whether anything can be verified. */
  get possible(): boolean {
    return this.#api !== undefined || this.#visited !== undefined;
  }

  /** Polls until it is decided or the timeout; returns the last state. */
  async settle(expectation: TraefikExpectation, timeoutMs: number): Promise<ProofState> {
    let last: ProofState = { is: 'waiting', reason: 'it was not asked' };
    const decided = await poll(
      async () => {
        last = await this.standing(expectation);
        return last.is === 'met' || last.is === 'refused' ? last : undefined;
      },
      { timeoutMs, intervalMs: pauseMs },
    );
    return decided ?? last;
  }

  async standing(expectation: TraefikExpectation): Promise<ProofState> {
    try {
      const inApi = this.#api ? await this.#standingInApi(this.#api, expectation) : met;
      return inApi.is === 'met' && this.#visited ? await this.#standingOutside(this.#visited, expectation) : inApi;
    } catch (error) {
      if (error instanceof AppError) return { is: 'unavailable', reason: error.message };
      throw error;
    }
  }

  async #standingInApi(
    api: TraefikApi,
    { tenant, elements = [], revision, served }: TraefikExpectation,
  ): Promise<ProofState> {
    const headers = await api.find('middlewares', siteNames(tenant.slug).headers);
    const running = headers?.headers?.customResponseHeaders?.[revisionHeader];
    if (!served) return running === revision ? { is: 'waiting', reason: 'Traefik still runs it' } : met;
    if (running !== revision) {
      const reason = headers ? 'Traefik still runs the former configuration' : 'Traefik has not loaded the file';
      return { is: 'waiting', reason };
    }
    const complaints: string[] = [];
    for (const { kind, name } of elements) {
      const found = await api.find(kind, name);
      const complaint = found ? complaintOf(kind, found) : `${kind.slice(0, -1)} ${name}@file does not exist`;
      if (complaint !== undefined) complaints.push(complaint);
    }
    return complaints.length === 0 ? met : { is: 'refused', reason: complaints.join('\n') };
  }

  /** Whatever answers, the tenant or Traefik itself, sends the revision. */
  async #standingOutside(proxy: ProxyAddress, { hosts, revision, served }: Expectation): Promise<ProofState> {
    for (const { domain, tls } of hosts) {
      for (const over of tls && served ? [null, tls] : [null]) {
        const ask = { domain, path: revisionPath, tls: over !== null, timeoutMs: probeTimeoutMs };
        const where = over ? `${domain} over TLS` : domain;
        try {
          const reply = await requestThroughProxy(proxy, ask);
          const hasRevision = reply.headers[revisionHeader.toLowerCase()] === revision;
          if (!served && hasRevision) return { is: 'waiting', reason: `${domain} is still served` };
          if (!served) continue;
          const wrong = wrongCertificate(over, reply);
          if (wrong !== undefined) return { is: 'waiting', reason: `${where}: ${wrong}` };
          const problem = `the answer ${reply.statusCode} came without this revision`;
          if (!hasRevision) return { is: 'waiting', reason: `${where} is not served as configured: ${problem}` };
        } catch (error) {
          return { is: 'unavailable', reason: `Traefik does not answer for ${where}: ${messageOf(error)}` };
        }
      }
    }
    return met;
  }
}
