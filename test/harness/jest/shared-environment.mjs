import { ModernFakeTimers } from '@jest/fake-timers';
import { ModuleMocker } from 'jest-mock';

/**
 * The worker itself as the environment of its suites (see `shared-runtime.cjs`).
 *
 * Adds to the error of a failed test what its suite knows about that moment, since an expired wait alone does not say why: the
 * functions in the global `failureDetails`.
 */
export default class SharedEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  #exit = process.exit;
  #console = console;

  constructor({ projectConfig }) {
    this.fakeTimersModern = new ModernFakeTimers({ config: projectConfig, global: globalThis });
  }

  getVmContext() {
    return null;
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.dispose();
    process.exit = this.#exit;
    globalThis.console = this.#console;
  }

  async handleTestEvent({ name, error }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    const details = await Promise.all([...(globalThis.failureDetails ?? [])].map((detail) => detail()));
    if (error?.stack) error.stack = [error.stack, ...details.filter(Boolean)].join('\n\n');
  }
}
