/** How many times longer than usual a test may wait (test/harness/patience.ts). */
const slowness = Number(process.env.TEST_PATIENCE ?? 1);

/** Jest runs the TypeScript as it is: Node strips the types. */
export default {
  runtime: '<rootDir>/test/harness/jest/shared-runtime.cjs',
  testEnvironment: '<rootDir>/test/harness/jest/shared-environment.mjs',
  roots: ['<rootDir>/test'],
  extensionsToTreatAsEsm: ['.ts'],
  transform: {},
  globalSetup: '<rootDir>/test/harness/jest/global-setup.mjs',
  globalTeardown: '<rootDir>/test/harness/jest/global-teardown.mjs',
  // Ends what hangs, and asserts nothing.
  testTimeout: 15 * 60_000 * slowness,
  // One more than the two cores it is made for: suites wait for engines, units and timers. With four the processor is full, each suite
  // takes 1.4 times as long, and the whole run is no shorter.
  maxWorkers: 3,
  // Minutes for each, on three Docker engines, one suite at a time: `npm run test:exhaustive` runs them.
  testPathIgnorePatterns: [
    '/node_modules/',
    ...(process.env.TEST_EXHAUSTIVE === 'true' ? [] : ['/test/e2e/swarm/']),
    // With programs that few machines have: `npm run test:world` builds them.
    ...(process.env.TEST_TRAEFIK === undefined ? ['/test/world/'] : []),
  ],
  testSequencer: '<rootDir>/test/harness/jest/longest-first.mjs',
  reporters: [
    'default',
    '<rootDir>/test/harness/jest/suite-times-reporter.mjs',
    '<rootDir>/test/harness/jest/closing-line-reporter.mjs',
  ],
};
