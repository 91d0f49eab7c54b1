/**
 * The order of the suites: the longest first, so that none of them is left over for one worker while the others have nothing to do, and
 * those that mostly wait spread over the run, so that others use the processor. Jest itself knows durations only of runs on the same
 * machine and path, and goes by the size of files otherwise.
 */

/** Seconds of those that took more than a minute in CI with the time of one processor. */
const longest = {
  'test/e2e/systemd/systemd.test.ts': 765,
  'test/e2e/docker/compose.test.ts': 579,
  'test/crash/journal-crash.test.ts': 300,
  'test/e2e/browser/overview.test.ts': 408,
  'test/contracts/runtime-docker-only.test.ts': 356,
  'test/e2e/browser/lists/lists.test.ts': 337,
  'test/contracts/runtime-docker.test.ts': 324,
  'test/e2e/demo.test.ts': 316,
  'test/api/upgrades/upgrades.test.ts': 313,
  'test/e2e/docker/backups.test.ts': 302,
  'test/e2e/browser/tenants/fleet.test.ts': 297,
  'test/contracts/runtime-swarm.test.ts': 295,
  'test/crash/upgrades/move.test.ts': 293,
  'test/crash/standby/standby.test.ts': 290,
  'test/api/deployments/deployments.test.ts': 247,
  'test/e2e/examples/contacts.test.ts': 245,
  'test/api/backups/backups.test.ts': 232,
  'test/api/services/bulk.test.ts': 232,
  'test/e2e/docker/compose-nginx.test.ts': 228,
  'test/e2e/browser/accounts/administration.test.ts': 209,
  'test/e2e/docker/contacts.test.ts': 250,
  'test/e2e/docker/moves.test.ts': 200,
  'test/e2e/browser/whole-way.test.ts': 199,
  'test/crash/backup-crash-docker.test.ts': 197,
  'test/api/list-imports/imports-execute.test.ts': 192,
  'test/e2e/browser/backups.test.ts': 191,
  'test/contracts/runtime-process-only.test.ts': 184,
  'test/e2e/proxy/nginx.test.ts': 170,
  'test/e2e/browser/deploying.test.ts': 169,
  'test/e2e/browser/theme.test.ts': 151,
  'test/unit/adapters/runtimes/swarm/release-images.test.ts': 145,
  'test/e2e/browser/truth.test.ts': 139,
  'test/api/deployments/failure-causes.test.ts': 129,
  'test/crash/upgrades/drill-docker.test.ts': 129,
  'test/e2e/browser/system.test.ts': 126,
  'test/e2e/proxy/certificates-self-signed.test.ts': 120,
  'test/crash/bulk-crash.test.ts': 112,
  'test/e2e/browser/connection.test.ts': 111,
  'test/unit/adapters/proxies/nginx-trouble.test.ts': 111,
  'test/api/list-imports/imports.test.ts': 110,
  'test/crash/upgrades/drill-process.test.ts': 103,
  'test/unit/adapters/runtimes/proxy-container.test.ts': 103,
  'test/api/attention.test.ts': 100,
  'test/api/incidents/alert-sources.test.ts': 100,
  'test/api/incidents/incidents.test.ts': 100,
  'test/api/upgrades/fleet-crash.test.ts': 99,
  'test/api/themes/theme.test.ts': 98,
  'test/unit/features/services/services.test.ts': 98,
  'test/e2e/proxy/tenants.test.ts': 97,
  'test/e2e/proxy/nginx-trouble.test.ts': 90,
  'test/e2e/browser/tenants/many-tenants.test.ts': 88,
  'test/crash/crash-drill-proxy.test.ts': 85,
  'test/e2e/browser/alarms.test.ts': 83,
  'test/e2e/browser/accounts/session.test.ts': 82,
  'test/e2e/browser/journey.test.ts': 81,
  'test/api/deployments/failed-deployment.test.ts': 80,
  'test/unit/adapters/databases/tenant-database-dumps.test.ts': 79,
  'test/api/upgrades/upgrades-proxied.test.ts': 76,
  'test/api/deployments/deploy-target.test.ts': 74,
  'test/api/deployments/shared-database.test.ts': 67,
  'test/api/accounts/accounts.test.ts': 66,
  'test/unit/adapters/website/screenshot.test.ts': 66,
  'test/crash/standby/frozen-drills.test.ts': 65,
  'test/e2e/proxy/acme.test.ts': 65,
  'test/crash/crash-drill-docker-again.test.ts': 63,
  'test/api/http/streams.test.ts': 61,
  'test/api/accounts/access.test.ts': 60,
  'test/e2e/proxy/certificates-switched.test.ts': 60,
};
const otherSeconds = 10;

/** For engines, units and takeovers: less than a third of their time is processor time. */
const waiting = /\/test\/(?:contracts\/runtime-|e2e\/(?:docker|systemd)\/|crash\/standby\/standby\.)/;

const secondsOf = ({ path }) => longest[path.replace(/^.*\/(?=test\/)/, '')] ?? otherSeconds;

/** Each with the share of its class's time that passes before it. */
function placed(tests) {
  const total = tests.reduce((sum, test) => sum + secondsOf(test), 0);
  let before = 0;
  return tests
    .toSorted((a, b) => secondsOf(b) - secondsOf(a) || (a.path < b.path ? -1 : 1))
    .map((test) => {
      const place = before / total;
      before += secondsOf(test);
      return { test, place };
    });
}

export default class LongestFirst {
  sort(tests) {
    const classes = [tests.filter(({ path }) => waiting.test(path)), tests.filter(({ path }) => !waiting.test(path))];
    return classes
      .flatMap(placed)
      .toSorted((a, b) => a.place - b.place)
      .map(({ test }) => test);
  }

  shard(tests, { shardIndex, shardCount }) {
    return tests.filter((_, index) => index % shardCount === shardIndex - 1);
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
