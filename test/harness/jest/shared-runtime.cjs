const { registerHooks } = require('node:module');
const { join, dirname } = require('node:path');
const { pathToFileURL } = require('node:url');
const { default: Runtime } = require('jest-runtime');
const suite = require('./suite.cjs');

const globalsUrl = pathToFileURL(join(__dirname, 'globals.mjs')).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals'
      ? { url: globalsUrl, format: 'module', shortCircuit: true }
      : next(specifier, context),
});

/**
 * Loads suites with Node itself, in the worker's own realm: what a suite imports is compiled once for each worker and shared by its
 * suites. With Jest's own runtime every suite compiles the whole manager again (docs/decisions/0052-suites-share-a-worker.md).
 */
module.exports = class SharedRuntime extends Runtime {
  /** Of jest-circus alone, whose state is that of one suite. */
  requireInternalModule(from, to) {
    const path = to ?? from;
    if (!path.startsWith(dirname(require.resolve('jest-circus')))) return super.requireInternalModule(from, to);
    delete require.cache[path];
    for (const name of ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL']) delete globalThis[Symbol.for(name)];
    return require(path);
  }

  setGlobalsForRuntime(globals) {
    suite.globals = { ...globals, jest: this.jestGlobals.jestObjectFor(this._testPath) };
  }

  unstable_shouldLoadAsEsm() {
    return true;
  }

  async unstable_importModule(path) {
    return import(pathToFileURL(path).href);
  }
};
