import { readFile, writeFile } from 'node:fs/promises';
import { createContainerPrograms } from '../../src/adapters/runtimes/engine/exec/container-programs.ts';
import { describeWithEngine } from '../harness/engine/engine.ts';
import { TestNginx } from '../harness/proxy/nginx.ts';
import { describeProxy, front } from './proxy.ts';

describeWithEngine('docker', () => {
  // In a container as in compose.yaml, except for the network: the contract's sites use this machine's loopback.
  describeProxy('nginx in a container', async () => {
    const nginx = await TestNginx.create();
    const run = createContainerPrograms({ container: nginx.name });
    const open = () => nginx.proxy({ run, errorLog: 'stderr', frontProxies: [front] });
    // The adapter starts first and writes the main configuration, as in compose.yaml.
    await (await open()).close();
    // What other sites of a main configuration may need.
    const main = await readFile(nginx.mainConfig, 'utf8');
    const hostile = 'http {\n  underscores_in_headers on;\n  ignore_invalid_headers off;\n';
    await writeFile(nginx.mainConfig, main.replace('http {\n', hostile));
    await nginx.startContainer();
    return {
      open,
      serves: { httpPort: nginx.httpPort, httpsPort: nginx.httpsPort },
      close: () => nginx.destroy(),
    };
  });
});
