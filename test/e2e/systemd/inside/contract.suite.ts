import { describeRuntime } from '../../../contracts/runtime.ts';
import { systemdHarness } from './systemd-harness.ts';

describeRuntime('systemd', systemdHarness);
