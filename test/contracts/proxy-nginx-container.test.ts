import { basename } from 'node:path';
import Docker from 'dockerode';
import { createContainerPrograms } from '../../src/adapters/runtimes/engine/exec/container-programs.ts';
import { describeWithEngine } from '../harness/engine/engine.ts';
import { TestNginx } from '../harness/proxy/nginx.ts';
import { describeProxy } from './proxy.ts';

describeWithEngine('docker', () => {
  // In a container as in compose.yaml, except for the network: the contract's sites use this machine's loopback.
  describeProxy('nginx in a container', async () => {
    const docker = new Docker({ socketPath: '/var/run/docker.sock' });
    const nginx = await TestNginx.create();
    const container = basename(nginx.directory);
    const open = () => nginx.proxy({ run: createContainerPrograms({ container }), errorLog: 'stderr' });
    // The adapter starts first and writes the main configuration, as in compose.yaml.
    await (await open()).close();
    const made = await docker.createContainer({
      name: container,
      Image: 'nginx:1.30',
      Cmd: ['nginx', '-g', 'daemon off;', '-c', nginx.mainConfig],
      HostConfig: {
        NetworkMode: 'host',
        Binds: [`${nginx.directory}:${nginx.directory}`],
        CapDrop: ['ALL'],
        CapAdd: ['CHOWN', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'],
        SecurityOpt: ['no-new-privileges:true'],
      },
    });
    await made.start();
    return {
      open,
      serves: { httpPort: nginx.httpPort, httpsPort: nginx.httpsPort },
      async close() {
        await made.remove({ force: true });
        await nginx.destroy();
      },
    };
  });
});
