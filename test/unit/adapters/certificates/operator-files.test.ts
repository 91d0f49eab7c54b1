import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { createOperatorFiles } from '../../../../src/adapters/certificates/operator-files.ts';
import { systemClock } from '../../../../src/lib/clock.ts';
import { dayMs, issue } from './issue.ts';

const makePipe = 'mkfifo';
const app = 'app.example.org';
const api = 'api.example.org';

let directory = '';
let lines: string[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-certificates-'));
  lines = [];
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const obtain = (names: readonly string[], from = directory) =>
  createOperatorFiles({ directory: from, clock: systemClock }).obtain(names, {
    log: (line) => void lines.push(line),
    signal: new AbortController().signal,
  });

async function lay(name: string, wish: Parameters<typeof issue>[0]): Promise<string> {
  const { pem, key, certificate } = await issue(wish);
  await writeFile(join(directory, `${name}.crt`), pem);
  await writeFile(join(directory, `${name}.key`), key, { mode: 0o600 });
  const fingerprint = await certificate.getThumbprint('SHA-256');
  return Buffer.from(fingerprint).toString('hex');
}

describe("the operator's certificates", () => {
  test('reads one key pair per name', async () => {
    const prints = [await lay(app, { names: [app] }), await lay(api, { names: [api] })];
    expect((await obtain([app, api])).map(({ fingerprint }) => fingerprint)).toEqual(prints);
    expect(lines[0]).toBe(`Took the certificate of ${join(directory, `${app}.crt`)} for ${app}`);
  });

  test('uses one wildcard pair for both names as one certificate', async () => {
    const print = await lay('_.example.org', { names: ['*.example.org'] });
    expect((await obtain([app, api])).map(({ fingerprint }) => fingerprint)).toEqual([print]);
  });

  test('covers a name without its own files with the other name’s pair, in any order', async () => {
    const print = await lay(api, { names: [api, app] });
    expect((await obtain([app, api])).map(({ fingerprint }) => fingerprint)).toEqual([print]);
  });

  test('reads certbot’s live directory with symbolic links', async () => {
    const { pem, key } = await issue({ names: [app] });
    await mkdir(join(directory, 'archive'));
    await mkdir(join(directory, app));
    await writeFile(join(directory, 'archive', 'fullchain1.pem'), pem);
    await writeFile(join(directory, 'archive', 'privkey1.pem'), key);
    await symlink('../archive/fullchain1.pem', join(directory, app, 'fullchain.pem'));
    await symlink('../archive/privkey1.pem', join(directory, app, 'privkey.pem'));
    expect((await obtain([app]))[0]?.names).toEqual([app]);
    await rename(join(directory, 'archive'), join(directory, 'gone'));
    await expect(obtain([app])).rejects.toThrow(
      `${join(directory, app, 'fullchain.pem')}: it is missing, or links to nothing`,
    );
  });

  test('prefers the specific pair to the wildcard; rejects a bad one instead of skipping it', async () => {
    await lay('_.example.org', { names: ['*.example.org'] });
    const print = await lay(app, { names: [app] });
    expect((await obtain([app]))[0]?.fingerprint).toBe(print);
    await lay(app, { names: [app], until: new Date(Date.now() - 1_000) });
    await expect(obtain([app])).rejects.toThrow(
      /app\.example\.org\.crt \(with .*app\.example\.org\.key\): it expired at/,
    );
  });

  test('names the file and the problem in every error', async () => {
    const crt = join(directory, `${app}.crt`);
    const key = join(directory, `${app}.key`);

    await expect(obtain([app])).rejects.toThrow(
      /no certificate for app\.example\.org: none of .*app\.example\.org\.crt, .*_\.example\.org\.crt/,
    );
    await lay(app, { names: [api] });
    await expect(obtain([app])).rejects.toThrow(`${crt} (with ${key}): it is not for ${app} but for ${api}`);
    await lay(app, { names: [app], from: new Date(Date.now() + dayMs) });
    await expect(obtain([app])).rejects.toThrow(`${crt} (with ${key}): it is valid only from`);
    await lay(app, { names: [app] });
    await writeFile(key, (await issue({})).key);
    await expect(obtain([app])).rejects.toThrow(`${crt} (with ${key}): the private key is not that of the certificate`);
    await rm(key);
    await expect(obtain([app])).rejects.toThrow(`${key}: it is missing`);
    await truncate(crt, 300 * 1024);
    await expect(obtain([app])).rejects.toThrow(`${crt} is larger than 256 KiB`);
    await rm(crt);
    await mkdir(crt);
    await expect(obtain([app])).rejects.toThrow(`${crt} is no file`);
    await rm(crt, { recursive: true });
    expect(spawnSync(makePipe, [crt]).status).toBe(0);
    await expect(obtain([app])).rejects.toThrow(`${crt} is no file`);
    await expect(obtain([app], join(directory, 'nowhere'))).rejects.toThrow('nowhere does not exist');
  });

  test('a host name cannot lead to a path outside the directory', async () => {
    await lay('app', { names: [app] });
    await mkdir(join(directory, 'inner'));
    for (const name of ['../app', '..', 'app', '*.example.org', `${app}/../app`])
      await expect(obtain([name], join(directory, 'inner'))).rejects.toThrow('is no host name');
  });

  test('leaves revocation to the operator', async () => {
    await lay(app, { names: [app] });
    const [certificate] = await obtain([app]);
    const authority = createOperatorFiles({ directory, clock: systemClock });
    const work = { log: () => undefined, signal: new AbortController().signal };
    if (certificate) await authority.revoke(certificate, work);
    expect((await obtain([app]))[0]?.fingerprint).toBe(certificate?.fingerprint);
  });
});
