import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { chooseCertificates } from '../../../src/app/composition/adapters/choose-certificates.ts';
import { chooseProxy } from '../../../src/app/composition/adapters/choose-proxy.ts';
import { ConfigError, readConfig } from '../../../src/app/config/config.ts';
import { systemClock } from '../../../src/lib/clock.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { issue } from '../adapters/certificates/issue.ts';

const accounts = { at: () => ({ load: async () => undefined, save: async () => undefined }) };
const logger = createLogger({ level: 'silent' });

async function choose(environment: Record<string, string>) {
  const config = readConfig(environment);
  const proxy = await chooseProxy({ config, host: {}, logger });
  const { authority, resolver } = await chooseCertificates(config, proxy, systemClock);
  return { authority: authority(accounts), resolver };
}

describe('the choice of certificates', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'tenantry-choice-'));
  });
  afterAll(() => rm(directory, { recursive: true, force: true }));

  test.each<[Record<string, string>, string | undefined, boolean]>([
    [{ PROXY: 'none' }, undefined, false],
    [{ PROXY: 'nginx' }, undefined, false],
    [{ PROXY: 'nginx', CERTIFICATES: 'self-signed' }, 'self-signed', false],
    [{ PROXY: 'nginx', CERTIFICATES: 'files', CERTIFICATE_DIRECTORY: '/x' }, 'files', false],
    [{ PROXY: 'nginx', CERTIFICATES: 'acme' }, 'https://acme-v02.api.letsencrypt.org/directory', false],
    [
      { PROXY: 'nginx', CERTIFICATES: 'acme', ACME_DIRECTORY_URL: 'https://a.example/dir' },
      'https://a.example/dir',
      false,
    ],
    [{ PROXY: 'traefik', CERTIFICATES: 'acme', PROXY_RESOLVER: 'le' }, undefined, true],
    [{ PROXY: 'traefik', CERTIFICATES: 'self-signed' }, 'self-signed', false],
  ])('%j: of %s, by the proxy’s resolver: %s', async (environment, id, resolver) => {
    const choice = await choose({ PROXY_DIRECTORY: '/x', ...environment });
    expect([choice.authority?.id, choice.resolver]).toEqual([id, resolver]);
  });

  test('a CA file that is missing or holds no certificate ends startup with the variable’s name', async () => {
    const [missing, empty, good] = ['missing', 'empty', 'good'].map((name) => join(directory, `${name}.pem`)) as [
      string,
      string,
      string,
    ];
    await writeFile(empty, 'no certificate\n');
    await writeFile(good, (await issue({ ca: true })).pem);
    const choice = (ACME_CA_FILE: string) => choose({ PROXY: 'nginx', CERTIFICATES: 'acme', ACME_CA_FILE });
    for (const file of [missing, empty, directory]) {
      await expect(choice(file)).rejects.toThrow(ConfigError);
      await expect(choice(file)).rejects.toThrow(/ACME_CA_FILE/);
    }
    expect((await choice(good)).authority?.source).toBe('acme');
  });

  test.each([
    [{ PROXY: 'nginx', PROXY_DIRECTORY: '/var/lib/x;y' }, /PROXY=nginx can’t be used as set: .*x;y/],
    [{ PROXY: 'nginx', NGINX_CONFIG: '/etc/a {b' }, /PROXY=nginx can’t be used as set/],
    [{ PROXY: 'traefik', PROXY_API_URL: 'http://me:secret@traefik:8080' }, /PROXY=traefik can’t be used as set/],
    [{ PROXY: 'traefik', PROXY_API_USER: 'me' }, /PROXY_API_USER and PROXY_API_PASSWORD must be set together/],
  ])('reports %j as an invalid environment', async (environment, message) => {
    const choice = () => choose({ PROXY_DIRECTORY: '/x', ...environment });
    await expect(choice()).rejects.toThrow(ConfigError);
    await expect(choice()).rejects.toThrow(message);
    await expect(choice()).rejects.not.toThrow(/secret/);
  });
});
