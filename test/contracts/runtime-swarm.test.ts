import { isExhaustive } from '../harness/exhaustive.ts';
import { describeWithSwarm } from '../harness/swarm/cluster.ts';
import { swarmHarness } from '../harness/swarm/swarm-runtime.ts';
import { describeRuntime } from './runtime.ts';

describeWithSwarm('swarm', (cluster) => {
  describeRuntime('swarm', () => swarmHarness(cluster()), { only: isExhaustive ? undefined : 'smoke' });
});
