import { dockerHarness } from '../harness/engine/docker-runtime.ts';
import { describeWithEngine } from '../harness/engine/engine.ts';
import { describeRuntime } from './runtime.ts';

describeWithEngine('docker', () => {
  describeRuntime('docker', dockerHarness);
});
