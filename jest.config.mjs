/** Jest runs the TypeScript as it is: real ES modules, types stripped by swc. */
export default {
  testEnvironment: '<rootDir>/test/harness/jest/failure-details.mjs',
  roots: ['<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      {
        jsc: { parser: { syntax: 'typescript' }, target: 'es2024', experimental: { keepImportAttributes: true } },
        module: { type: 'es6' },
      },
    ],
  },
  // Ends what hangs, and asserts nothing: a slow machine takes three times as long as a quick one.
  testTimeout: 5 * 60_000,
  // A suite leaves some 300 MB; a worker that is begun anew after each costs more than the memory.
  workerIdleMemoryLimit: '700MB',
  // One more than the two cores it is made for: suites wait for engines, units and timers. With four the processor is full, each suite
  // takes 1.4 times as long, and the whole run is no shorter.
  maxWorkers: 3,
  // Minutes for each, on three Docker engines, one suite at a time: `npm run test:exhaustive` runs them.
  testPathIgnorePatterns: ['/node_modules/', ...(process.env.TEST_EXHAUSTIVE === 'true' ? [] : ['/test/e2e/swarm/'])],
  testSequencer: '<rootDir>/test/harness/jest/longest-first.mjs',
  reporters: ['default', '<rootDir>/test/harness/jest/closing-line-reporter.mjs'],
};
