import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { collisions } from '../../../../src/adapters/proxies/traefik/collisions.ts';
import { Inspection } from '../../../../src/adapters/proxies/traefik/inspection.ts';
import { layoutOf } from '../../../../src/adapters/proxies/traefik/options.ts';
import { type ParsedFile, parseFile } from '../../../../src/adapters/proxies/traefik/parse-file.ts';
import { renderSite } from '../../../../src/adapters/proxies/traefik/site-config.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { makeSite } from '../../../harness/proxy/sites.ts';

const layout = layoutOf({ directory: '/proxy', logger: createLogger({ level: 'fatal' }) });
const acme = renderSite(layout, makeSite('acme', 3000));
const parseAcme = (edit: (text: string) => string): ParsedFile => parseFile(acme.path, edit(acme.text));

describe('a file of Traefik’s directory', () => {
  test('ours is read completely', () => {
    expect(parseAcme((text) => text)).toMatchObject({ kind: 'site', path: '/proxy/sites/acme.yml' });
  });

  test.each<[string, string, string, RegExp]>([
    [
      'an unknown key',
      'passHostHeader: true',
      'passHostHeaders: true',
      /http\.services\.\w+\.loadBalancer: .*passHostHeaders/,
    ],
    ['another type', 'passHostHeader: true', 'passHostHeader: "yes"', /passHostHeader: .*boolean/],
    [
      'a rule with more than a host',
      'Host(`acme.example`)',
      'Host(`acme.example`) || Host(`b.example`)',
      /_http\.rule: a rule Host/,
    ],
    ['a rule with an open quote', 'Host(`acme.example`)', 'Host(`acme.example)', /_http\.rule: a rule Host/],
    ['a number without a unit', '"300s"', '"forever"', /responseHeaderTimeout: a duration/],
    ['no upstream', '"http://127.0.0.1:3000"', '"127.0.0.1"', /servers\.0\.url: /],
    [
      'two kinds of middleware in one',
      'compress:\n',
      'compress:\n      redirectScheme: { scheme: https }\n',
      /exactly one/,
    ],
    ['a template', 'Host(`acme.example`)', '{{ env `SECRET_KEY` }}', /a template \(\{\{\)/],
  ])('ours with %s is rejected, and the position is reported', (_, from, to, expected) => {
    expect(acme.text).toContain(from);
    const file = parseAcme((text) => text.replace(from, to));
    expect(file).toMatchObject({ kind: 'wrong', problems: [expect.stringMatching(expected)] });
  });

  test.each([
    ['a tab instead of a space', '  routers:', '\trouters:', /line 9/],
    ['an open quote', 'rule: "Host', 'rule: "Host(" Host', /line \d+/],
    ['a key twice', '  services:', '  routers:', /unique.*line \d+/],
    ['an unknown alias', '"web"', '*web', /alias/i],
  ])('ours with %s cannot be read, and the position is reported', (_, from, to, expected) => {
    expect(acme.text).toContain(from);
    const file = parseAcme((text) => text.replace(from, to));
    expect(file.kind).toBe('unreadable');
    expect((file as { problems: string[] }).problems.join()).toMatch(expected);
  });

  test('a foreign one is read for names and hosts only', () => {
    const foreign = (text: string): ParsedFile => parseFile('/proxy/sites/mine.yml', text);
    expect(foreign('http: { routers: { mine: { rule: "Path(`/x`)", priority: 3 } } }\ntcp: { routers: {} }').kind).toBe(
      'foreign',
    );
    expect(foreign('').kind).toBe('foreign');
    expect(foreign('http: { routers: { mine: {} } }')).toMatchObject({
      kind: 'wrong',
      problems: [/mine\.rule/].map(matching),
    });
    expect(foreign('http: [').kind).toBe('unreadable');
    expect(foreign('http: { routers: { {{ env "X" }}: 1').kind).toBe('unchecked');
    expect(parseFile('/proxy/sites/mine.toml', 'no yaml = [').kind).toBe('unchecked');
  });
});

const matching = (pattern: RegExp): string => expect.stringMatching(pattern) as unknown as string;

describe('conflicts between files', () => {
  const textsOf = (...files: ParsedFile[]): string[] => collisions(files).map(({ text }) => text);
  const foreign = (text: string): ParsedFile => parseFile('/proxy/sites/mine.yml', text);
  const acmeFile = parseFile(acme.path, acme.text);

  test('there are none between two tenants', () => {
    const other = renderSite(layout, makeSite('other', 3000));
    expect(textsOf(acmeFile, parseFile(other.path, other.text))).toEqual([]);
  });

  test('a copy of a file conflicts in all its names and hosts', () => {
    const texts = textsOf(acmeFile, parseFile('/proxy/sites/copy.yml', acme.text));
    const both = 'is defined in /proxy/sites/acme.yml and /proxy/sites/copy.yml';
    expect(texts).toEqual([
      `the router tenantry_acme_frontend_http ${both}`,
      `the router tenantry_acme_api_http ${both}`,
      `the middleware tenantry_acme_headers ${both}`,
      `the middleware tenantry_acme_compress ${both}`,
      `the service tenantry_acme_frontend ${both}`,
      `the service tenantry_acme_api ${both}`,
      `the serversTransport tenantry_acme_transport ${both}`,
      `the host acme.example ${both}`,
      `the host api.acme.example ${both}`,
    ]);
  });

  test.each([
    ['Host(`ACME.example`)', true],
    ['Host("acme.example")', true],
    ['Host(`x.example`, `acme.example`)', true],
    ['Host(`x.example`) || Host(`acme.example`)', true],
    ['Host(`acme.example`) && PathPrefix(`/files`)', false],
    ['!Host(`acme.example`)', false],
    ['Host(`acme.example.org`)', false],
    ['PathPrefix(`/acme.example`)', false],
  ])('the rule %s of another file claims our host: %s', (rule, wants) => {
    const file = foreign(`http: { routers: { mine: { rule: '${rule}', service: mine } } }`);
    const expected = 'the host acme.example is defined in /proxy/sites/acme.yml and /proxy/sites/mine.yml';
    expect(textsOf(acmeFile, file)).toEqual(wants ? [expected] : []);
  });

  test('a reference must exist: a name in any file, or of another provider', () => {
    const withMiddleware = (name: string): ParsedFile =>
      parseAcme((text) => text.replace('- "tenantry_acme_compress"', `- "${name}"`));
    const auth = foreign('http: { middlewares: { auth: { basicAuth: { users: [] } } } }');
    expect(textsOf(withMiddleware('auth'), auth)).toEqual([]);
    expect(textsOf(withMiddleware('auth@docker'))).toEqual([]);
    expect(textsOf(withMiddleware('auth'))).toEqual([
      '/proxy/sites/acme.yml: router tenantry_acme_frontend_http refers to the middleware auth, which no file has',
    ]);
    expect(textsOf(withMiddleware('auth'), parseFile('/proxy/sites/mine.toml', ''))).toEqual([]);
    const lost = parseAcme((text) =>
      text.replace('serversTransport: "tenantry_acme_transport"', 'serversTransport: "lost"'),
    );
    expect(textsOf(lost)).toEqual([expect.stringContaining('refers to the serversTransport lost, which no file has')]);
  });
});

describe('scanning the directory', () => {
  let sites: string;
  beforeEach(async () => {
    sites = await mkdtemp(join(tmpdir(), 'traefik-'));
  });
  afterEach(() => rm(sites, { recursive: true, force: true }));

  test('reads the files that Traefik reads, in its order, with subdirectories', async () => {
    await mkdir(join(sites, 'more'));
    for (const name of [
      'b.yml',
      'a.YAML',
      'c.toml',
      'd.txt',
      '.former',
      'e.yml.abc.tmp',
      'more/x.yml',
      '.hidden.yml',
    ]) {
      await writeFile(join(sites, name), '');
    }
    const found = await new Inspection({ sites }).files();
    expect(found.map(({ path }) => path.slice(sites.length + 1))).toEqual([
      '.hidden.yml',
      'a.YAML',
      'b.yml',
      'c.toml',
      'more/x.yml',
    ]);
  });

  test('detects each change, and parses only changed files again', async () => {
    const inspection = new Inspection({ sites });
    const path = join(sites, 'a.yml');
    await writeFile(path, acme.text);
    await writeFile(join(sites, 'b.yml'), '');
    const [a, b] = await inspection.files();
    expect(a?.kind).toBe('site');
    // The same number of bytes as before.
    await writeFile(path, acme.text.replace('5s', '9x'));
    const [changed, same] = await inspection.files();
    expect(changed?.kind).toBe('wrong');
    expect(same).toBe(b);
    await rm(path);
    expect(await inspection.files()).toEqual([b]);
  });
});
