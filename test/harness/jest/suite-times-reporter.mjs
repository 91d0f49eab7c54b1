import { readFileSync, writeFileSync } from 'node:fs';

/** `test/e2e/browser/…` is browser, `test/api/…` is api. */
const kindOf = (path) => {
  const [, first, second] = path.split('/');
  return first === 'e2e' && second && !second.includes('.') ? second : first;
};

/** What the machine's processors, disks and memory were waiting for; nothing where the kernel does not count it. */
function pressure() {
  const [cpu, io, memory] = ['cpu', 'io', 'memory'].map((resource) => {
    try {
      return readFileSync(`/proc/pressure/${resource}`, 'utf8').match(/avg10=(\S+) avg60=(\S+)/);
    } catch {
      return undefined;
    }
  });
  const share = (name, found) => (found ? `${name} ${found[1]} % of 10 s, ${found[2]} % of 60 s` : `${name} unknown`);
  return [share('processor', cpu), share('disk', io), share('memory', memory)].join('; ');
}

/**
 * After a failed suite it prints how busy the machine was (`/proc/pressure`); at the end, the seconds that the suites took, by kind.
 * TEST_TIMES=<file> gets them for each suite and test as JSON.
 */
export default class SuiteTimesReporter {
  #suites = [];

  onTestResult({ path }, { perfStats, numFailingTests, testExecError, testResults }) {
    const suite = path.replace(/^.*\/(?=test\/)/, '');
    const tests = testResults.map(({ fullName, duration }) => ({ name: fullName, seconds: (duration ?? 0) / 1000 }));
    this.#suites.push({ suite, seconds: perfStats.runtime / 1000, tests });
    if (numFailingTests > 0 || testExecError)
      process.stdout.write(`${suite}: waiting for resources at its end: ${pressure()}\n`);
  }

  onRunComplete() {
    const kinds = Map.groupBy(this.#suites, ({ suite }) => kindOf(suite));
    const seconds = (suites) => suites.reduce((sum, suite) => sum + suite.seconds, 0);
    const rows = [...kinds].map(([kind, suites]) => ({ kind, sum: seconds(suites), count: suites.length }));
    const list = rows
      .toSorted((a, b) => b.sum - a.sum)
      .map(({ kind, sum, count }) => `${kind} ${Math.round(sum)} (${count})`);
    process.stdout.write(`\nSeconds of suites: ${Math.round(seconds(this.#suites))}: ${list.join(', ')}\n`);
    if (process.env.TEST_TIMES) writeFileSync(process.env.TEST_TIMES, JSON.stringify(this.#suites));
  }
}
