import { TestEnvironment } from 'jest-environment-node';

/**
 * Adds to the error of a failed test what its suite knows about that moment, since an expired wait alone does not say why: the
 * functions in the global `failureDetails`.
 */
export default class FailureDetails extends TestEnvironment {
  async handleTestEvent({ name, error }) {
    if (name !== 'test_fn_failure' && name !== 'hook_failure') return;
    const details = await Promise.all([...(this.global.failureDetails ?? [])].map((detail) => detail()));
    if (error?.stack) error.stack = [error.stack, ...details.filter(Boolean)].join('\n\n');
  }
}
