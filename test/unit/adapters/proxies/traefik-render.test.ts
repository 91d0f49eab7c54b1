import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parse } from 'yaml';
import type { Site, SiteTls } from '../../../../src/adapters/proxies/proxy.ts';
import { dynamicConfig } from '../../../../src/adapters/proxies/traefik/dynamic-config.ts';
import { layoutOf, type TraefikProxyOptions } from '../../../../src/adapters/proxies/traefik/options.ts';
import { elementsOf, renderSite } from '../../../../src/adapters/proxies/traefik/site-config.ts';
import { siteNames } from '../../../../src/adapters/proxies/traefik/site-names.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { makeSite } from '../../../harness/proxy/sites.ts';

const golden = join(import.meta.dirname, 'golden', 'traefik');
const base: TraefikProxyOptions = {
  directory: '/proxy',
  certificateResolver: 'letsencrypt',
  logger: createLogger({ level: 'fatal' }),
};
const render = (site: Site, options: Partial<TraefikProxyOptions> = {}): ReturnType<typeof renderSite> =>
  renderSite(layoutOf({ ...base, ...options }), site);

const certificate: SiteTls = { kind: 'certificate', fingerprint: 'ab'.repeat(32) };
const another: SiteTls = { kind: 'certificate', fingerprint: 'cd'.repeat(32) };

const withUpstreams = (frontend: string, api: string): Site => {
  const site = makeSite('acme', 3000);
  const { hosts } = site;
  return {
    ...site,
    hosts: {
      frontend: { ...hosts.frontend, upstream: { host: frontend, port: 32_300 } },
      api: { ...hosts.api, upstream: { host: api, port: 32_301 } },
    },
  };
};
/** @param healthPath undefined: as of a tenant without a deployed release */
const withBackups = (healthPath?: string): Site => {
  const site = makeSite('acme', 3000);
  const backups = ['10.0.0.2', '10.0.0.3'].map((host) => ({ host, port: 3000 }));
  const { frontend, api } = site.hosts;
  return { ...site, hosts: { frontend: { ...frontend, backups, healthPath }, api: { ...api, backups, healthPath } } };
};
const withTls = (frontend: SiteTls | null, api: SiteTls | null, hstsSeconds = 0): Site => {
  const site = makeSite('acme', 3000, { hstsSeconds });
  return {
    ...site,
    hosts: { frontend: { ...site.hosts.frontend, tls: frontend }, api: { ...site.hosts.api, tls: api } },
  };
};

/** Each was compared with Traefik's reference; compare changed ones too. */
const goldenSites: Record<string, { site: Site; options?: Partial<TraefikProxyOptions> }> = {
  'http-only': { site: makeSite('acme', 3000, { hstsSeconds: 31_536_000 }) },
  resolver: { site: withTls({ kind: 'resolver' }, { kind: 'resolver' }) },
  certificate: { site: withTls(certificate, certificate) },
  'two-certificates': { site: withTls(certificate, another) },
  hsts: { site: withTls(certificate, certificate, 31_536_000) },
  'one-host-with-tls': { site: withTls(certificate, null, 31_536_000) },
  'backups-in-turn': { site: withBackups() },
  failover: { site: withBackups('/api/health') },
  upstreams: { site: withUpstreams('fd00::1:2', 'acme-api') },
  'other-entry-points-and-port': {
    site: withTls({ kind: 'resolver' }, { kind: 'resolver' }),
    options: {
      entryPoints: { http: 'http', https: 'https' },
      certificateResolver: 'company-ca',
      visited: { address: '127.0.0.1', httpPort: 8080, httpsPort: 8443 },
    },
  },
};

describe('rendering a site for Traefik', () => {
  test.each(Object.keys(goldenSites))('%s is as reviewed, and valid for YAML and the schema', async (name) => {
    const { site, options } = goldenSites[name] as (typeof goldenSites)[string];
    const { path, text } = render(site, options);
    expect(path).toBe('/proxy/sites/acme.yml');
    expect(text).toBe(await readFile(join(golden, `${name}.yml`), 'utf8'));
    dynamicConfig.parse(parse(text));
    // Most YAML parsers implement version 1.1.
    expect(parse(text, { version: '1.1' })).toEqual(parse(text));
  });

  test('every golden file has its site', async () => {
    expect((await readdir(golden)).sort()).toEqual(
      Object.keys(goldenSites)
        .map((name) => `${name}.yml`)
        .sort(),
    );
  });

  test('what is verified is what is rendered', () => {
    for (const { site } of Object.values(goldenSites)) {
      const { http } = dynamicConfig.parse(parse(render(site).text));
      const names = [...Object.keys(http.routers), ...Object.keys(http.services)].sort();
      expect(
        elementsOf(site)
          .map(({ name }) => name)
          .sort(),
      ).toEqual(names);
    }
  });

  test('computes the revision from everything else', () => {
    const sites = [
      makeSite('acme', 3000),
      makeSite('acme', 3001),
      makeSite('acme', 3000, { tls: certificate }),
      makeSite('acme', 3000, { tls: another }),
      makeSite('acme2', 3000),
    ];
    expect(new Set(sites.map((site) => render(site).revision)).size).toBe(sites.length);
  });

  test('names no resolver if none is configured; option names stay in place', () => {
    const site = withTls({ kind: 'resolver' }, null);
    expect(() => render(site, { certificateResolver: undefined })).toThrow('No certificate resolver');
    for (const name of ['', 'a b', 'a@docker', '"', '{{ env "SECRET" }}', '`', 'ä', '-a']) {
      expect(() => layoutOf({ ...base, certificateResolver: name })).toThrow('certificate resolver');
      expect(() => layoutOf({ ...base, entryPoints: { http: name } })).toThrow('entry point');
    }
    for (const directory of ['', 'relative', '/a b', '/a/../b', '/a"', '/{{.}}', '/a\n'] as const) {
      expect(() => layoutOf({ ...base, directory })).toThrow('path');
    }
  });

  test('rejects values or keeps them in their places', () => {
    const value = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: fc.constantFrom(...'ab1.-:`"\'{}$#@ \n\\[]|&()') }),
      fc.domain(),
      fc.ipV6(),
      fc.ipV4(),
    );
    let rendered = 0;
    fc.assert(
      fc.property(value, value, value, value, fc.nat(), (slug, id, domain, upstream, port) => {
        const site = makeSite('acme', 1);
        const hostile: Site = {
          tenant: { id, slug },
          hosts: {
            frontend: { domain, upstream: { host: upstream, port }, tls: certificate },
            api: site.hosts.api,
          },
          hstsSeconds: port,
        };
        let text: string;
        try {
          text = render(hostile).text;
        } catch {
          return;
        }
        rendered += 1;
        expect(text).not.toMatch(/\{\{|[^\x20-\x7e\n]/);
        const { http, tls } = dynamicConfig.parse(parse(text));
        const names = siteNames(slug);
        expect(Object.keys(http.routers)).toHaveLength(3);
        expect(http.routers[names.router('frontend', 'https')]?.rule).toBe(`Host(\`${domain.toLowerCase()}\`)`);
        const [server] = http.services[names.service('frontend')]?.loadBalancer?.servers ?? [];
        expect(server?.url.toLowerCase()).toBe(
          `http://${upstream.includes(':') ? `[${upstream}]` : upstream}:${port}`.toLowerCase(),
        );
        expect(tls?.certificates).toHaveLength(1);
        // The header's lines are comments, and their number does not change.
        expect(text.split('\n').filter((line) => line.startsWith('#'))).toHaveLength(7);
      }),
      { numRuns: 3_000 },
    );
    expect(rendered).toBeLessThan(3_000);
  });

  test('rejects paths of health pages that are more than a path', () => {
    for (const path of ['', 'health', '/{{ env "SECRET" }}', '/a`b', '/a b', '/ä', '/a\nb', '/a?b=c'])
      expect(() => render(withBackups(path))).toThrow('This path');
  });

  test('renders valid values, so that the property above is not vacuous', () => {
    const word = fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/);
    fc.assert(
      fc.property(word, fc.domain(), fc.integer({ min: 1, max: 65_535 }), (slug, domain, port) => {
        dynamicConfig.parse(parse(render(makeSite(slug, port, { domain })).text));
      }),
    );
  });

  test('no two tenants get the same name', () => {
    const part = fc.constantFrom(
      'a',
      'api',
      'frontend',
      'http',
      'https',
      'headers',
      'redirect',
      'transport',
      'tenantry',
    );
    const slug = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('-'));
    const allOf = (one: string): string[] => {
      const names = siteNames(one);
      const both = (['frontend', 'api'] as const).flatMap((role) => [
        names.router(role, 'http'),
        names.router(role, 'https'),
        names.service(role),
      ]);
      return [names.headers, names.compress, names.redirect, names.transport, ...both];
    };
    fc.assert(
      fc.property(slug, slug, (one, other) => {
        fc.pre(one !== other);
        const taken = new Set(allOf(one));
        expect(taken.size).toBe(10);
        expect(allOf(other).filter((name) => taken.has(name))).toEqual([]);
      }),
    );
  });
});
