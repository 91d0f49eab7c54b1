import suite from './suite.cjs';

/** What `@jest/globals` means in a shared module: the functions of the suite that runs now. */
const current = (name) =>
  new Proxy(() => undefined, {
    apply: (_target, _self, parameters) => suite.globals[name](...parameters),
    get: (_target, key) => suite.globals[name][key],
  });

export const [afterAll, afterEach, beforeAll, beforeEach, describe, expect, jest, test] = [
  'afterAll',
  'afterEach',
  'beforeAll',
  'beforeEach',
  'describe',
  'expect',
  'jest',
  'test',
].map(current);
