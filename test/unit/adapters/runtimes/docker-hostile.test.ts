import { mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import Docker, { type Container } from 'dockerode';
import { pack } from 'tar-fs';
import { ApiVersion, assertBuilds } from '../../../../src/adapters/runtimes/engine/client/api-version.ts';
import { connect } from '../../../../src/adapters/runtimes/engine/client/docker-client.ts';
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

describe('the version of the API', () => {
  let answer = {};
  let info = {};
  const paths: string[] = [];
  const server = createHttpServer((request, response) => {
    paths.push(request.url ?? '');
    response.writeHead(200, { 'content-type': 'application/json' });
    const path = request.url ?? '';
    response.end(JSON.stringify(path.endsWith('/version') ? answer : path.endsWith('/info') ? info : []));
  });
  afterEach(() => new Promise((resolve) => server.close(resolve)));

  test('every request has the version that both sides know; an engine that was replaced is asked again', async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const options = { host: '127.0.0.1', port, protocol: 'http' } as const;
    const api = new ApiVersion(new Docker(options));
    const docker = connect(options, api);
    answer = { Version: '20.10.24', ApiVersion: '1.41', MinAPIVersion: '1.12' };
    await docker.listImages();
    await docker.listImages();
    expect(paths.map((path) => path.split('?')[0])).toEqual(['/version', '/v1.41/images/json', '/v1.41/images/json']);
    expect(api.choose({ Version: '29.7.2', ApiVersion: '1.55', MinAPIVersion: '1.40' })).toBe(
      'Docker Engine 29.7.2 (API 1.55, used as 1.51)',
    );
    await docker.listImages();
    expect(paths.at(-1)).toMatch(/^\/v1\.51\//);
  });

  test.each([
    ['1.47', 'io.containerd.snapshotter.v1', 'cannot build images'],
    ['1.47', undefined, undefined],
    ['1.48', 'io.containerd.snapshotter.v1', undefined],
  ])('an engine of API %s with the store %s is refused with what to do: %s', async (api, store, message) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    info =
      store === undefined
        ? { DriverStatus: [['Backing Filesystem', 'extfs']] }
        : { DriverStatus: [['driver-type', store]] };
    const asked = assertBuilds(
      { Version: '27.4.1', ApiVersion: api },
      new Docker({ host: '127.0.0.1', port, protocol: 'http' }),
    );
    if (message === undefined) await expect(asked).resolves.toBeUndefined();
    else
      await expect(asked).rejects.toMatchObject({
        code: 'runtime_unavailable',
        message: expect.stringContaining(message),
      });
  });

  test.each([
    ['too old', { Version: '19.03.15', ApiVersion: '1.40', MinAPIVersion: '1.12' }],
    ['too new', { Version: '40.0.0', ApiVersion: '1.70', MinAPIVersion: '1.60' }],
  ])('an engine that is %s is named with its versions', async (_, engine) => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    answer = engine;
    const docker = connect({ host: '127.0.0.1', port, protocol: 'http' });
    await expect(docker.listImages()).rejects.toMatchObject({
      code: 'runtime_unavailable',
      message: expect.stringContaining(`Docker Engine ${engine.Version} speaks the API ${engine.MinAPIVersion} to`),
    });
  });
});
