import { createContainerPrograms } from '../../src/adapters/runtimes/engine/exec/container-programs.ts';
import { describeWithEngine } from '../harness/engine/engine.ts';
import { TestNginx } from '../harness/proxy/nginx.ts';
import { describeProxy } from './proxy.ts';

describeWithEngine('docker', () => {
  // In a container as in compose.yaml, except for the network: the contract's sites use this machine's loopback.
  describeProxy('nginx in a container', async () => {
    const nginx = await TestNginx.create();
    const run = createContainerPrograms({ container: nginx.name });
    const open = () => nginx.proxy({ run, errorLog: 'stderr' });
    // The adapter starts first and writes the main configuration, as in compose.yaml.
    await (await open()).close();
    await nginx.startContainer();
    return {
      open,
      serves: { httpPort: nginx.httpPort, httpsPort: nginx.httpsPort },
      close: () => nginx.destroy(),
    };
  });
});
