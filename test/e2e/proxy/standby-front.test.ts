import { readFile, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { keepsConnections } from '../../../src/adapters/proxies/nginx/nginx-program.ts';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { canLosePackets, losePackets } from '../../harness/proxy/lost-packets.ts';
import { describeWithNginx, installedVersion, TestNginx } from '../../harness/proxy/nginx.ts';
import { visit } from '../../harness/proxy/visitor.ts';

const guide = join(import.meta.dirname, '..', '..', '..', 'docs', 'operations.md');
const host = 'tenantry.example.org';

/** Two managers, of which one is active. The other refuses every request. */
async function startManagers(): Promise<{ port: number; active: string; answered: string[]; close(): void }> {
  const managers = { port: 0, active: '127.0.0.5', answered: [] as string[], close };
  const servers: Server[] = [];
  for (const address of ['127.0.0.5', '127.0.0.6']) {
    const server = createServer((request, response) => {
      request.resume().once('end', () => {
        if (managers.active === address) managers.answered.push(address);
        response.writeHead(managers.active === address ? 200 : 503).end(address);
      });
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(managers.port, address, resolve));
    managers.port ||= (server.address() as { port: number }).port;
  }
  return managers;
  function close() {
    for (const server of servers) {
      server.close();
      server.closeAllConnections();
    }
  }
}

/** The guide's example, with these managers, without TLS, and without the line that an older nginx refuses. */
async function exampleOf(port: number, nginx: TestNginx, version: string): Promise<string> {
  const [, example = ''] = /```nginx\n(upstream tenantry [\s\S]+?)```/.exec(await readFile(guide, 'utf8')) ?? [];
  const lines = example
    .replaceAll(/10\.0\.0\.(\d):32200/g, `127.0.0.$1:${port}`)
    .replace(/listen 443 ssl/, `listen 127.0.0.1:${nginx.httpPort}`);
  const known = keepsConnections(version) ? lines : lines.replace(/^ *keepalive 0;.*$/m, '');
  return `pid ${nginx.directory}/pid;
error_log stderr;
events {}
http { access_log off; ${known} }
`;
}

function describeFront(version: string, start: (nginx: TestNginx) => Promise<void>): void {
  describe(`nginx ${version} in front of two managers, as in the guide`, () => {
    let nginx: TestNginx;
    let managers: Awaited<ReturnType<typeof startManagers>>;
    const ask = (method = 'GET') => visit(nginx.httpPort, host, { method });

    beforeAll(async () => {
      nginx = await TestNginx.create();
      managers = await startManagers();
      await writeFile(nginx.mainConfig, await exampleOf(managers.port, nginx, version));
      await start(nginx);
    });
    afterAll(async () => {
      await nginx?.destroy();
      managers?.close();
    });

    test.each(['127.0.0.5', '127.0.0.6'])('every request reaches the active one at %s, once', async (address) => {
      managers.active = address;
      managers.answered = [];
      for (const method of ['GET', 'POST', 'GET', 'POST', 'DELETE'])
        expect(await ask(method)).toMatchObject({ status: 200, text: address });
      expect(managers.answered).toEqual(Array(5).fill(address));
    });

    test('requests go on at the other one when a machine is lost and the standby is active', async () => {
      if (!canLosePackets) return;
      managers.active = '127.0.0.5';
      await Promise.all(Array.from({ length: 16 }, () => ask()));
      const lost = await losePackets('127.0.0.5', managers.port);
      try {
        managers.active = '127.0.0.6';
        for (const method of ['GET', 'POST', 'GET', 'POST'])
          expect(await ask(method)).toMatchObject({ status: 200, text: '127.0.0.6' });
      } finally {
        await lost.restore();
      }
    });
  });
}

describeWithNginx('with a real nginx', () => describeFront(installedVersion, (nginx) => nginx.start()));
describeWithEngine('docker', () => describeFront('1.30.0', (nginx) => nginx.startContainer()));
