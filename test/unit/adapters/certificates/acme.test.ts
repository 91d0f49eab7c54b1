import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, createServer, rootCertificates } from 'node:tls';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import type { Certificate } from '../../../../src/adapters/certificates/certificates.ts';
import { type AcmeServer, startAcmeServer } from '../../../harness/proxy/acme-server.ts';
import { claimPort80 } from '../../../harness/proxy/port-80.ts';
import { freePort } from '../../../harness/servers/ports.ts';
import { type AcmeWorld, acmeWorld, serveChallenges } from './acme-world.ts';

const names = ['app.tenantry-test.example', 'api.tenantry-test.example'];
const [app = '', api = ''] = names;

let port80: Awaited<ReturnType<typeof claimPort80>> | undefined;
let server: AcmeServer;
let web: Awaited<ReturnType<typeof serveChallenges>> | undefined;

beforeAll(async () => {
  port80 = await claimPort80();
  await port80.pointHere(names);
  server = await startAcmeServer();
});

afterEach(async () => {
  await web?.stop();
  web = undefined;
});

afterAll(async () => {
  await server?.stop();
  await port80?.release();
});

function world(key?: string, caBundle: string | undefined = server.rootCertificate): AcmeWorld {
  return acmeWorld({ directoryUrl: server.directoryUrl, caBundle }, key);
}

async function obtainOne({ authority, work }: AcmeWorld): Promise<Certificate> {
  const [certificate, ...others] = await authority.obtain(names, work());
  expect(others).toEqual([]);
  if (!certificate) throw new Error('No certificate');
  return certificate;
}

const accountOf = ({ lines }: AcmeWorld): string | undefined => lines.find((line) => line.startsWith('Account '));

describe('a real authority', () => {
  test('issues one certificate for both names that a client which trusts the authority accepts', async () => {
    const mine = world();
    web = await serveChallenges((_, token) => mine.answers.get(token));
    const certificate = await obtainOne(mine);

    expect([...certificate.names].sort()).toEqual([...names].sort());
    expect(certificate.issuer).toContain('Caddy Local Authority');
    const leaf = new X509Certificate(certificate.chain);
    expect(leaf.publicKey.asymmetricKeyDetails?.namedCurve).toBe('prime256v1');
    // Each name was validated, and no answer is left behind.
    expect(web.asked.map((line) => line.split(' ')[0]).sort()).toEqual([...names].sort());
    expect([mine.laid.length, mine.answers.size]).toEqual([2, 0]);
    expect(mine.lines.join('\n')).not.toContain('PRIVATE KEY');

    const tls = createServer({ cert: certificate.chain, key: certificate.privateKey }).listen(0, '127.0.0.1');
    await once(tls, 'listening');
    const { port } = tls.address() as { port: number };
    for (const servername of names) {
      const socket = connect({ host: '127.0.0.1', port, servername, ca: server.rootCertificate });
      await once(socket, 'secureConnect');
      expect(socket.authorized).toBe(true);
      socket.destroy();
    }
    tls.close();
  });

  test('renews with a new certificate and a new key under the same account', async () => {
    const mine = world();
    web = await serveChallenges((_, token) => mine.answers.get(token));
    const [first, second] = [await obtainOne(mine), await obtainOne(mine)];
    expect(second.fingerprint).not.toBe(first.fingerprint);
    expect(second.privateKey).not.toBe(first.privateKey);
    expect(mine.lines.filter((line) => line.startsWith('Account '))).toHaveLength(1);
    expect(mine.account.saves).toBe(1);
  });

  test('finds the account again after a manager restart', async () => {
    const before = world();
    web = await serveChallenges((_, token) => before.answers.get(token) ?? after.answers.get(token));
    await obtainOne(before);
    const after = world(before.account.key);
    await obtainOne(after);
    expect(accountOf(after)).toBe(accountOf(before));
    expect(after.account.saves).toBe(0);
    // Another key is another account.
    const other = world();
    await other.authority.obtain(names, other.work()).catch(() => undefined);
    expect(accountOf(other)).not.toBe(accountOf(before));
  });

  test('concurrent orders share one account', async () => {
    const mine = world();
    web = await serveChallenges((_, token) => mine.answers.get(token));
    const all = await Promise.all(Array.from({ length: 5 }, () => obtainOne(mine)));
    expect(new Set(all.map(({ fingerprint }) => fingerprint)).size).toBe(5);
    expect(mine.lines.filter((line) => line.startsWith('Account '))).toHaveLength(1);
    expect([mine.account.saves, mine.answers.size]).toEqual([1, 0]);
  });

  test('revokes; ignores certificates that are revoked already, also after a restart; skips expired ones', async () => {
    const mine = world();
    web = await serveChallenges((_, token) => mine.answers.get(token));
    const certificate = await obtainOne(mine);
    await mine.authority.revoke(certificate, mine.work());
    const [said] = mine.lines.slice(-1);
    expect(said).toMatch(/^Revoked the certificate of/);
    const after = world(mine.account.key);
    await after.authority.revoke(certificate, after.work());
    expect(after.lines.at(-1)).toMatch(/was revoked before$/);
    const stranger = world();
    await expect(stranger.authority.revoke(certificate, stranger.work())).rejects.toMatchObject({
      name: 'CertificateRefused',
    });
    await after.authority.revoke({ ...certificate, notAfter: new Date(0) }, after.work());
    expect(after.lines.at(-1)).toContain('has expired');
  });

  test('rejects a name that answers something else with the authority’s words; reports the other name as validated', async () => {
    const mine = world();
    web = await serveChallenges((host, token) => (host === app ? mine.answers.get(token) : 'something else'));
    await expect(mine.authority.obtain(names, mine.work())).rejects.toMatchObject({
      name: 'CertificateRefused',
      message: `Certificate authority ${new URL(server.directoryUrl).host}: ${api}: The server will not issue certificates for the identifier (rejectedIdentifier)`,
    });
    expect(mine.lines).toContain(`${app}: proved`);
    expect([mine.laid.length, mine.answers.size]).toEqual([2, 0]);
  });

  test('reports both names as unreachable; the next order succeeds', async () => {
    const mine = world();
    await expect(mine.authority.obtain(names, mine.work())).rejects.toThrow(
      new RegExp(`(${app}|${api}): .*\\(connection\\); (${app}|${api}): .*\\(connection\\)$`),
    );
    expect(mine.answers.size).toBe(0);
    web = await serveChallenges((_, token) => mine.answers.get(token));
    await obtainOne(mine);
  });

  test('a cancelled order ends with the reason and leaves no answer behind', async () => {
    const abort = new AbortController();
    const reason = new Error('called off');
    const mine = world();
    web = await serveChallenges((_, token) => {
      abort.abort(reason);
      return mine.answers.get(token);
    });
    await expect(mine.authority.obtain(names, mine.work(abort.signal))).rejects.toBe(reason);
    expect(mine.laid.length).toBeGreaterThan(0);
    expect(mine.answers.size).toBe(0);
  });
});

describe('the connection to the authority', () => {
  test('trusts its own CA bundle only, even while others trust another', async () => {
    const [mine, wrong, system] = [world(), world(undefined, rootCertificates[0]), world()];
    const trusting = acmeWorld({ directoryUrl: server.directoryUrl, caBundle: undefined });
    web = await serveChallenges((_, token) => mine.answers.get(token) ?? system.answers.get(token));
    const [good, other, bad, none] = await Promise.allSettled(
      [mine, system, wrong, trusting].map((one) => one.authority.obtain(names, one.work())),
    );
    expect([good?.status, other?.status]).toEqual(['fulfilled', 'fulfilled']);
    expect(String((bad as PromiseRejectedResult).reason)).toMatch(
      /its TLS certificate is not trusted \(.*\): ACME_CA_FILE does not hold the root certificate it is signed by$/,
    );
    expect(String((none as PromiseRejectedResult).reason)).toMatch(/is not trusted .* by ACME_CA_FILE$/);
  });

  test('ignores a proxy set in the environment', async () => {
    const mine = world();
    web = await serveChallenges((_, token) => mine.answers.get(token));
    const before = { ...process.env };
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    Object.assign(process.env, {
      HTTPS_PROXY: nowhere,
      https_proxy: nowhere,
      HTTP_PROXY: nowhere,
      http_proxy: nowhere,
    });
    try {
      await obtainOne(mine);
    } finally {
      process.env = before;
    }
  });

  test('reports another address of the same server as not an ACME directory', async () => {
    const { origin } = new URL(server.directoryUrl);
    const mine = acmeWorld({ directoryUrl: `${origin}/`, caBundle: server.rootCertificate });
    await expect(mine.authority.obtain(names, mine.work())).rejects.toThrow('the response is not an ACME directory');
  });

  test('reports a lost connection; the account is still valid when the authority returns', async () => {
    const mine = world();
    const own = await startAcmeServer();
    await own.stop();
    const away = acmeWorld({ directoryUrl: own.directoryUrl, caBundle: own.rootCertificate }, mine.account.key);
    await expect(away.authority.obtain(names, away.work())).rejects.toThrow(
      'it cannot be reached: connect ECONNREFUSED',
    );
    expect(away.laid).toEqual([]);

    const back = await startAcmeServer({ port: Number(new URL(own.directoryUrl).port) });
    try {
      const again = acmeWorld({ directoryUrl: back.directoryUrl, caBundle: back.rootCertificate }, away.account.key);
      web = await serveChallenges((_, token) => again.answers.get(token));
      await obtainOne(again);
      expect(again.account.saves).toBe(0);
    } finally {
      await back.stop();
    }
  });
});

test('host names are in /etc/hosts with our mark while the port is in use', async () => {
  const lines = (await readFile('/etc/hosts', 'utf8')).split('\n').filter((line) => line.endsWith('# tenantry-test'));
  expect(lines).toEqual(names.map((name) => `127.0.0.1 ${name} # tenantry-test`));
});
