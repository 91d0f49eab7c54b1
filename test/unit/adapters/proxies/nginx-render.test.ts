import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { directivesOf } from '../../../../src/adapters/proxies/nginx/config/directives.ts';
import { createNginxProxy } from '../../../../src/adapters/proxies/nginx/nginx-proxy.ts';
import type { NginxProxyOptions } from '../../../../src/adapters/proxies/nginx/options.ts';
import type { Site, SiteTls } from '../../../../src/adapters/proxies/proxy.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { makeSite } from '../../../harness/proxy/sites.ts';

const options: NginxProxyOptions = {
  run: async () => ({ exitCode: 0, output: '', timedOut: false }),
  directory: '/var/lib/tenantry/proxy',
  address: '127.0.0.1',
  httpPort: 80,
  httpsPort: 443,
  logger: createLogger({ level: 'fatal' }),
};
const proxy = createNginxProxy(options);
const render = (site: Site): string => proxy.render(site).text;

/** What nginx parses from a text: each directive with its context and number of words, without their values. */
const structureOf = (text: string): string[] =>
  directivesOf(text).map(
    ({ words, context, opens }) => `${context.join('/')} ${words[0]} ${words.length}${opens ? ' {' : ';'}`,
  );

const fingerprint = 'a'.repeat(64);
const tls: SiteTls = { kind: 'certificate', fingerprint };

describe('rendering a site for nginx', () => {
  test('can be parsed again: servers, names, upstreams', () => {
    const directives = directivesOf(render(makeSite('shop', 3000, { tls, hstsSeconds: 60 })));
    const values = (name: string): string[] =>
      directives.filter(({ words }) => words[0] === name).map(({ words }) => words.slice(1).join(' '));
    expect(values('server_name')).toEqual(['shop.example', 'shop.example', 'api.shop.example', 'api.shop.example']);
    expect(values('listen')).toEqual(['0.0.0.0:80', '0.0.0.0:443 ssl', '0.0.0.0:80', '0.0.0.0:443 ssl']);
    expect(new Set(values('proxy_pass'))).toEqual(new Set(['http://127.0.0.1:3000']));
    const base = `/var/lib/tenantry/proxy/certificates/shop/${fingerprint}`;
    expect(new Set(values('ssl_certificate'))).toEqual(new Set([`${base}.crt`]));
    expect(new Set(values('ssl_certificate_key'))).toEqual(new Set([`${base}.key`]));
    expect(values('return')).toContain('308 https://shop.example$request_uri');
    expect(values('add_header')).toContain('Strict-Transport-Security max-age=60 always');
  });

  test('resolves a named upstream for each request; an address needs no lookup', () => {
    const byName = render(makeSite('shop', 3000, { upstreamHost: 'shop-api' }));
    expect(byName).toContain('resolver 127.0.0.11 valid=1s ipv6=off;');
    expect(byName).toContain('set $tenantry_upstream shop-api;');
    expect(byName).toContain('proxy_pass http://$tenantry_upstream:3000;');
    const byAddress = render(makeSite('shop', 3000, { upstreamHost: '::1' }));
    expect(byAddress).not.toContain('resolver');
    expect(byAddress).toContain('proxy_pass http://[::1]:3000;');
  });

  test('computes the revision from everything else', () => {
    const revision = (site: Site): string | undefined => /# revision (\w{32})/.exec(render(site))?.[1];
    const site = makeSite('shop', 3000);
    const revisions = [site, makeSite('shop', 3001), makeSite('shop', 3000, { tls }), makeSite('shop2', 3000)].map(
      revision,
    );
    expect(new Set(revisions).size).toBe(4);
    expect(render(site).match(new RegExp(revision(site) ?? '-', 'g'))).toHaveLength(3);
  });

  test('includes custom ports in addresses for visitors', () => {
    const other = createNginxProxy({
      ...options,
      httpPort: 8080,
      httpsPort: 8443,
      listen: { addresses: ['0.0.0.0', '::'], httpPort: 80, httpsPort: 443 },
    });
    const { text } = other.render(makeSite('shop', 3000, { tls }));
    expect(text).toContain('return 308 https://shop.example:8443$request_uri;');
    for (const line of ['listen 0.0.0.0:80;', 'listen [::]:80;', 'listen 0.0.0.0:443 ssl;', 'listen [::]:443 ssl;']) {
      expect(text).toContain(line);
    }
  });

  test('rejects what nginx does not support', () => {
    expect(() => render(makeSite('shop', 3000, { tls: { kind: 'resolver' } }))).toThrow(/no certificates on its own/);
    const same = makeSite('shop', 3000);
    same.hosts.api.domain = 'SHOP.example';
    expect(() => render(same)).toThrow(/same name/);
    expect(() => render(makeSite('shop', 3000, { tls, hstsSeconds: 1.5 }))).toThrow(/seconds/);
    const withoutTls = createNginxProxy({ ...options, tls: false });
    expect(() => withoutTls.render(makeSite('shop', 3000, { tls }))).toThrow(/without TLS/);
  });

  test.each(['relative', '/a b', '/a;b', '/a/../b', '/a"b', '/a\nb', '/a*', '/a/$b', '/a{b}', '', '/'])(
    'rejects the directory %j',
    (directory) => {
      expect(() => createNginxProxy({ ...options, directory })).toThrow(/path/);
      expect(() => createNginxProxy({ ...options, mainConfig: directory })).toThrow(/path/);
    },
  );

  test.each(['', 'a.example', '10.0.0.0/33', '10.0.0.1/8/8', '10.0.0.0/8; evil', '2001:db8::/129', '10.0.0.1 1;'])(
    'rejects the front proxy %j',
    (address) => {
      expect(() => createNginxProxy({ ...options, frontProxies: [address] })).toThrow(/address or a subnet/);
    },
  );

  const anything = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc.stringMatching(/^[a-z0-9.;{}"'$\\# \n-]{1,20}$/),
    fc.domain(),
    fc.ipV4(),
    fc.ipV6(),
    fc.stringMatching(/^[a-z0-9-]{1,12}$/),
  );

  test('any values give the same directives or a rejection', () => {
    const tlsOf = (value: string | null): SiteTls | null =>
      value === null ? null : { kind: 'certificate', fingerprint: value };
    let accepted = 0;
    fc.assert(
      fc.property(
        fc.record({
          slug: fc.oneof(fc.constant('shop'), anything),
          id: fc.oneof(fc.uuid(), anything),
          domain: fc.oneof(fc.constant('shop.example'), anything),
          host: fc.oneof(fc.constant('127.0.0.1'), anything),
          port: fc.oneof(fc.constant(3000), fc.double(), fc.integer(), anything as fc.Arbitrary<never>),
          fingerprint: fc.option(fc.oneof(fc.constant(fingerprint), fc.stringMatching(/^[0-9a-f]{64}$/), anything)),
          hsts: fc.oneof(fc.constant(0), fc.nat(), fc.double()),
        }),
        (value) => {
          const upstream = { host: value.host, port: value.port };
          const host = { upstream, tls: tlsOf(value.fingerprint) };
          let text: string;
          try {
            text = render({
              tenant: { id: value.id, slug: value.slug },
              hosts: { frontend: { ...host, domain: value.domain }, api: { ...host, domain: 'api.example' } },
              hstsSeconds: value.hsts,
            });
          } catch {
            return;
          }
          accepted += 1;
          const harmless = makeSite('shop', 3000, {
            upstreamHost: text.includes('$tenantry_upstream') ? 'shop-api' : '127.0.0.1',
            tls: tlsOf(value.fingerprint && fingerprint),
            hstsSeconds: value.hsts > 0 ? 60 : 0,
          });
          expect(structureOf(text)).toEqual(structureOf(render(harmless)));
          // Everything but values is ASCII, and no value adds a line.
          expect(text).toMatch(/^[\n\x20-\x7e]*$/);
          expect(text.split('\n')[1]).toBe(`# tenant ${value.id}`);
        },
      ),
      { numRuns: 5_000 },
    );
    expect(accepted).toBeGreaterThan(50);
  });
});

describe('parsing nginx’s syntax', () => {
  test('reads words, quotes, comments, escapes, variables and blocks as nginx does', () => {
    const text = `# include /no;
a b "c d;{" 'e # "f'; # tail {
http { include /x/*.conf; server { listen 80; set $x \${y}z; location ~ \\{a { return 200 "q\\"r"; } } }
`;
    expect(directivesOf(text).map(({ words, context, opens }) => [context.join('/'), words, opens])).toEqual([
      ['', ['a', 'b', 'c d;{', 'e # "f'], false],
      ['', ['http'], true],
      ['http', ['include', '/x/*.conf'], false],
      ['http', ['server'], true],
      ['http/server', ['listen', '80'], false],
      // biome-ignore lint/suspicious/noTemplateCurlyInString: nginx's own variables
      ['http/server', ['set', '$x', '${y}z'], false],
      ['http/server', ['location', '~', '{a'], true],
      ['http/server/location', ['return', '200', 'q"r'], false],
    ]);
  });

  test('reports the position of a directive', () => {
    const text = 'http {\n  include\n    "/x/*.conf" ;\n}';
    const directive = directivesOf(text)[1];
    expect(text.slice(directive?.start, directive?.end)).toBe('include\n    "/x/*.conf" ;');
  });
});
