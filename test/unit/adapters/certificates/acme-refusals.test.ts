import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { connectionError } from '../../../../src/adapters/certificates/acme/transport.ts';
import { freePort } from '../../../harness/servers/ports.ts';
import { type AcmeStub, type Answer, type Asked, problem, startAcmeStub } from './acme-stub.ts';
import { acmeWorld, closed, impatient } from './acme-world.ts';

const names = ['app.tenantry-test.example', 'api.tenantry-test.example'];
const now = new Date('2026-06-01T12:00:00Z');
const clock = { now: () => now };
const account = { status: 201, headers: { location: 'http://127.0.0.1/account/1' }, body: { status: 'valid' } };

let stub: AcmeStub | undefined;
afterEach(async () => {
  await stub?.stop();
  stub = undefined;
});

/** A stub that creates accounts and answers everything else as given. */
async function stubOf(answer: (asked: Asked, stub: AcmeStub) => Answer | undefined): Promise<AcmeStub> {
  stub = await startAcmeStub((asked, self) => (asked.path === '/account' ? account : answer(asked, self)));
  return stub;
}

function worldOf({ directoryUrl }: AcmeStub, more: Partial<Parameters<typeof acmeWorld>[0]> = {}) {
  return acmeWorld({ directoryUrl, caBundle: undefined, clock, ...more });
}

/** An order of one name with the given challenge as its only one. */
const orderWith = (challenge: object, authorization: object = {}) =>
  stubOf(({ path }, { base }) => {
    if (path === '/order') {
      const body = { status: 'pending', authorizations: [`${base}/authz`], finalize: `${base}/finalize` };
      return { status: 201, headers: { location: `${base}/order/1` }, body };
    }
    const http = { type: 'http-01', status: 'pending', url: `${base}/challenge`, token: 'abc', ...challenge };
    if (path === '/challenge') return { status: 200, body: http };
    const identifier = { type: 'dns', value: names[0] };
    return { status: 200, body: { status: 'pending', identifier, challenges: [http], ...authorization } };
  });

describe('rate limits', () => {
  test.each([
    ['seconds', { 'retry-after': '5400' }, '2026-06-01T13:30:00.000Z'],
    ['a date', { 'retry-after': 'Tue, 02 Jun 2026 00:00:00 GMT' }, '2026-06-02T00:00:00.000Z'],
    ['nothing', {}, '2026-06-01T13:00:00.000Z'],
    ['nonsense', { 'retry-after': 'later' }, '2026-06-01T13:00:00.000Z'],
    ['absurdity', { 'retry-after': '99999999999999999999' }, '2026-07-02T12:00:00.000Z'],
  ])('are reported with the retry time and respected (Retry-After: %s)', async (_, headers, retryAt) => {
    const { paths, ...server } = await stubOf(() => ({
      status: 429,
      headers: headers as Record<string, string>,
      body: problem('rateLimited', 'too many certificates already issued'),
    }));
    const world = worldOf({ paths, ...server });
    await expect(world.authority.obtain(names, world.work())).rejects.toMatchObject({
      name: 'CertificateRefused',
      message: `Certificate authority ${new URL(server.base).host}: too many certificates already issued (rateLimited)`,
      retryAt: new Date(retryAt),
    });
    expect(paths()).toEqual(['/account', '/order']);
  });

  test('are recognized with another status code', async () => {
    const world = worldOf(await stubOf(() => ({ status: 403, body: problem('rateLimited', 'slow down') })));
    await expect(world.authority.obtain(names, world.work())).rejects.toMatchObject({
      retryAt: new Date(now.getTime() + 3_600_000),
    });
  });
});

describe('rejections', () => {
  test('are reported in the authority’s own words, for each host name', async () => {
    const world = worldOf(
      await stubOf(() => ({
        status: 403,
        body: problem('rejectedIdentifier', 'Some of the identifiers\nwere\u001b[2J rejected', {
          subproblems: [
            { ...problem('malformed', 'Invalid underscore'), identifier: { type: 'dns', value: names[0] } },
            { ...problem('caa', 'CAA forbids it'), identifier: { type: 'dns', value: names[1] } },
          ],
        }),
      })),
    );
    await expect(world.authority.obtain(names, world.work())).rejects.toMatchObject({
      message: expect.stringMatching(
        new RegExp(
          `: Some of the identifiers were \\[2J rejected \\(rejectedIdentifier\\); ${names[0]}: Invalid underscore \\(malformed\\); ${names[1]}: CAA forbids it \\(caa\\)$`,
        ),
      ),
      retryAt: undefined,
    });
  });

  test('retries an overloaded authority three times in all, signing each request again, then reports its answer', async () => {
    const server = await stubOf(() => ({ status: 503, body: 'busy' }));
    const world = worldOf(server);
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow('answered with HTTP status 503');
    expect(server.paths()).toEqual(['/account', '/order', '/order', '/order']);
  });

  test('waits as long as an overloaded authority asks', async () => {
    const server = await stubOf(() => ({
      status: 503,
      headers: { 'retry-after': '120' },
      body: problem('serverInternal', 'busy'),
    }));
    const world = worldOf(server);
    await expect(world.authority.obtain(names, world.work())).rejects.toMatchObject({
      retryAt: new Date(now.getTime() + 120_000),
    });
    expect(server.paths()).toEqual(['/account', '/order']);
  });

  test('registers the account again, once, if the authority has forgotten it', async () => {
    const server = await stubOf(() => ({ status: 400, body: problem('accountDoesNotExist', 'who?') }));
    const world = worldOf(server);
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow('who? (accountDoesNotExist)');
    expect(server.paths()).toEqual(['/account', '/order', '/account', '/order']);
    expect(world.account.saves).toBe(1);
  });

  test('never publishes a token that is not base64url', async () => {
    const world = worldOf(await orderWith({ token: '../../etc/passwd' }));
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow(
      'its authorization cannot be parsedAnswer (challenges.0.token',
    );
    expect(world.laid).toEqual([]);
  });

  test('tries a pending challenge with an error three times, then reports it', async () => {
    const server = await orderWith({ error: problem('connection', 'Connection refused') });
    const world = worldOf(server);
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow(
      `${names[0]}: Connection refused (connection)`,
    );
    expect(server.paths().filter((path) => path === '/challenge')).toHaveLength(3);
    expect([world.laid, world.answers.size]).toEqual([['abc'], 0]);
  });

  test.each([
    [{ type: 'dns-01' }, {}, `${names[0]}: the authority offers no http-01 challenge (offered: dns-01)`],
    [{}, { status: 'deactivated' }, `${names[0]}: the authorization is deactivated`],
  ])('rejects a name that cannot be validated: %j %j', async (challenge, authorization, words) => {
    const world = worldOf(await orderWith(challenge, authorization));
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow(words);
    expect(world.laid).toEqual([]);
  });

  test('does not request validation of an unreachable answer', async () => {
    const server = await orderWith({});
    const seen: unknown[] = [];
    const world = worldOf(server, {
      async reachable(name, token, answer) {
        seen.push([name, token, answer === world.answers.get(token)]);
        return 'leads to 192.0.2.1, not to this proxy';
      },
    });
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow(
      `${names[0]}: leads to 192.0.2.1, not to this proxy`,
    );
    expect(seen).toEqual([[names[0], 'abc', true]]);
    expect(server.paths()).not.toContain('/challenge');
    expect(world.answers.size).toBe(0);
  });

  test('reports a full disk while publishing answers', async () => {
    const world = worldOf(await orderWith({}), {
      challenges: {
        put: () => Promise.reject(new Error('ENOSPC: no space left on device')),
        remove: () => Promise.resolve(),
      },
    });
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow(
      `${names[0]}: the answer to the challenge could not be stored: ENOSPC`,
    );
  });
});

describe('an address that is not an ACME directory', () => {
  test.each([
    ['a web page', 200, {}, '<html>', 'the response is not an ACME directory'],
    ['other JSON', 200, {}, '{"newNonce":"x"}', 'the response is not an ACME directory'],
    ['nothing', 404, {}, 'not found', 'answered with HTTP status 404'],
    [
      'a redirection',
      301,
      { location: 'https://elsewhere.example/directory' },
      '',
      'redirects to https://elsewhere.example/directory',
    ],
  ])('%s', async (_, status, headers, body, words) => {
    const server = createServer((__, response) => void response.writeHead(status, headers).end(body));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const world = acmeWorld({ directoryUrl: `http://127.0.0.1:${port}/`, caBundle: undefined });
    try {
      await expect(world.authority.obtain(names, world.work())).rejects.toThrow(words);
    } finally {
      await closed(server);
    }
  });

  test('no listener', async () => {
    const port = await freePort();
    const world = acmeWorld({ directoryUrl: `https://127.0.0.1:${port}/directory`, caBundle: undefined });
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow(
      `Certificate authority 127.0.0.1:${port}: it cannot be reached: connect ECONNREFUSED`,
    );
  });

  test('no listener at any of its addresses', async () => {
    const port = await freePort();
    const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
    const socket = connect({ host: 'two', port, lookup: (_, __, found) => found(null, addresses) });
    const error = await new Promise((resolve) => socket.once('error', resolve));
    expect(connectionError(error, false)).toMatchObject({
      message: `it cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}; connect ECONNREFUSED 127.0.0.2:${port}`,
      transient: true,
    });
  });

  test('unknown host name', async () => {
    const world = acmeWorld({ directoryUrl: 'https://acme.invalid/directory', caBundle: undefined });
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow(
      /acme\.invalid: it cannot be reached: getaddrinfo/,
    );
  });
});

describe('an unresponsive authority', () => {
  test('cancellation closes the connection and ends all work', async () => {
    const abort = new AbortController();
    const reason = new Error('called off');
    const server = await stubOf(() => {
      abort.abort(reason);
      return undefined;
    });
    const world = worldOf(server);
    await expect(world.authority.obtain(names, world.work(abort.signal))).rejects.toBe(reason);
    await server.asked.at(-1)?.brokenOff;
    expect(server.paths()).toEqual(['/account', '/order']);
    await expect(world.authority.obtain(names, world.work(abort.signal))).rejects.toBe(reason);
    expect(server.paths()).toEqual(['/account', '/order']);
  });

  test('fails at the timeout; the message says which step was reached', async () => {
    const server = await stubOf(() => undefined);
    const world = worldOf(server, { limits: { ...impatient, orderMs: 300 } });
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow(
      'not done within 0 s; last was: Account http://127.0.0.1/account/1',
    );
    await server.asked.at(-1)?.brokenOff;
  });

  test('cancelling one caller does not cancel others that wait for the same account', async () => {
    const abort = new AbortController();
    let registrations = 0;
    stub = await startAcmeStub(({ path }) => {
      if (path !== '/account') return { status: 403, body: problem('unauthorized', 'got this far') };
      registrations += 1;
      if (registrations > 1) return account;
      abort.abort(new Error('called off'));
      return undefined;
    });
    const world = worldOf(stub);
    const first = world.authority.obtain(names, world.work(abort.signal));
    const second = world.authority.obtain(names, world.work());
    await expect(first).rejects.toThrow('called off');
    await expect(second).rejects.toThrow('got this far');
    expect(world.account.saves).toBe(1);
  });

  test.each(['at once', 'later'])(
    'a caller that waits for another’s registration can be cancelled alone, %s',
    async (when) => {
      const abort = new AbortController();
      const release = Promise.withResolvers<Answer>();
      const asked = Promise.withResolvers<void>();
      stub = await startAcmeStub(({ path }) => {
        if (path !== '/account') return { status: 403, body: problem('unauthorized', 'got this far') };
        asked.resolve();
        return release.promise;
      });
      const world = worldOf(stub);
      const first = world.authority.obtain(names, world.work());
      await asked.promise;
      const second = world.authority.obtain(names, world.work(abort.signal));
      // It is in the queue after one turn of the event loop.
      if (when === 'later') await new Promise(setImmediate);
      abort.abort(new Error('called off'));
      await expect(second).rejects.toThrow('called off');
      release.resolve(account);
      await expect(first).rejects.toThrow('got this far');
    },
  );
});

describe('the account', () => {
  test('is bound to an external account by key id and HMAC', async () => {
    const hmacKey = Buffer.from('a shared secret of the authority').toString('base64url');
    const server = await stubOf(() => ({ status: 403, body: problem('unauthorized', 'enough') }));
    const world = worldOf(server, { binding: { kid: 'kid-1', hmacKey } });
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow('enough');
    const made = server.asked.find(({ path }) => path === '/account')?.payload as {
      contact: string[];
      termsOfServiceAgreed: boolean;
      externalAccountBinding: { protected: string; payload: string; signature: string };
    };
    const { protected: header, payload, signature } = made.externalAccountBinding;
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({
      alg: 'HS256',
      kid: 'kid-1',
      url: `${server.base}/account`,
    });
    const hmac = createHmac('sha256', Buffer.from(hmacKey, 'base64url')).update(`${header}.${payload}`);
    expect(signature).toBe(hmac.digest('base64url'));
    expect(made).toMatchObject({ contact: ['mailto:operator@tenantry-test.example'], termsOfServiceAgreed: true });
  });

  test('reports a damaged key and does not replace it', async () => {
    const server = await stubOf(() => undefined);
    const world = acmeWorld({ directoryUrl: server.directoryUrl, caBundle: undefined }, 'no key');
    await expect(world.authority.obtain(names, world.work())).rejects.toThrow(
      'the saved key of the ACME account cannot be read',
    );
    expect([world.account.saves, server.asked.length]).toEqual([0, 0]);
  });

  test.each([[[]], [['no host']], [['*.example.org']]])('rejects an order for %j', async (odd) => {
    const server = await stubOf(() => undefined);
    const world = worldOf(server);
    await expect(world.authority.obtain(odd, world.work())).rejects.toMatchObject({ name: 'CertificateRefused' });
    expect(server.asked).toEqual([]);
  });
});
