import { describe, expect, test } from '@jest/globals';
import type { Certificate } from '../../../../src/adapters/certificates/certificates.ts';
import { createSelfSigned } from '../../../../src/adapters/certificates/self-signed.ts';
import { createNoProxy } from '../../../../src/adapters/proxies/none.ts';
import type { ReverseProxy, Site, SiteTls } from '../../../../src/adapters/proxies/proxy.ts';
import { createAcmeAccountStore } from '../../../../src/features/sites/certificates/acme-account-store.ts';
import {
  createCertificateStore,
  type StoredCertificate,
} from '../../../../src/features/sites/certificates/certificate-store.ts';
import { chooseCertificate, chooseTls } from '../../../../src/features/sites/certificates/choose-certificate.ts';
import { createBarrier } from '../../../../src/features/sites/drift/drift.ts';
import { planSite, upstreamsAt } from '../../../../src/features/sites/site.ts';
import { createProxyStore, noCertificateYet } from '../../../../src/features/sites/store.ts';
import { createChangeNote } from '../../../../src/features/sites/sync/last-change.ts';
import { createSiteManager } from '../../../../src/features/sites/sync/site-manager.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { createSecretBox } from '../../../../src/lib/secret-box.ts';
import { addTenant } from '../../../harness/data/tenant-row.ts';
import { siteWork } from '../../../harness/proxy/sites.ts';
import { eachStore } from '../../../harness/servers/mariadb.ts';

const now = new Date('2026-06-15T12:00:00Z');
const daysFromNow = (days: number): Date => new Date(now.getTime() + days * 86_400_000);
const upstream = { upstream: { host: '127.0.0.1', port: 1 } };

const siteOf = (id: string, tls: SiteTls | null = null, domain = `${id}.example`): Site =>
  planSite({
    tenant: { id, slug: id, domain, apiDomain: `api.${domain}` },
    upstreams: { frontend: upstream, api: upstream },
    tlsOf: () => tls,
    hstsDays: 0,
    hasFrontProxies: false,
  });

let made = 0;
function kept(fields: Partial<StoredCertificate> = {}): StoredCertificate {
  made += 1;
  return {
    id: `id-${made}`,
    tenantId: 'a',
    names: ['a.example', 'api.a.example'],
    source: 'acme',
    authority: 'acme one',
    issuer: 'CA',
    fingerprint: String(made).padStart(64, '0'),
    notBefore: daysFromNow(-10),
    notAfter: daysFromNow(80),
    createdAt: daysFromNow(-10),
    ...fields,
  };
}
const served = (one: StoredCertificate): SiteTls => ({ kind: 'certificate', fingerprint: one.fingerprint });

describe('the certificate for a name', () => {
  const authority = { id: 'acme one' };
  const choose = (name: string, all: StoredCertificate[]) => chooseCertificate(name, all, { now, authority });

  test('is valid now and covers it; a wildcard covers one label', () => {
    const expired = kept({ notAfter: daysFromNow(-1) });
    const wildcard = kept({ names: ['*.a.example'] });
    expect(choose('a.example', [expired, wildcard])).toBeUndefined();
    expect(choose('api.a.example', [expired, wildcard])).toBe(wildcard);
    expect(choose('x.api.a.example', [wildcard])).toBeUndefined();
  });

  test('prefers the current authority; of several, the one issued last', () => {
    const other = kept({ authority: 'files /certificates', source: 'files', createdAt: daysFromNow(0) });
    const older = kept({ createdAt: daysFromNow(-5), notAfter: daysFromNow(200) });
    const newer = kept({ createdAt: daysFromNow(-1), notAfter: daysFromNow(20) });
    for (const all of [
      [other, older, newer],
      [newer, older, other],
    ])
      expect(choose('a.example', all)).toBe(newer);
    expect(choose('a.example', [other])).toBe(other);
  });

  test('prefers an exact name of two issued together; otherwise the choice is stable', () => {
    const createdAt = daysFromNow(-1);
    const wildcard = kept({ names: ['*.example'], createdAt });
    const own = kept({ names: ['a.example'], createdAt });
    expect(choose('a.example', [wildcard, own])).toBe(own);
    const [one, two] = [kept({ createdAt }), kept({ createdAt })];
    expect(choose('a.example', [one, two])).toBe(choose('a.example', [two, one]));
  });
});

describe('the certificate in use', () => {
  const authority = { id: 'acme one' };
  const facts = { authority, resolver: false, now, refresh: false };

  test('a name in use keeps its certificate unless a new one is requested', () => {
    const [old, best] = [kept({ createdAt: daysFromNow(-5) }), kept({ createdAt: daysFromNow(-1) })];
    const before = siteOf('a', served(old));
    const certificates = [old, best];
    expect(chooseTls({ ...facts, before, certificates })('a.example')).toEqual(served(old));
    expect(chooseTls({ ...facts, before, certificates, refresh: true })('a.example')).toEqual(served(best));
  });

  test('a site over HTTP stays so until a certificate is requested; a new name uses one that covers it', () => {
    const certificates = [kept()];
    const [only] = certificates as [StoredCertificate];
    expect(chooseTls({ ...facts, before: siteOf('a'), certificates })('a.example')).toBeNull();
    expect(chooseTls({ ...facts, before: siteOf('a'), certificates, refresh: true })('a.example')).toEqual(
      served(only),
    );
    expect(chooseTls({ ...facts, before: null, certificates })('a.example')).toEqual(served(only));
    expect(chooseTls({ ...facts, before: null, certificates })('b.example')).toBeNull();
  });

  test('keeps an expired one while there is no other: no site falls back to plain HTTP', () => {
    const expired = kept({ notAfter: daysFromNow(-1) });
    const before = siteOf('a', served(expired));
    expect(chooseTls({ ...facts, before, certificates: [expired] })('a.example')).toEqual(served(expired));
    const fresh = kept();
    expect(chooseTls({ ...facts, before, certificates: [expired, fresh] })('a.example')).toEqual(served(fresh));
    // One that was deleted cannot be used.
    expect(chooseTls({ ...facts, before, certificates: [] })('a.example')).toBeNull();
  });

  test('without an authority there is none; a resolver is used if requested', () => {
    const one = kept();
    const none = { ...facts, authority: undefined, before: siteOf('a', served(one)), certificates: [one] };
    expect(chooseTls(none)('a.example')).toBeNull();
    const resolving = { ...none, resolver: true };
    expect(chooseTls({ ...resolving, refresh: true })('a.example')).toEqual({ kind: 'resolver' });
    expect(chooseTls({ ...resolving, before: siteOf('a', { kind: 'resolver' }) })('a.example')).toEqual({
      kind: 'resolver',
    });
    expect(chooseTls({ ...resolving, before: siteOf('a') })('a.example')).toBeNull();
  });
});

test('a barrier releases its members only when all have arrived or left', async () => {
  const { arrive, leave } = createBarrier(3);
  const order: string[] = [];
  const first = arrive().then(() => order.push('first'));
  const second = arrive().then(() => order.push('second'));
  await Promise.resolve();
  expect(order).toEqual([]);
  leave();
  await Promise.all([first, second]);
  expect(order).toEqual(['first', 'second']);
});

async function makeCertificate(name: string): Promise<Certificate> {
  const [certificate] = await createSelfSigned({ clock: systemClock }).obtain([name], siteWork());
  if (!certificate) throw new Error('No certificate was made');
  return certificate;
}

eachStore('sites and certificates in the store', (store) => {
  const secretBox = createSecretBox('the secret key of these tests, long enough');

  test('a site is created, changed, read by the next manager, and deleted with its tenant', async () => {
    for (const id of ['one', 'two']) await addTenant(store(), id);
    const rows = createProxyStore(store(), true);
    const appliedAt = new Date('2026-06-15T12:00:00.123Z');
    await rows.applying(siteOf('one'), appliedAt);
    await rows.applying(siteOf('two', { kind: 'certificate', fingerprint: 'f'.repeat(64) }), appliedAt);
    const due = new Date('2026-07-01T00:00:00.007Z');
    const progress = {
      certificateAuthority: 'acme one',
      certificateDueAt: due,
      certificateFailures: 2,
      certificateError: 'Namen aufgelöst: keiner — 例え',
      certificateRetryAt: due,
    };
    await rows.certificate('one', progress);
    await rows.certificate('nobody', progress);
    await rows.sslSkipped('one', true);
    // The same site again is no change.
    await rows.applying(siteOf('one'), due);

    const next = createProxyStore(store(), true);
    const one = { tenantId: 'one', site: siteOf('one'), appliedAt, ...progress, sslSkipped: true };
    expect(await next.of('one')).toEqual(one);
    expect(await next.of('two')).toMatchObject(noCertificateYet);
    const ids = (found: { tenantId: string }[]): string[] => found.map(({ tenantId }) => tenantId);
    expect(ids(await rows.due(due, 10))).toEqual(['one']);
    expect(ids(await rows.due(new Date(due.getTime() - 1), 10))).toEqual([]);

    // Other host names have no failures yet.
    await next.applying(siteOf('one', null, 'other.example'), appliedAt);
    expect(await next.of('one')).toMatchObject({
      certificateFailures: 0,
      certificateError: null,
      certificateDueAt: due,
    });
    await expect(next.applying(siteOf('nobody'), appliedAt)).rejects.toMatchObject({ code: 'not_found' });
    expect(await next.of('nobody')).toBeUndefined();

    // Without a proxy no certificate is in use.
    expect(await createProxyStore(store(), false).all()).toEqual([]);
    await store().sequelize.getQueryInterface().bulkDelete('tenants', { id: 'one' });
    await next.remove('two');
    expect(await next.all()).toEqual([]);
  });

  test('a site with one address is stored as before; the other addresses of a unit are kept', async () => {
    await addTenant(store(), 'nodes');
    const rows = createProxyStore(store(), true);
    const alone = siteOf('nodes');
    await rows.applying(alone, now);
    expect((await rows.of('nodes'))?.site).toStrictEqual(alone);
    const backups = [{ host: '10.0.0.2', port: 1 }];
    const { frontend, api } = alone.hosts;
    const several = { ...alone, hosts: { frontend, api: { ...api, backups } } };
    await rows.applying(several, now);
    const applied = (await rows.of('nodes'))?.site;
    expect(applied).toStrictEqual(several);
    expect(applied && upstreamsAt(applied)).toStrictEqual({ frontend: upstream, api: { ...upstream, backups } });
  });

  test('a site is saved before the proxy gets it; a refused one is replaced by the site from before', async () => {
    await addTenant(store(), 'three');
    const rows = createProxyStore(store(), true);
    let saved: Site | undefined;
    let refused = false;
    const proxy: ReverseProxy = {
      ...createNoProxy(),
      async apply() {
        saved = (await rows.of('three'))?.site;
        if (refused) throw new Error('refused');
        return { changed: true };
      },
    };
    const sites = createSiteManager({
      proxy,
      rows,
      certificateStore: createCertificateStore(createProxyStore(store(), true), secretBox),
      authority: undefined,
      resolver: false,
      upstreamsOf: async () => ({ frontend: upstream, api: upstream }),
      hstsDays: async () => 0,
      note: createChangeNote(systemClock),
      clock: systemClock,
    });
    const [first, second] = [siteOf('three'), siteOf('three', null, 'other.example')];
    refused = true;
    await expect(sites.apply(first, siteWork())).rejects.toThrow('refused');
    expect([saved, await sites.inService('three')]).toEqual([first, null]);
    refused = false;
    await sites.apply(first, siteWork());
    refused = true;
    await rows.sslSkipped('three', true);
    const before = await rows.of('three');
    await expect(sites.apply(second, siteWork())).rejects.toThrow('refused');
    expect([saved, await rows.of('three')]).toEqual([second, before]);
  });

  test('certificates are sealed for their tenant, and the next manager can open them', async () => {
    for (const id of ['v1', 'v2']) await addTenant(store(), id);
    const rows = createProxyStore(store(), true);
    const vault = createCertificateStore(rows, secretBox);
    const from = { id: 'self-signed', source: 'self-signed' as const };
    const certificate = await makeCertificate('v.example');
    const { fingerprint } = certificate;
    await vault.keep('v1', from, certificate, now);
    expect(await vault.keep('v1', from, certificate, daysFromNow(1))).toEqual({ rechained: false });
    await vault.keep('v2', from, certificate, now);
    expect(await vault.of('v1')).toHaveLength(1);
    await expect(vault.keep('nobody', from, certificate, now)).rejects.toMatchObject({ code: 'not_found' });

    const raw = await store().select<{ sealed: string }>('SELECT * FROM certificates', {});
    expect(JSON.stringify(raw)).not.toMatch(/PRIVATE KEY|BEGIN CERTIFICATE/);
    const next = createCertificateStore(createProxyStore(store(), true), secretBox);
    expect(await next.open('v1', fingerprint)).toEqual(certificate);
    expect((await next.of('v1'))[0]).toMatchObject({ createdAt: daysFromNow(1), authority: 'self-signed' });
    expect(await next.open('v1', '0'.repeat(64))).toBeUndefined();

    // A row moved to another tenant, or another key, opens nothing.
    const moved = await rows.sealedCertificate('v1', fingerprint);
    await store().sequelize.getQueryInterface().bulkUpdate('certificates', { sealed: moved }, { tenant_id: 'v2' });
    await expect(next.open('v2', fingerprint)).rejects.toThrow('can’t be decrypted');
    const otherKey = createCertificateStore(rows, createSecretBox('another key'));
    await expect(otherKey.open('v1', fingerprint)).rejects.toThrow('SECRET_KEY');

    await next.remove('v1', await next.of('v1'));
    expect([await next.of('v1'), await next.open('v1', fingerprint)]).toEqual([[], undefined]);
  });

  test('stores account keys sealed, one for each authority', async () => {
    const rows = createProxyStore(store(), true);
    const [one, two] = ['https://one.example/directory', 'https://two.example/directory'];
    const book = createAcmeAccountStore(rows, secretBox, systemClock);
    expect(await book.at(one).load()).toBeUndefined();
    await book.at(one).save('-----BEGIN PRIVATE KEY----- one');
    await book.at(two).save('-----BEGIN PRIVATE KEY----- two');
    await book.at(two).save('-----BEGIN PRIVATE KEY----- two again');
    const next = createAcmeAccountStore(createProxyStore(store(), true), secretBox, systemClock);
    expect(await next.at(one).load()).toBe('-----BEGIN PRIVATE KEY----- one');
    expect(await next.at(two).load()).toBe('-----BEGIN PRIVATE KEY----- two again');
    const raw = await store().select<object>('SELECT * FROM acme_accounts', {});
    expect(JSON.stringify(raw)).not.toContain('PRIVATE KEY');
  });
});
