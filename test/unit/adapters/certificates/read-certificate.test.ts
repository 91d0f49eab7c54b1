import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CertificateRefused } from '../../../../src/adapters/certificates/certificates.ts';
import { covers, isHostName } from '../../../../src/adapters/certificates/host-name.ts';
import { checkUse, readCertificate } from '../../../../src/adapters/certificates/read-certificate.ts';
import { dayMs, issue, rsa } from './issue.ts';

const names = ['app.example.org', '*.api.example.org'];

async function chain() {
  const root = await issue({ subject: 'CN=Test root', ca: true });
  const middle = await issue({ subject: 'CN=Test middle, O=Testers', ca: true, by: root });
  const leaf = await issue({ names, by: middle });
  return { root, middle, leaf };
}

describe('reading a certificate', () => {
  test('its facts are those of the leaf', async () => {
    const { root, middle, leaf } = await chain();
    const read = readCertificate(leaf.pem + middle.pem + root.pem, leaf.key);
    const native = new X509Certificate(leaf.pem);
    expect(read).toMatchObject({
      names,
      issuer: 'Test middle',
      notBefore: native.validFromDate,
      notAfter: native.validToDate,
      fingerprint: native.fingerprint256.replaceAll(':', '').toLowerCase(),
    });
    expect(read.chain.match(/BEGIN CERTIFICATE/g)).toHaveLength(3);
    expect(createPrivateKey(read.privateKey).equals(createPrivateKey(leaf.key))).toBe(true);
  });

  test('an issuer without a common name is called by its organization', async () => {
    const root = await issue({ subject: 'O=Testers', ca: true });
    const leaf = await issue({ names, by: root });
    expect(readCertificate(leaf.pem, leaf.key).issuer).toBe('Testers');
  });

  test('what is around the blocks is not handed on', async () => {
    const leaf = await issue({ names });
    const noise = 'Bag Attributes\n}; include /etc/passwd;\n';
    const read = readCertificate(noise + leaf.pem.replaceAll('\n', '\r\n') + leaf.key + noise, noise + leaf.key);
    expect(read.chain).toBe(new X509Certificate(leaf.pem).toString());
    expect(read.privateKey).not.toContain('include');
  });

  test.each([1024, 2048])('an RSA key of %i bits', async (bits) => {
    const leaf = await issue({ names, kind: rsa(bits) });
    const read = () => readCertificate(leaf.pem, leaf.key);
    if (bits < 2048) expect(read).toThrow('the certificate has an RSA key of 1024 bits; at least 2048 are needed');
    else expect(read().names).toEqual(names);
  });

  test('a weak key further up the chain is named by its place', async () => {
    const root = await issue({ subject: 'CN=Weak root', ca: true, kind: rsa(1024) });
    const leaf = await issue({ names, by: root, kind: rsa(2048) });
    expect(() => readCertificate(leaf.pem + root.pem, leaf.key)).toThrow(
      'certificate 2 of the chain has an RSA key of 1024',
    );
  });

  test('a signature with SHA-1 is borne with only on a root, whose signature counts for nothing', async () => {
    const root = await issue({ names, subject: 'CN=Old root', ca: true, kind: rsa(2048, 'SHA-1') });
    const leaf = await issue({ names, by: root, kind: rsa(2048) });
    expect(readCertificate(root.pem, root.key).issuer).toBe('Old root');
    expect(() => readCertificate(leaf.pem + root.pem, leaf.key)).toThrow(/^the certificate is signed with .*sha1/i);
  });

  test('a chain out of order or with a stranger in it is refused', async () => {
    const { root, middle, leaf } = await chain();
    const stranger = await issue({ subject: 'CN=Test middle, O=Testers', ca: true });
    const renamed = await issue({ subject: 'CN=Another name of its key', ca: true, keys: middle.keys });
    expect(() => readCertificate(leaf.pem + renamed.pem, leaf.key)).toThrow('is not signed by certificate 2');
    expect(() => readCertificate(leaf.pem + root.pem + middle.pem, leaf.key)).toThrow(
      'the certificate is not signed by certificate 2 of the chain',
    );
    expect(() => readCertificate(leaf.pem + stranger.pem, leaf.key)).toThrow('is not signed by certificate 2');
    expect(() => readCertificate(leaf.pem + middle.pem + leaf.pem, leaf.key)).toThrow(
      'certificate 2 of the chain is not signed by certificate 3',
    );
    expect(() => readCertificate(middle.pem + leaf.pem, leaf.key)).toThrow(
      'the private key is not that of the certificate',
    );
  });

  test.each([
    ['nothing', '', 'no PEM certificate'],
    ['DER', '\u0030\u0082\u0001', 'no PEM certificate'],
    [
      'a damaged block',
      '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n',
      'the certificate cannot be read',
    ],
    ['a huge text', 'x'.repeat(300 * 1024), 'larger than 256 KiB'],
    ['too many', '-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n'.repeat(11), 'more than 10 certificates'],
  ])('%s is no certificate', async (_, pem, reason) => {
    const { key } = await issue({ names });
    expect(() => readCertificate(pem, key)).toThrow(reason);
    expect(() => readCertificate(pem, key)).toThrow(CertificateRefused);
  });

  test.each([
    ['nothing', () => '', 'no PEM private key'],
    [
      'a damaged key',
      () => '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n',
      'the private key cannot be read',
    ],
    [
      'a key under a passphrase',
      (pem: string) =>
        createPrivateKey(pem)
          .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
          .toString(),
      'protected by a passphrase',
    ],
    [
      'a key under a passphrase, the old way',
      (pem: string) =>
        createPrivateKey(pem)
          .export({ type: 'sec1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' })
          .toString(),
      'protected by a passphrase',
    ],
  ])('%s is no private key', async (_, made, reason) => {
    const leaf = await issue({ names });
    const key = made(leaf.key);
    expect(() => readCertificate(leaf.pem, key)).toThrow(reason);
  });
});

describe('using a certificate', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  const facts = { names, notBefore: new Date(now.getTime() - dayMs), notAfter: new Date(now.getTime() + dayMs) };

  test('within its dates and for its names', () => {
    expect(() => checkUse(facts, { names: ['app.example.org', 'x.api.example.org'], now })).not.toThrow();
  });

  test.each([
    ['expired', { ...facts, notAfter: now }, 'it expired at 2026-06-01T00:00:00.000Z'],
    ['not yet valid', { ...facts, notBefore: facts.notAfter }, 'it is valid only from 2026-06-02T00:00:00.000Z on'],
    ['for another', { ...facts, names: ['b.example.org'] }, 'it is not for app.example.org but for b.example.org'],
    ['without names', { ...facts, names: [] }, 'but for no host name'],
  ])('%s: refused', (_, certificate, reason) => {
    expect(() => checkUse(certificate, { names: ['app.example.org'], now })).toThrow(reason);
  });

  test('an authority whose clock is a little ahead is borne with', () => {
    const ahead = { ...facts, notBefore: new Date(now.getTime() + 60_000) };
    expect(() => checkUse(ahead, { names: [], now })).not.toThrow();
  });

  test('names are covered as OpenSSL has it', async () => {
    const patterns = ['example.org', '*.example.org', 'App.Example.org', '*.a.example.org', 'a.b.example.org'];
    const certificates = await Promise.all(
      patterns.map(async (name) => new X509Certificate((await issue({ names: [name] })).pem)),
    );
    const label = fc.constantFrom('a', 'b', 'app', 'example', 'org', '*');
    fc.assert(
      fc.property(
        fc.nat({ max: patterns.length - 1 }),
        fc.array(label, { minLength: 1, maxLength: 3 }),
        (index, labels) => {
          const host = [...labels, 'example', 'org'].join('.').replaceAll('*', 'x-y');
          const pattern = patterns[index] ?? '';
          const theirs = certificates[index]?.checkHost(host, { subject: 'never', partialWildcards: false });
          expect({ pattern, host, covers: covers({ names: [pattern] }, host) }).toEqual({
            pattern,
            host,
            covers: theirs !== undefined,
          });
        },
      ),
    );
    expect(covers({ names: ['*.example.org'] }, 'example.org')).toBe(false);
    expect(covers({ names: ['example.org'] }, 'example.org')).toBe(true);
    expect(covers({ names: ['*'] }, 'org')).toBe(false);
    expect(covers({ names: ['*.example.org'] }, '.example.org')).toBe(false);
  });

  test('host names', () => {
    const good = ['a.b', 'app.example.org', 'xn--mnchen-3ya.de', '1.example.org', `${'a'.repeat(63)}.org`];
    const bad = [
      '',
      'a',
      '.a.b',
      'a.b.',
      'A.b',
      'a..b',
      '-a.b',
      'a-.b',
      'a_b.c',
      '*.b.c',
      '../x.y',
      'a.b/c',
      'a.b\n',
      `${'a'.repeat(64)}.org`,
    ];
    expect(good.filter((name) => !isHostName(name))).toEqual([]);
    expect(bad.filter(isHostName)).toEqual([]);
  });
});
