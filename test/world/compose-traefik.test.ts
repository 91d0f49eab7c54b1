import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from '@jest/globals';
import { execa } from 'execa';
import { traefikProgram } from '../harness/proxy/real-traefik.ts';
import { describeComposedProxy } from './composed-proxy.ts';

const TRAEFIK_IMAGE = `tenantry-test-traefik:${process.pid}`;
const dockerfile = 'FROM scratch\nCOPY traefik /usr/local/bin/traefik\nENTRYPOINT ["/usr/local/bin/traefik"]\n';

// The program in an image of its own, instead of the one that compose.yaml names.
beforeAll(async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tenantry-traefik-image-'));
  await copyFile(traefikProgram(), join(directory, 'traefik'));
  await writeFile(join(directory, 'Dockerfile'), dockerfile);
  await execa('docker', ['build', '--quiet', '--tag', TRAEFIK_IMAGE, directory]);
  await rm(directory, { recursive: true, force: true });
});
afterAll(() => execa('docker', ['rmi', '--force', TRAEFIK_IMAGE]));

describeComposedProxy('traefik', { TRAEFIK_IMAGE });
