import { describeWithNginx, TestNginx } from '../harness/proxy/nginx.ts';
import { describeProxy } from './proxy.ts';

describeWithNginx('with a real nginx', () =>
  describeProxy('nginx', async () => {
    const nginx = await TestNginx.create();
    // Its main configuration is written by the first adapter, like on a fresh machine.
    await (await nginx.proxy()).close();
    await nginx.start();
    return {
      open: () => nginx.proxy(),
      serves: { httpPort: nginx.httpPort, httpsPort: nginx.httpsPort },
      close: () => nginx.destroy(),
    };
  }),
);
