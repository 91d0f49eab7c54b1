/** Ends a run with the plain line `N passed, N failed[, N skipped]` that CI reads. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    // A suite that could not even be loaded has no failed test in it, yet it has failed.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests > 0 ? `, ${results.numPendingTests} skipped` : '';
    process.stdout.write(`\n${results.numPassedTests} passed, ${failed} failed${skipped}\n`);
  }
}
