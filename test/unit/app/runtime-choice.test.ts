import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { chooseRuntime } from '../../../src/app/composition/adapters/choose-runtime.ts';
import { ConfigError, readConfig } from '../../../src/app/config/config.ts';
import { createLogger } from '../../../src/lib/logger.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-runtime-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const noEngine = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
const choose = async (environment: Record<string, string>, isRoot = false) => {
  const config = readConfig({ DATA_DIR: directory, ...environment });
  const logger = createLogger({ level: 'silent' });
  const runtime = await chooseRuntime({ config, instance: 'test', host: process.env, logger, isRoot });
  await runtime.close();
  return runtime.kind;
};
const remembered = async () => (await readFile(join(directory, 'runtime'), 'utf8')).trim();

test('root gets no local processes without an engine, unless RUNTIME says so', async () => {
  const refused = choose(noEngine, true);
  await expect(refused).rejects.toThrow(ConfigError);
  await expect(refused).rejects.toThrow(
    /^RUNTIME must be set .* root.*No Docker engine answers.*Start the Docker engine, or .*RUNTIME=process$/,
  );
  await expect(remembered()).rejects.toThrow('ENOENT');
  expect(await choose({ ...noEngine, RUNTIME: 'process' }, true)).toBe('process');
  expect(await remembered()).toBe('process');
});

test('other users without an engine get local processes, and the choice is stored', async () => {
  expect(await choose(noEngine)).toBe('process');
  expect(await remembered()).toBe('process');
  expect(await choose(noEngine)).toBe('process');
});

test('an unavailable engine does not move tenants of docker to local processes, unless RUNTIME says so', async () => {
  await writeFile(join(directory, 'runtime'), 'docker\n');
  await expect(choose(noEngine)).rejects.toThrow(
    /^RUNTIME must be set.*than before \(docker, .*Start the Docker engine, or set the runtime\. Example: RUNTIME=docker$/,
  );
  expect(await remembered()).toBe('docker');
  expect(await choose({ ...noEngine, RUNTIME: 'process' })).toBe('process');
  expect(await remembered()).toBe('process');
});

describeWithEngine('where an engine answers', () => {
  test('chooses docker, but not for tenants that ran as local processes', async () => {
    expect(await choose({})).toBe('docker');
    await writeFile(join(directory, 'runtime'), 'process\n');
    await expect(choose({})).rejects.toThrow('Example: RUNTIME=process');
    expect(await choose({ RUNTIME: 'docker' })).toBe('docker');
  });
});
