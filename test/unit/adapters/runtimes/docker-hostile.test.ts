import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { Container } from 'dockerode';
import { pack } from 'tar-fs';
import { ImageUsers } from '../../../../src/adapters/runtimes/engine/images/image-user.ts';
import { testRuntime } from '../../../harness/engine/docker-runtime.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tenantry-hostile-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

describe('the user of an image', () => {
  /** A container as far as needed: its /etc is the directory. */
  const container = (user: string): Container =>
    ({
      inspect: async () => ({ Config: { User: user }, Image: `image-${Math.random()}` }),
      getArchive: async ({ path }: { path: string }) => pack(directory, { entries: [path.replace('/etc/', '')] }),
    }) as unknown as Container;

  test('is not looked up through a link, which would lead to a file of the host', async () => {
    await symlink('/etc/passwd', join(directory, 'passwd'));
    await writeFile(join(directory, 'group'), '');
    await expect(new ImageUsers().ownerIn(container('root'))).rejects.toThrow('not in its /etc/passwd');
    expect(await new ImageUsers().ownerIn(container('4242'))).toEqual({ uid: 4242, gid: 0 });
  });

  test('is not looked up in an endless file', async () => {
    await writeFile(join(directory, 'passwd'), 'node:x:1000:1000::/:\n');
    await truncate(join(directory, 'passwd'), 64 * 1024 ** 2);
    await writeFile(join(directory, 'group'), '');
    await expect(new ImageUsers().ownerIn(container('node'))).rejects.toThrow('/etc/passwd of the image is larger');
  });
});

test('an unresponsive engine does not prevent opening and closing the runtime', async () => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => void sockets.add(socket)).listen(0, '127.0.0.1');
  await new Promise((resolve) => silent.once('listening', resolve));
  const { port } = silent.address() as AddressInfo;
  const runtime = testRuntime({ engine: { host: '127.0.0.1', port, protocol: 'http' } });
  await runtime.open();
  await runtime.close();
  for (const socket of sockets) socket.destroy();
  silent.close();
});
