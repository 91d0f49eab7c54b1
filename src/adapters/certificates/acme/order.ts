import { poll } from '../../../lib/concurrency/poll.ts';
import { messageOf } from '../../../lib/errors.ts';
import { type Certificate, CertificateRefused } from '../certificates.ts';
import { checkUse, readCertificate } from '../read-certificate.ts';
import { newPrivateKey } from './account.ts';
import { authorize } from './authorize.ts';
import { type Order, orderSchema, parsedAnswer } from './messages.ts';
import { AcmeError, describeProblem, retryRequest } from './problem.ts';
import type { Session } from './session.ts';
import { loadAcmeClient } from './transport.ts';

type RawOrder = Parameters<Session['client']['getOrder']>[0];

/** One certificate for all names with a key of its own (RFC 8555, 7.4): placed, proved, finalized, fetched, checked. */
export async function orderCertificate(session: Session, names: readonly string[]): Promise<Certificate> {
  const { client } = session;
  const identifiers = names.map((value) => ({ type: 'dns', value }));
  const placed = parsedAnswer(
    orderSchema,
    await retryRequest(() => client.createOrder({ identifiers }), session),
    'order',
  );
  session.log(`Ordered a certificate for ${names.join(', ')}`);

  await proveAll(session, placed);
  const ready = await untilState(session, placed, 'ready');
  const privateKey = await newPrivateKey();
  const { crypto } = await loadAcmeClient();
  const [, request] = await crypto.createCsr({ altNames: [...names] }, privateKey);
  if (ready.status === 'ready') await finalize(session, ready, request);
  const valid = await untilState(session, ready, 'valid');
  const chain = await retryRequest(() => client.getCertificate(valid as unknown as RawOrder), session);
  const certificate = readCertificate(String(chain), privateKey);
  checkUse(certificate, { names, now: session.clock.now() });
  return certificate;
}

/** Validates all names concurrently; one error reports all failures. */
async function proveAll(session: Session, order: Order): Promise<void> {
  const results = await Promise.allSettled(order.authorizations.map((url) => authorize(session, order, url)));
  session.signal.throwIfAborted();
  const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
  if (reasons.length === 0) return;
  const pauses = reasons.map((reason) => (reason instanceof CertificateRefused ? reason.retryAt?.getTime() : 0) ?? 0);
  const last = Math.max(...pauses);
  throw new CertificateRefused(reasons.map(messageOf).join('; '), {
    retryAt: last > 0 ? new Date(last) : undefined,
    cause: reasons[0],
  });
}

/** When a retry follows a lost answer, the authority reports that the order is no longer ready: it was finalized. */
async function finalize(session: Session, order: Order, request: Buffer): Promise<void> {
  try {
    await retryRequest(() => session.client.finalizeOrder(order as unknown as RawOrder, request), session);
  } catch (error) {
    if (!(error instanceof AcmeError && error.type === 'orderNotReady')) throw error;
  }
}

/** Waits until the order has this state (`valid` comes after `ready`). */
async function untilState(session: Session, order: Order, state: 'ready' | 'valid'): Promise<Order> {
  const { client, limits, signal } = session;
  const request = (): Promise<Order> =>
    retryRequest(() => client.getOrder(order as unknown as RawOrder), session).then((answer) =>
      parsedAnswer(orderSchema, answer, 'order'),
    );
  return poll(
    async () => {
      const now = await request();
      if (now.status === 'invalid')
        throw new AcmeError(now.error ? describeProblem(now.error) : 'the order is invalid, without a reason');
      return now.status === state || now.status === 'valid' ? now : undefined;
    },
    { intervalMs: limits.pollMs, signal },
  );
}
