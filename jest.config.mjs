/** Jest runs the TypeScript as it is: real ES modules, types stripped by swc. */
export default {
  testEnvironment: 'node',
  roots: ['<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {
    '^.+\\.ts$': [
      '@swc/jest',
      { jsc: { parser: { syntax: 'typescript' }, target: 'es2024' }, module: { type: 'es6' } },
    ],
  },
  testTimeout: 30_000,
  workerIdleMemoryLimit: '300MB',
  // One more than the two cores it is made for: suites wait for engines, units and timers more than they compute.
  maxWorkers: 3,
  reporters: ['default', '<rootDir>/test/harness/closing-line-reporter.mjs'],
};
