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
  test('reports the facts of the leaf certificate', async () => {
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

  test('names an issuer without a common name by its organization', async () => {
    const root = await issue({ subject: 'O=Testers', ca: true });
    const leaf = await issue({ names, by: root });
    expect(readCertificate(leaf.pem, leaf.key).issuer).toBe('Testers');
  });

  test('drops text around the PEM blocks', async () => {
    const leaf = await issue({ names });
    const noise = 'Bag Attributes\n}; include /etc/passwd;\n';
    const read = readCertificate(noise + leaf.pem.replaceAll('\n', '\r\n') + leaf.key + noise, noise + leaf.key);
    expect(read.chain).toBe(new X509Certificate(leaf.pem).toString());
    expect(read.privateKey).not.toContain('include');
  });

  test.each([1024, 2048])('accepts or rejects an RSA key of %i bits', async (bits) => {
    const leaf = await issue({ names, kind: rsa(bits) });
    const read = () => readCertificate(leaf.pem, leaf.key);
    if (bits < 2048) expect(read).toThrow('the certificate has an RSA key of 1024 bits; at least 2048 are needed');
    else expect(read().names).toEqual(names);
  });

  test('names the position of a weak key in the chain', async () => {
    const root = await issue({ subject: 'CN=Weak root', ca: true, kind: rsa(1024) });
    const leaf = await issue({ names, by: root, kind: rsa(2048) });
    expect(() => readCertificate(leaf.pem + root.pem, leaf.key)).toThrow(
      'certificate 2 of the chain has an RSA key of 1024',
    );
  });

  test('accepts a SHA-1 signature only on a root, where it does not matter', async () => {
    const root = await issue({ names, subject: 'CN=Old root', ca: true, kind: rsa(2048, 'SHA-1') });
    const leaf = await issue({ names, by: root, kind: rsa(2048) });
    expect(readCertificate(root.pem, root.key).issuer).toBe('Old root');
    expect(() => readCertificate(leaf.pem + root.pem, leaf.key)).toThrow(/^the certificate is signed with .*sha1/i);
  });

  test('rejects a chain that is out of order or has an unrelated certificate', async () => {
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
  ])('rejects %s as a certificate', async (_, pem, reason) => {
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
  ])('rejects %s as a private key', async (_, made, reason) => {
    const leaf = await issue({ names });
    const key = made(leaf.key);
    expect(() => readCertificate(leaf.pem, key)).toThrow(reason);
  });
});

describe('using a certificate', () => {
  const now = new Date('2026-06-01T00:00:00Z');
  const facts = { names, notBefore: new Date(now.getTime() - dayMs), notAfter: new Date(now.getTime() + dayMs) };

  test('accepts it within its dates and for its names', () => {
    expect(() => checkUse(facts, { names: ['app.example.org', 'x.api.example.org'], now })).not.toThrow();
  });

  test.each([
    ['expired', { ...facts, notAfter: now }, 'it expired at 2026-06-01T00:00:00.000Z'],
    ['not yet valid', { ...facts, notBefore: facts.notAfter }, 'it is valid only from 2026-06-02T00:00:00.000Z on'],
    ['for another', { ...facts, names: ['b.example.org'] }, 'it is not for app.example.org but for b.example.org'],
    ['without names', { ...facts, names: [] }, 'but for no host name'],
  ])('rejects it: %s', (_, certificate, reason) => {
    expect(() => checkUse(certificate, { names: ['app.example.org'], now })).toThrow(reason);
  });

  test('accepts an issue date slightly in the future', () => {
    const ahead = { ...facts, notBefore: new Date(now.getTime() + 60_000) };
    expect(() => checkUse(ahead, { names: [], now })).not.toThrow();
  });

  test('matches names as OpenSSL does', async () => {
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

  test('validates host names', () => {
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
