import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { selfRedirectOf } from '../../../src/adapters/proxies/external-probe.ts';
import type { ReverseProxy, SiteCertificate } from '../../../src/adapters/proxies/proxy.ts';
import { describeWithNginx, TestNginx } from '../../harness/proxy/nginx.ts';
import { certificateTls, makeCertificate, makeSite, siteWork } from '../../harness/proxy/sites.ts';
import { startUpstream, type Upstream } from '../../harness/proxy/upstream.ts';
import { freePort } from '../../harness/servers/ports.ts';

describeWithNginx('a front that ends TLS and forwards by HTTP', () => {
  let nginx: TestNginx;
  let front: Server;
  let frontPort: number;
  let upstream: Upstream;
  let certificate: SiteCertificate;

  beforeAll(async () => {
    nginx = await TestNginx.create();
    certificate = await makeCertificate('shop.example');
    upstream = await startUpstream('the application');
    frontPort = await freePort();
    front = createServer({ key: certificate.privateKey, cert: certificate.chain }, (visitor, response) => {
      const headers = { ...visitor.headers, 'x-forwarded-proto': 'https', 'x-forwarded-for': '203.0.113.9' };
      const { method, url: path } = visitor;
      const forwarded = request({ host: '127.0.0.1', port: nginx.httpPort, method, path, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      forwarded.on('error', () => response.destroy());
      visitor.pipe(forwarded);
    });
    await new Promise<void>((resolve) => front.listen(frontPort, '127.0.0.1', resolve));
    await (await openProxy([])).close();
    await nginx.start();
  });
  afterAll(async () => {
    front?.close();
    front?.closeAllConnections();
    await upstream?.close();
    await nginx?.destroy();
  });

  const openProxy = (frontProxies: string[]): Promise<ReverseProxy> => {
    const listen = { addresses: ['127.0.0.1'], httpPort: nginx.httpPort, httpsPort: nginx.httpsPort };
    return nginx.proxy({ frontProxies, listen, httpsPort: frontPort });
  };
  const apply = async (frontProxies: string[]) => {
    const proxy = await openProxy(frontProxies);
    const site = makeSite('shop', upstream.port, { domain: 'localhost', tls: certificateTls(certificate) });
    await proxy.putCertificate(site.tenant, certificate);
    await proxy.apply({ ...site, ...(proxy.hasFrontProxies ? { isBehindFront: true } : {}) }, siteWork());
    await proxy.close();
  };
  const visited = () =>
    selfRedirectOf('localhost', { httpPort: nginx.httpPort, httpsPort: frontPort, timeoutMs: 10_000 });

  test('makes a site redirect to itself until it is named', async () => {
    await apply([]);
    expect(await visited()).toBe(`https://localhost:${frontPort}/`);
    await apply(['127.0.0.1']);
    expect(await visited()).toBeUndefined();
  });

  test('a name where nothing answers says nothing about redirects', async () => {
    const closed = await freePort();
    const asked = selfRedirectOf('localhost', { httpPort: closed, httpsPort: closed, timeoutMs: 10_000 });
    await expect(asked).rejects.toThrow('connection refused');
  });
});
