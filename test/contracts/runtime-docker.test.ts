import { dockerHarness } from '../harness/docker-runtime.ts';
import { describeWithEngine } from '../harness/engine.ts';
import { describeRuntime } from './runtime.ts';

describeWithEngine('docker', () => {
  describeRuntime('docker', dockerHarness);
});
