import Docker from 'dockerode';
import { describeWithEngine } from '../harness/engine/engine.ts';
import { crashDrill } from './drills/crash-drill.ts';

describeWithEngine('kill -9 of the manager, Docker', () => {
  const docker = new Docker();
  crashDrill({
    of: 'redeployments',
    environment: { RUNTIME: 'docker' },
    async unitsOf(slug) {
      const containers = await docker.listContainers({ all: true });
      const names = containers.flatMap(({ Names }) => Names.map((name) => name.slice(1)));
      return names.filter((name) => name.startsWith(`${slug}-`)).sort();
    },
  });
});
