import Docker from 'dockerode';
import { describeWithEngine } from '../../harness/engine/engine.ts';
import { upgradeDrill } from '../drills/upgrade-drill.ts';

describeWithEngine('kill -9 of the manager in an upgrade, Docker', () => {
  const docker = new Docker();
  upgradeDrill({
    environment: { RUNTIME: 'docker' },
    delaysMs: [100],
    backDelaysMs: [0, 300, 1_200],
    async unitsOf(slug) {
      const containers = await docker.listContainers({ all: true });
      const names = containers.flatMap(({ Names }) => Names.map((name) => name.slice(1)));
      return names.filter((name) => name.startsWith(`${slug}-`)).sort();
    },
  });
});
