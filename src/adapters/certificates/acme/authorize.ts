import { poll } from '../../../lib/concurrency/poll.ts';
import { messageOf } from '../../../lib/errors.ts';
import { CertificateRefused } from '../certificates.ts';
import { type Authorization, authorizationSchema, type Challenge, type Order, parsedAnswer } from './messages.ts';
import { AcmeError, describeProblem, retryRequest, typeOf } from './problem.ts';
import type { Session } from './session.ts';

/** Some authorities validate once per request, and leave the challenge pending with the error. */
const maxAttempts = 3;

/**
 * Proves to the authority that a name is ours, by HTTP-01. Always removes the answer to the challenge.
 * @throws AcmeError in the authority's words, with the name
 */
export async function authorize(session: Session, order: Order, url: string): Promise<void> {
  const authorization = await readAuthorization(session, order, url);
  const name = authorization.identifier.value;
  if (authorization.status === 'valid') {
    session.log(`${name}: proved before`);
    return;
  }
  const challenge = authorization.challenges.find(({ type }) => type === 'http-01');
  const { token } = challenge ?? {};
  if (authorization.status !== 'pending' || !challenge || token === undefined) throw refusedFor(authorization);

  const { client, challenges, signal, log } = session;
  const answer = await client.getChallengeKeyAuthorization({ ...rawChallenge(challenge), token });
  try {
    await layDown(session, name, token, answer);
    const hindrance = await session.reachable?.(name, token, answer, signal);
    if (hindrance !== undefined) throw new CertificateRefused(`${name}: ${hindrance}`);
    log(`${name}: the authority asks http://${name}/.well-known/acme-challenge/${token}`);
    await validate(session, order, url, challenge);
    log(`${name}: proved`);
  } finally {
    await challenges
      .remove(token)
      .catch((error: unknown) => log(`${name}: the answer to the challenge could not be removed: ${messageOf(error)}`));
  }
}

async function layDown({ challenges }: Session, name: string, token: string, answer: string): Promise<void> {
  try {
    await challenges.put(token, answer);
  } catch (error) {
    const said = `${name}: the answer to the challenge could not be stored: ${messageOf(error)}`;
    throw new CertificateRefused(said, { cause: error });
  }
}

async function validate(session: Session, order: Order, url: string, challenge: Challenge): Promise<void> {
  const { client, limits, signal } = session;
  const request = (): Promise<unknown> =>
    retryRequest(() => client.completeChallenge(rawChallenge(challenge)), session);
  await request();
  let looks = 1;
  await poll(
    async () => {
      const now = await readAuthorization(session, order, url);
      if (now.status === 'valid') return now;
      const seen = now.challenges.find((one) => one.url === challenge.url);
      // Some leave the authorization pending after its challenge has failed for good.
      if (now.status !== 'pending' || seen?.status === 'invalid') throw refusedFor(now);
      if (seen?.status !== 'pending' || !seen.error) return undefined;
      if (looks >= maxAttempts) throw refusedFor(now);
      looks += 1;
      await request();
      return undefined;
    },
    { intervalMs: limits.pollMs, signal },
  );
}

async function readAuthorization(session: Session, order: Order, url: string): Promise<Authorization> {
  const { client } = session;
  // acme-client reads the authorizations of an order only: one order, one authorization.
  const one = { ...order, authorizations: [url], identifiers: [] } as unknown as Parameters<
    typeof client.getAuthorizations
  >[0];
  const [answer] = await retryRequest(() => client.getAuthorizations(one), session);
  return parsedAnswer(authorizationSchema, answer, 'authorization');
}

/** The library's type of a challenge, of which it uses these fields. */
function rawChallenge(challenge: Challenge): Parameters<Session['client']['completeChallenge']>[0] {
  return { ...challenge, token: challenge.token ?? '' } as Parameters<Session['client']['completeChallenge']>[0];
}

function refusedFor({ identifier, status, challenges }: Authorization): AcmeError {
  const errors = challenges.flatMap(({ error }) => (error ? [error] : []));
  const [first] = errors;
  if (first) {
    const said = errors.map(describeProblem).join('; ');
    return new AcmeError(`${identifier.value}: ${said}`, { type: first.type ? typeOf(first.type) : undefined });
  }
  const offered = challenges.map(({ type }) => type).join(', ') || 'none';
  return new AcmeError(
    status === 'pending'
      ? `${identifier.value}: the authority offers no http-01 challenge (offered: ${offered})`
      : `${identifier.value}: the authorization is ${status}`,
  );
}
