import { access, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createTraefikProxy } from '../../../../src/adapters/proxies/traefik/traefik-proxy.ts';
import { createImportFiles } from '../../../../src/adapters/runtimes/recorded/process/import-files.ts';
import { createInstalledUnits } from '../../../../src/adapters/runtimes/recorded/systemd/units/installed-units.ts';
import { createLogger } from '../../../../src/lib/logger.ts';
import { type App, startApp } from '../../../harness/app/app.ts';
import { describeWithNginx, TestNginx } from '../../../harness/proxy/nginx.ts';

/** What a manager killed while writing a file leaves, at every place where it writes files. */

const logger = createLogger({ level: 'silent' });
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-cut-off-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const cutOff = (path: string): string => join(directory, `${path}.tenantry-0123456789ab.tmp`);
async function lay(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, 'half');
  }
}
async function there(paths: readonly string[]): Promise<string[]> {
  const found = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return found.flat();
}

test('the next manager removes them from the data directory', async () => {
  const left = [
    'data/secret.key',
    'data/tenants/acme/.env',
    'data/tenants/acme/.env.20261121T105322000Z.bak',
    'data/themes/0a7d6e9c-0000-4000-8000-000000000001/0123456789abcdef0123456789abcdef.png',
    'data/websites/pictures/0a7d6e9c-0000-4000-8000-000000000002/0123456789abcdef0123456789abcdef.png',
    'data/imports/imp_0123456789abcdef/sample.json',
    'data/process/releases/key-1',
    'data/process/tenants/0a7d6e9c-0000-4000-8000-000000000001/generations.json',
  ].map(cutOff);
  // The tenant's own.
  const others = ['data/tenants/acme/data/notes.tmp', 'data/tenants/acme/upload.0123456789ab.tmp'].map((path) =>
    join(directory, path),
  );
  await lay([...left, ...others]);
  const app: App = await startApp({ directory });
  try {
    await app.manager.app.analyses.tidy();
    expect(await there([...left, ...others])).toEqual(others);
  } finally {
    await app.stop();
  }
});

describeWithNginx('nginx', () => {
  test('opening removes them next to sites, certificates, challenges and the main configuration', async () => {
    const nginx = await TestNginx.create();
    const at = (path: string): string => join(nginx.directory, `${path}.tenantry-0123456789ab.tmp`);
    const left = [
      'tenantry/sites/acme.conf',
      'tenantry/sites/00-tenantry.conf',
      'tenantry/common/proxy.inc',
      'tenantry/challenges/token',
      `tenantry/certificates/acme/${'a'.repeat(64)}.key`,
      'nginx.conf',
    ].map(at);
    const others = [at('mime.types'), join(nginx.sites, 'mine.conf.tmp')];
    await lay([...left, ...others]);
    const proxy = await nginx.proxy();
    expect(await there([...left, ...others])).toEqual(others);
    await proxy.close();
    await nginx.destroy();
  });
});

describe('Traefik', () => {
  test('opening removes them next to sites, certificates and the API’s password', async () => {
    const left = ['sites/acme.yml', 'api-password', `certificates/acme/${'a'.repeat(64)}.key`].map(cutOff);
    const others = [join(directory, 'sites', 'mine.yml.tmp')];
    await lay([...left, ...others]);
    const proxy = createTraefikProxy({ directory, logger });
    await proxy.open();
    expect(await there([...left, ...others])).toEqual(others);
    await proxy.close();
  });
});

describe('systemd', () => {
  test('removes those of its tenants’ unit files, but not another manager’s', async () => {
    const tenant = { id: '1', slug: 'acme', directory: '/nowhere' };
    const left = ['acme-api.service', 'acme-frontend.service'].map(cutOff);
    const others = [cutOff('globex-api.service'), cutOff('acme.service'), join(directory, 'acme-api.service.tmp')];
    await lay([...left, ...others]);
    await createInstalledUnits(directory, 'us').removeCutOff([tenant]);
    expect(await there([...left, ...others])).toEqual(others);
  });
});

describe('files for a tenant’s import', () => {
  test('removing one removes its partial files, but not the tenant’s own files', async () => {
    const files = createImportFiles(directory);
    const tenant = { id: '1', slug: 'acme', directory: join(directory, 'own') };
    const at = (name: string): string => join(directory, 'acme', name);
    const others = [at('.list.csv'), at('.other.csv.0123abcd.tmp'), at('tenants.tmp')];
    const left = [at('.list.csv.0123abcd.tmp'), at('list.csv')];
    await lay([...left, ...others]);
    await files.remove(tenant, 'list.csv');
    expect(await there([...left, ...others])).toEqual(others);
    await files.remove(tenant, 'list.csv');
  });
});
