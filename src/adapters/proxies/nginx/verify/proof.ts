import { setTimeout as sleep } from 'node:timers/promises';
import { mapConcurrently } from '../../../../lib/concurrency/map-concurrently.ts';
import { poll } from '../../../../lib/concurrency/poll.ts';
import { backoff } from '../../../../lib/concurrency/retry.ts';
import { messageOf } from '../../../../lib/errors.ts';
import { type ProxyAddress, requestThroughProxy, wrongCertificate } from '../../external-probe.ts';
import type { SiteHost } from '../../proxy.ts';
import { type Expectation, revisionPath } from '../../site-header.ts';
import { ownAnswer, ownHost } from '../config/common-config.ts';
import { nginxConcurrency } from '../options.ts';

const probeTimeoutMs = 3_000;
const firstDelayMs = 10;
const maxDelayMs = 250;
/**
 * nginx's master process starts the new workers, and 100 ms later asks the old ones to stop accepting connections
 * (ngx_master_process_cycle): until then either may answer. Seen: up to 133 ms.
 */
const handoverMs = 150;
/** A worker has the new configuration for all sites or for none. */
const askedAgain = 16;

/** Verifies through the proxy, like a visitor, what it serves. */
export class Proof {
  readonly #proxy: ProxyAddress;

  constructor(proxy: ProxyAddress) {
    this.#proxy = proxy;
  }

  /** The first mismatch; undefined if there is none. */
  async mismatch({ hosts, revision, served }: Expectation): Promise<string | undefined> {
    for (const { domain, tls } of hosts) {
      const http = await this.#revision(domain, null);
      if ('failure' in http) return `${domain}: ${http.failure}`;
      if (!served && http.revision === revision) return `${domain} is still served`;
      if (!served) continue;
      if (http.revision !== revision) return `${domain} is not served as configured: ${http.summary}`;
      if (!tls) continue;
      const https = await this.#revision(domain, tls);
      if ('failure' in https) return `${domain} over TLS: ${https.failure}`;
      if (https.revision !== revision) return `${domain} is not served as configured over TLS: ${https.summary}`;
    }
    return undefined;
  }

  /**
   * Polls until everything is as expected, and (some of it) stays so while nginx hands over to its new workers, or until the
   * timeout; returns the mismatches by slug.
   */
  async prove(expectations: readonly Expectation[], timeoutMs: number): Promise<Map<string, string>> {
    const unmet = new Map(expectations.map((expectation) => [expectation, 'it was not asked']));
    const ask = (some: Iterable<Expectation>): Promise<void> =>
      mapConcurrently([...some], nginxConcurrency, async (expectation) => {
        const mismatch = await this.mismatch(expectation);
        if (mismatch === undefined) unmet.delete(expectation);
        else unmet.set(expectation, mismatch);
      });
    const proven = async (): Promise<true | undefined> => {
      await ask(unmet.keys());
      if (unmet.size > 0) return undefined;
      await sleep(handoverMs);
      await ask(expectations.slice(0, askedAgain));
      return unmet.size === 0 ? true : undefined;
    };
    if (unmet.size > 0) await poll(proven, { timeoutMs, intervalMs: backoff(firstDelayMs, maxDelayMs) });
    return new Map([...unmet].map(([{ tenant }, reason]) => [tenant.slug, reason]));
  }

  /** Our own host's answer: whether nginx runs with our configuration, and which revision. */
  async ownRevision(): Promise<{ revision: string } | { failure: string }> {
    const answer = await this.#revision(ownHost, null);
    if ('failure' in answer) return answer;
    if (answer.revision.startsWith(ownAnswer)) return { revision: answer.revision.slice(ownAnswer.length) };
    return { failure: `what answers there does not run with Tenantry’s configuration: ${answer.summary}` };
  }

  /** Waits until nginx has handed over and our own host answers with this revision; returns the problem if it does not. */
  async proveOwn(revision: string, timeoutMs: number): Promise<string | undefined> {
    let failure = '';
    await sleep(handoverMs);
    const proven = await poll(
      async () => {
        const own = await this.ownRevision();
        if ('revision' in own && own.revision === revision) return true;
        failure = 'failure' in own ? own.failure : 'it still runs with the former one';
        return undefined;
      },
      { timeoutMs, intervalMs: 50 },
    );
    return proven ? undefined : failure;
  }

  async #revision(
    domain: string,
    tls: SiteHost['tls'],
  ): Promise<{ revision: string; summary: string } | { failure: string }> {
    try {
      const reply = await requestThroughProxy(this.#proxy, {
        domain,
        path: revisionPath,
        tls: tls !== null,
        timeoutMs: probeTimeoutMs,
      });
      const wrong = wrongCertificate(tls, reply);
      if (wrong) return { failure: wrong };
      const summary = `${reply.statusCode} ${JSON.stringify(reply.body.slice(0, 80))}`;
      return { revision: reply.statusCode === 200 ? reply.body : '', summary };
    } catch (error) {
      return { failure: messageOf(error) };
    }
  }
}
