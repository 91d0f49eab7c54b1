import { setTimeout as sleep } from 'node:timers/promises';
import { mapConcurrently } from '../../../../lib/concurrency/map-concurrently.ts';
import { poll } from '../../../../lib/concurrency/poll.ts';
import { backoff } from '../../../../lib/concurrency/retry.ts';
import { messageOf } from '../../../../lib/errors.ts';
import { type ProxyAddress, requestThroughProxy, wrongCertificate } from '../../external-probe.ts';
import type { SiteHost } from '../../proxy.ts';
import { type Expectation, revisionPath } from '../../site-header.ts';
import { ownAnswer, ownHost } from '../config/common-config.ts';
import { type NginxProxyOptions, nginxConcurrency } from '../options.ts';

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

/**
 * Verifies through the proxy, like a visitor, what it serves: at each host, if it runs on several. A host that does not answer
 * is no obstacle while another one does: it serves no visitor, and reads the files when it starts.
 */
export class Proof {
  readonly #proxy: ProxyAddress;
  readonly #hosts: NginxProxyOptions['hosts'];

  constructor({ address, httpPort, httpsPort, hosts }: NginxProxyOptions) {
    this.#proxy = { address, httpPort, httpsPort };
    this.#hosts = hosts;
  }

  /** The first mismatch; undefined if there is none. */
  async mismatch(expectation: Expectation): Promise<string | undefined> {
    return this.#atEachHost((proxy) => mismatchAt(proxy, expectation));
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
    const revisions = new Set<string>();
    const failure = await this.#atEachHost(async (proxy) => {
      const answer = await revisionAt(proxy, ownHost, null);
      if ('failure' in answer) return answer;
      if (!answer.revision.startsWith(ownAnswer))
        return `what answers there does not run with Tenantry’s configuration: ${answer.summary}`;
      revisions.add(answer.revision.slice(ownAnswer.length));
      return undefined;
    });
    if (failure !== undefined) return { failure };
    return revisions.size === 1 ? { revision: [...revisions].join() } : { failure: 'its hosts differ' };
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

  /** @param ask answers with a mismatch, or with a failure when the host does not answer */
  async #atEachHost(ask: (proxy: ProxyAddress) => Promise<Finding>): Promise<string | undefined> {
    if (!this.#hosts) return textOf(await ask(this.#proxy));
    const addresses = await this.#hosts.addresses().catch(messageOf);
    if (typeof addresses === 'string') return addresses;
    const findings = await Promise.all(
      addresses.map(async (address) => ({ address, finding: await ask({ ...this.#proxy, address }) })),
    );
    const answered = findings.filter(({ finding }) => typeof finding !== 'object');
    const wrong = (answered.length > 0 ? answered : findings).find(({ finding }) => finding !== undefined);
    if (findings.length === 0) return 'nginx runs on no host';
    return wrong && `${textOf(wrong.finding)} (at ${wrong.address})`;
  }
}

/** A mismatch; or that the host does not answer. */
type Finding = string | { failure: string } | undefined;

const textOf = (finding: Finding): string | undefined => (typeof finding === 'object' ? finding.failure : finding);

async function mismatchAt(proxy: ProxyAddress, { hosts, revision, served }: Expectation): Promise<Finding> {
  for (const { domain, tls } of hosts) {
    const http = await revisionAt(proxy, domain, null);
    if ('failure' in http) return { failure: `${domain}: ${http.failure}` };
    if (!served && http.revision === revision) return `${domain} is still served`;
    if (!served) continue;
    if (http.revision !== revision) return `${domain} is not served as configured: ${http.summary}`;
    if (!tls) continue;
    const https = await revisionAt(proxy, domain, tls);
    if ('failure' in https) return `${domain} over TLS: ${https.failure}`;
    if (https.revision !== revision) return `${domain} is not served as configured over TLS: ${https.summary}`;
  }
  return undefined;
}

async function revisionAt(
  proxy: ProxyAddress,
  domain: string,
  tls: SiteHost['tls'],
): Promise<{ revision: string; summary: string } | { failure: string }> {
  try {
    const reply = await requestThroughProxy(proxy, {
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
