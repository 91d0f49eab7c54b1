import { describe, expect, test } from '@jest/globals';
import { nonPublicKind } from '../../../../src/lib/ip-address.ts';
import { addressRule, webAddress } from '../../../../src/lib/outbound-http/address.ts';

const strict = addressRule({ allowPrivate: false });
const open = addressRule({ allowPrivate: true });

describe('Internet addresses', () => {
  test.each(['1.1.1.1', '8.8.8.8', '93.184.216.34', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450:4001::1'])(
    '%s is public',
    (address) => expect(nonPublicKind(address)).toBeUndefined(),
  );

  test.each([
    ['127.0.0.1', 'loopback'],
    ['127.255.255.254', 'loopback'],
    ['::1', 'loopback'],
    ['0.0.0.0', 'unspecified'],
    ['0.1.2.3', 'unspecified'],
    ['::', 'unspecified'],
    ['10.0.0.1', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['fc00::1', 'private'],
    ['fd12:3456::1', 'private'],
    ['169.254.1.1', 'link-local'],
    ['fe80::1', 'link-local'],
    ['fe80::1%eth0', 'link-local'],
    ['169.254.169.254', 'metadata'],
    ['fd00:ec2::254', 'metadata'],
    ['100.100.100.200', 'metadata'],
    ['168.63.129.16', 'metadata'],
    ['100.64.0.1', 'carrier-grade NAT'],
    ['100.127.255.255', 'carrier-grade NAT'],
    ['224.0.0.1', 'multicast'],
    ['239.255.255.250', 'multicast'],
    ['ff02::1', 'multicast'],
    ['255.255.255.255', 'broadcast'],
    ['240.0.0.1', 'reserved'],
    ['192.0.0.8', 'reserved'],
    ['192.0.2.1', 'reserved'],
    ['198.18.0.1', 'reserved'],
    ['198.51.100.1', 'reserved'],
    ['203.0.113.1', 'reserved'],
    ['::ffff:127.0.0.1', 'IPv4-mapped'],
    ['::ffff:8.8.8.8', 'IPv4-mapped'],
    ['::ffff:0:127.0.0.1', 'IPv4-translated'],
    ['64:ff9b::7f00:1', 'NAT64'],
    ['64:ff9b:1::a00:1', 'NAT64'],
    ['2002:7f00:1::', '6to4'],
    ['2002:a9fe:a9fe::1', '6to4'],
    ['2001:0:4136:e378:8000:63bf:3fff:fdd2', 'Teredo'],
    ['2001:db8::1', 'reserved'],
    ['3fff::1', 'reserved'],
  ])('%s is not: %s', (address, kind) => expect(nonPublicKind(address)).toBe(kind));

  test.each(['::127.0.0.1', 'fec0::1', '100::1', '5f00::1', '2001:20::1', '2001:2::1', '4000::1', '', 'x', '1.2.3'])(
    '%s is not',
    (address) => expect(nonPublicKind(address)).toBeDefined(),
  );
});

describe('web addresses', () => {
  test.each([
    ['https://example.org', 'https://example.org/'],
    ['  http://example.org/a?b=c#d ', 'http://example.org/a?b=c'],
    ['https://münchen.example/', 'https://xn--mnchen-3ya.example/'],
    ['https://example.org:443/', 'https://example.org/'],
    ['http://8.8.8.8/', 'http://8.8.8.8/'],
    ['http://[2606:4700::1111]/', 'http://[2606:4700::1111]/'],
  ])('requests %s as %s', (text, href) => expect(webAddress(text, strict).href).toBe(href));

  test.each([
    '',
    'example.org',
    '/path',
    'http://',
    'https://exa mple.org',
    'ftp://example.org/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'gopher://example.org:70/',
    'http://user@example.org/',
    'http://user:password@example.org/',
    'http://:password@example.org/',
    `https://example.org/${'a'.repeat(2_000)}`,
  ])('rejects %j', (text) => {
    expect(() => webAddress(text, open)).toThrow(expect.objectContaining({ problem: 'bad_address' }));
  });

  test('says what is missing in an address without a scheme', () => {
    expect(() => webAddress('example.org', open)).toThrow(
      '"example.org" is no web address: it does not begin with http:// or https://',
    );
  });

  test('does not repeat a password of an address', () => {
    expect(() => webAddress('http://user:hunter22@example.org/', open)).toThrow(/^(?!.*hunter22)/);
  });

  test.each([
    'http://127.0.0.1/',
    'http://127.1/',
    'http://2130706433/',
    'http://017700000001/',
    'http://0x7f000001/',
    'http://0x7f.0.0.1/',
    'http://0/',
    'http://127.0.0.1./',
    'http://１２７.０.０.１/',
    'http://①②⑦.⓪.⓪.①/',
    'http://127%2e0%2e0%2e1/',
    'http://[::1]/',
    'http://[::]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::ffff:7f00:1]/',
    'http://[64:ff9b::127.0.0.1]/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://169.254.169.254/latest/meta-data/',
    'http://2852039166/',
    'http://localhost/',
    'http://LOCALHOST./',
    'http://a.localhost/',
    'http://metadata.google.internal/',
    'http://printer.local/',
    'http://router.home.arpa/',
    'http://10.0.0.1:80/',
    'https://example.org:8443/',
    'http://example.org:22/',
  ])('%s is blocked by default, and allowed for local testing', (text) => {
    expect(() => webAddress(text, strict)).toThrow(
      expect.objectContaining({ problem: 'blocked', message: expect.stringContaining('blocked by rule') }),
    );
    expect(webAddress(text, open).href).toMatch(/^https?:/);
  });
});
