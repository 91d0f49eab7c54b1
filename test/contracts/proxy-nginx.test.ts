import { describeWithNginx, TestNginx } from '../harness/proxy/nginx.ts';
import { describeProxy, front } from './proxy.ts';

describeWithNginx('with a real nginx', () =>
  describeProxy('nginx', async () => {
    const nginx = await TestNginx.create();
    // The first adapter writes its main configuration, as on a new machine.
    await (await nginx.proxy({ frontProxies: [front] })).close();
    await nginx.start();
    return {
      open: () => nginx.proxy({ frontProxies: [front] }),
      serves: { httpPort: nginx.httpPort, httpsPort: nginx.httpsPort },
      close: () => nginx.destroy(),
    };
  }),
);
