import { appendFile, readFile, stat, writeFile } from 'node:fs/promises';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import Docker from 'dockerode';
import { readConfig } from '../../../src/app/config/config.ts';
import { type ComposeProject, makeComposeProject } from '../../harness/app/compose.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';

describeWithEngine('docker/make-secrets.sh', () => {
  let project: ComposeProject;
  const read = () => readFile(project.envFile, 'utf8');
  beforeEach(async () => {
    project = await makeComposeProject();
  });
  afterEach(() => project.forget());

  test('creates secrets that the manager accepts, for this user only, and never changes them', async () => {
    const { SECRET_KEY, ADMIN_PASSWORD, STORE_PASSWORD } = await project.environment();
    expect(() => readConfig({ SECRET_KEY, ADMIN_PASSWORD })).not.toThrow();
    expect(STORE_PASSWORD).toMatch(/^[0-9a-f]{48}$/);
    const before = await read();
    expect(await project.makeSecrets()).toContain('nothing was changed');
    expect([await read(), (await stat(project.envFile)).mode & 0o777]).toEqual([before, 0o600]);
  });

  test('adds missing ones to an existing file', async () => {
    const own = '# mine\nexport ADMIN_PASSWORD = "words of my own"\nSECRET_KEY=\nCERTIFICATES=acme';
    await writeFile(project.envFile, own, { mode: 0o644 });
    expect(await project.makeSecrets()).toContain(': SECRET_KEY STORE_PASSWORD.');
    expect((await read()).startsWith(`${own}\nSECRET_KEY=`)).toBe(true);
    expect(await project.environment()).toMatchObject({ ADMIN_PASSWORD: 'words of my own', CERTIFICATES: 'acme' });
    expect((await stat(project.envFile)).mode & 0o777).toBe(0o600);
  });

  test('creates none if volumes of an earlier start exist, and says what to do', async () => {
    const docker = new Docker();
    const name = `${project.name}_store`;
    await docker.createVolume({ Name: name });
    try {
      await writeFile(project.envFile, '');
      await expect(project.makeSecrets()).rejects.toThrow(`the volume ${name} of an earlier start exists`);
      expect(await read()).toBe('');
      // A password for the first start is harmless.
      await appendFile(project.envFile, 'SECRET_KEY=x\nSTORE_PASSWORD=y\n');
      expect(await project.makeSecrets()).toContain(': ADMIN_PASSWORD.');
    } finally {
      await docker.getVolume(name).remove();
    }
  });

  test('creates none if the engine cannot list its volumes', async () => {
    await writeFile(project.envFile, '');
    const engine = { DOCKER_HOST: 'unix:///nonexistent/docker.sock' };
    await expect(project.makeSecrets(engine)).rejects.toThrow('the Docker engine does not answer');
    expect(await read()).toBe('');
  });
});
