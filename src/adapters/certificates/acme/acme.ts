import { X509Certificate } from 'node:crypto';
import type { Clock } from '../../../lib/clock.ts';
import { KeyedLock } from '../../../lib/concurrency/keyed-lock.ts';
import { withTimeout } from '../../../lib/concurrency/timeout.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { messageOf } from '../../../lib/errors.ts';
import { type Certificate, type CertificateAuthority, CertificateRefused } from '../certificates.ts';
import { isHostName } from '../host-name.ts';
import { type AccountKeys, accountKey } from './account.ts';
import { orderCertificate } from './order.ts';
import { AcmeError, retryRequest } from './problem.ts';
import type { AcmeLimits, Challenges, Reachable, Session } from './session.ts';
import { converse, loadAcmeClient } from './transport.ts';

export interface AcmeOptions {
  /** The authority's directory; setting it accepts its terms of service. */
  directoryUrl: string;
  /** Where the authority warns of expiring certificates; some require it. */
  email: string | undefined;
  /** PEM: the only trusted roots of the directory's own TLS certificate; undefined: the system's. */
  caBundle: string | undefined;
  /** External account binding, as ZeroSSL, Google and others issue it. */
  binding?: { kid: string; hmacKey: string } | undefined;
  accounts: AccountKeys;
  challenges: Challenges;
  reachable?: Reachable | undefined;
  clock: Clock;
  limits?: Partial<AcmeLimits> | undefined;
}

interface Account {
  accountKey: string;
  accountUrl: string;
}

const defaults: AcmeLimits = { requestMs: 30_000, orderMs: 300_000, pollMs: 1_000, retryDelaysMs: [1_000, 3_000] };

/**
 * Certificates from an ACME authority (RFC 8555), validated by HTTP-01. One account, registered on first use; `accounts` stores
 * its key. An abort cancels requests and removes answers to challenges.
 */
export function createAcme(options: AcmeOptions): CertificateAuthority {
  const { directoryUrl, clock } = options;
  const limits = { ...defaults, ...options.limits };
  const registration = new KeyedLock();
  let account: Account | undefined;

  /** The account, registered once for all simultaneous callers. */
  const registered = (work: Work): Promise<Account> =>
    registration.run('account', async () => {
      work.signal.throwIfAborted();
      account ??= await register(options, limits, work);
      return account;
    });

  async function inSession<T>(work: Work, use: (session: Session) => Promise<T>): Promise<T> {
    const { Client } = await loadAcmeClient();
    const own = await withTimeout(() => registered(work), { signal: work.signal });
    const client = new Client({ directoryUrl, ...own });
    const { challenges, reachable } = options;
    try {
      return await use({ client, challenges, reachable, limits, clock, signal: work.signal, log: work.log });
    } catch (error) {
      // The authority was set up again, or has closed the account: the next attempt registers again.
      if (error instanceof AcmeError && error.type === 'accountDoesNotExist') account = undefined;
      throw error;
    }
  }

  /** Runs the work with a timeout; failures become the authority's refusal. */
  async function bounded<T>(work: Work, use: (session: Session) => Promise<T>): Promise<T> {
    work.signal.throwIfAborted();
    const timeOut = AbortSignal.timeout(limits.orderMs);
    const signal = AbortSignal.any([work.signal, timeOut]);
    let last = 'nothing';
    const log = (line: string): void => {
      last = line;
      work.log(line);
    };
    const { caBundle } = options;
    const talk = { directoryUrl, caBundle, signal, requestMs: limits.requestMs, now: () => clock.now() };
    try {
      return await converse(talk, () => {
        const mine = { log, signal };
        return inSession(mine, use).catch((error: unknown) => {
          const gone = error instanceof AcmeError && error.type === 'accountDoesNotExist';
          if (!gone) throw error;
          log('The authority no longer knows our account: registering it again');
          return inSession(mine, use);
        });
      });
    } catch (error) {
      work.signal.throwIfAborted();
      const seconds = Math.round(limits.orderMs / 1_000);
      throw refusal(
        error,
        timeOut.aborted ? `not done within ${seconds} s; last was: ${last}` : undefined,
        directoryUrl,
      );
    }
  }

  return {
    source: 'acme',
    id: directoryUrl,
    async obtain(names, work) {
      const own = [...new Set(names)];
      const invalidName = own.find((name) => !isHostName(name));
      if (invalidName !== undefined || own.length === 0)
        throw new CertificateRefused(
          invalidName === undefined ? 'no names were given' : `${invalidName} is no host name`,
        );
      const certificate = await bounded(work, (session) => orderCertificate(session, own));
      work.log(`${certificate.issuer} issued a certificate valid until ${certificate.notAfter.toISOString()}`);
      return [certificate];
    },
    async revoke(certificate, work) {
      if (certificate.notAfter <= clock.now()) return work.log('The certificate has expired: nothing to revoke');
      const said = await bounded(work, (session) => revoke(session, certificate));
      work.log(said);
    },
  };
}

async function register(options: AcmeOptions, limits: AcmeLimits, work: Work): Promise<Account> {
  const { directoryUrl, email, binding, accounts } = options;
  const key = await accountKey(accounts);
  const { Client } = await loadAcmeClient();
  const contact = email === undefined ? {} : { contact: [`mailto:${email}`] };
  const client = await retryRequest(
    async () => {
      const fresh = new Client({
        directoryUrl,
        accountKey: key,
        ...(binding ? { externalAccountBinding: binding } : {}),
      });
      await fresh.createAccount({ termsOfServiceAgreed: true, ...contact });
      return fresh;
    },
    { limits, signal: work.signal },
  );
  work.log(`Account ${client.getAccountUrl()}`);
  return { accountKey: key, accountUrl: client.getAccountUrl() };
}

async function revoke(session: Session, certificate: Certificate): Promise<string> {
  const leaf = new X509Certificate(certificate.chain).toString();
  try {
    await retryRequest(() => session.client.revokeCertificate(leaf), session);
    return `Revoked the certificate of ${certificate.names.join(', ')}`;
  } catch (error) {
    if (!(error instanceof AcmeError && error.type === 'alreadyRevoked')) throw error;
    return `The certificate of ${certificate.names.join(', ')} was revoked before`;
  }
}

function refusal(error: unknown, timedOut: string | undefined, directoryUrl: string): CertificateRefused {
  const said = timedOut ?? messageOf(error);
  return new CertificateRefused(`Certificate authority ${new URL(directoryUrl).host}: ${said}`, {
    retryAt: error instanceof CertificateRefused ? error.retryAt : undefined,
    cause: error,
  });
}
