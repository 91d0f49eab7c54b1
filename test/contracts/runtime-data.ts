import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { describe, expect } from '@jest/globals';
import { extract, type Header, pack } from 'tar-stream';
import type { TenantData, TenantSpace } from '../../src/adapters/runtimes/runtime.ts';
import type { RuntimeWorld, Subject } from './runtime-world.ts';

type Entry = Pick<Header, 'name'> & Partial<Header> & { content?: string };

function tarOf(entries: Entry[]): AsyncIterable<Uint8Array> {
  const archive = pack();
  for (const { content, ...header } of entries) archive.entry(header, content ?? '');
  archive.finalize();
  return archive as AsyncIterable<Uint8Array>;
}

/** Files with their content, links with their targets; directories as such. By name. */
async function read(
  data: TenantData,
  tenant: TenantSpace,
  options: Omit<Parameters<TenantData['read']>[1], 'signal'> = {},
): Promise<Record<string, string>> {
  const archive = extract();
  const found: Record<string, string> = {};
  archive.on('entry', (header, stream, next) => {
    const chunks: Buffer[] = [];
    stream.on('data', (chunk) => chunks.push(chunk as Buffer));
    stream.on('end', () => {
      const kind = header.type === 'symlink' ? `-> ${header.linkname}` : header.type === 'directory' ? '/' : '';
      found[header.name.replace(/\/$/, '')] = kind || Buffer.concat(chunks).toString();
      next();
    });
  });
  await pipeline(Readable.from(data.read(tenant, { ...options, signal })), archive);
  return found;
}

const { signal } = new AbortController();

const everything: Entry[] = [
  { name: 'uploads', type: 'directory', mode: 0o755 },
  { name: 'uploads/photo ü.jpg', content: 'a photo' },
  { name: 'uploads/empty', content: '' },
  { name: 'uploads/link', type: 'symlink', linkname: 'photo ü.jpg' },
  { name: `uploads/${'long-'.repeat(40)}name`, content: 'long' },
  { name: 'notes.txt', content: 'notes', mode: 0o600 },
  { name: 'tenant.db', content: 'data' },
];
const shown = Object.fromEntries(
  everything.map(({ name, type, linkname, content }) => [
    name,
    type === 'directory' ? '/' : type === 'symlink' ? `-> ${linkname}` : (content ?? ''),
  ]),
);
const without = (...names: string[]) =>
  Object.fromEntries(Object.entries(shown).filter(([name]) => !names.includes(name.split('/')[0] ?? '')));

/** The data directory of units, through a runtime. */
export function describeTenantData(suite: {
  world(): RuntimeWorld;
  promises(what: string, check: () => Promise<void>): void;
}): void {
  const { promises } = suite;
  const filled = async (): Promise<{ subject: Subject; tenant: TenantSpace; data: TenantData }> => {
    const { subject } = await suite.world().shared();
    const { data } = suite.world().runtime;
    await data.remove(subject.tenant, { except: [] }, signal);
    await data.write(subject.tenant, tarOf(everything), signal);
    return { subject, tenant: subject.tenant, data };
  };

  describe('data files', () => {
    promises('are written, and read unchanged, whole or in part', async () => {
      const { tenant, data } = await filled();
      expect(await read(data, tenant)).toEqual(shown);
      expect(await read(data, tenant, { still: true })).toEqual(shown);
      expect(await read(data, tenant, { only: ['notes.txt', 'missing'] })).toEqual({ 'notes.txt': 'notes' });
      expect(await read(data, tenant, { except: ['tenant.db', 'missing'] })).toEqual(without('tenant.db'));
      await suite.world().reopen();
      expect(await read(suite.world().runtime.data, tenant)).toEqual(shown);
    });

    promises('have a size that is known without reading them', async () => {
      const { tenant, data } = await filled();
      expect(await data.size(tenant, ['tenant.db', 'notes.txt', 'missing'])).toBe('datanotes'.length);
      expect(await data.size(tenant, ['missing'])).toBeUndefined();
    });

    promises('are counted where they are outside the tenant’s own directory', async () => {
      const { tenant, data } = await filled();
      await data.write(tenant, tarOf([{ name: 'large', content: 'x'.repeat(2 ** 20) }]), signal);
      const used = await data.usedBytes?.(signal);
      // Those of containers are.
      if (suite.world().runtime.needs === 'start') expect(used).toBeUndefined();
      else expect(used?.get(tenant.id)).toBeGreaterThanOrEqual(2 ** 20);
    });

    promises('are readable and writable for the unit', async () => {
      const { subject, data } = await filled();
      const world = suite.world();
      const path = `${world.runtime.paths(subject.tenant).dataDirectory}/notes.txt`;
      expect(await world.ask(subject, 'api', `/read?path=${encodeURIComponent(path)}`)).toEqual({ content: 'notes' });
      const release = await world.release('1.0.0');
      const append = `node -e "require('fs').appendFileSync('${path}',' and more')"`;
      expect(await world.run(subject, release, append)).toMatchObject({ exitCode: 0 });
      expect((await read(data, subject.tenant))['notes.txt']).toBe('notes and more');
      await world.answer(subject);
    });

    promises('are removed by name, or all except names; a missing one is not an error', async () => {
      const { tenant, data } = await filled();
      await data.remove(tenant, { only: ['notes.txt', 'missing'] }, signal);
      expect(await read(data, tenant)).toEqual(without('notes.txt'));
      await data.remove(tenant, { except: ['tenant.db'] }, signal);
      await data.remove(tenant, { except: ['tenant.db'] }, signal);
      expect(await read(data, tenant)).toEqual({ 'tenant.db': 'data' });
    });

    promises('replace files of the same name, and keep the others', async () => {
      const { tenant, data } = await filled();
      await data.write(tenant, tarOf([{ name: 'notes.txt', content: 'again' }]), signal);
      expect(await read(data, tenant)).toEqual({ ...shown, 'notes.txt': 'again' });
    });

    promises('are written next to those that are there, and take their place', async () => {
      const { subject, tenant, data } = await filled();
      const entries: Entry[] = [
        { name: 'uploads', type: 'directory', mode: 0o755 },
        { name: 'uploads/new.jpg', content: 'new' },
        { name: 'uploads/same.jpg', type: 'link', linkname: 'uploads/new.jpg' },
        { name: 'notes.txt', content: 'new notes', mode: 0o600 },
      ];
      await data.write(tenant, tarOf(entries), signal, { into: '.new' });
      expect(await read(data, tenant, { except: ['.new'] })).toEqual(shown);
      const aside = { into: '.old', except: ['tenant.db', '.new'] };
      await data.move(tenant, aside, signal);
      // Interrupted before it was known to have ended.
      await data.move(tenant, aside, signal);
      await data.move(tenant, { from: '.new' }, signal);
      await data.move(tenant, { from: '.missing' }, signal);
      const now = await read(data, tenant, { except: ['.old', '.new', '.missing'] });
      expect(now).toMatchObject({ 'tenant.db': 'data', 'notes.txt': 'new notes' });
      expect(Object.keys(now)).not.toContain('uploads/link');
      // An archive has the content of one of two linked files alone.
      for (const name of ['new.jpg', 'same.jpg']) {
        const path = `${suite.world().runtime.paths(tenant).dataDirectory}/uploads/${name}`;
        expect(await suite.world().ask(subject, 'api', `/read?path=${encodeURIComponent(path)}`)).toEqual({
          content: 'new',
        });
      }

      await data.move(tenant, { into: '.new', except: ['tenant.db', '.old'] }, signal);
      await data.move(tenant, { from: '.old' }, signal);
      await data.remove(tenant, { only: ['.new', '.old', '.missing'] }, signal);
      expect(await read(data, tenant)).toEqual(shown);
    });

    promises('of a truncated archive are an error', async () => {
      const { tenant, data } = await filled();
      const breaking = (async function* (): AsyncGenerator<Uint8Array> {
        yield Buffer.alloc(100);
        throw new Error('the archive broke off');
      })();
      await expect(data.write(tenant, breaking, signal)).rejects.toThrow();
    });
  });
}
