/**
 * The order of the suites: the longest first, so that none of them is left over for one worker while the others have nothing to do, and
 * those that mostly wait spread over the run, so that others use the processor. Jest itself knows durations only of runs on the same
 * machine and path, and goes by the size of files otherwise.
 */

/** Seconds of those that took more than half a minute in CI. */
const longest = {
  'test/contracts/runtime-swarm.test.ts': 368,
  'test/contracts/runtime-docker.test.ts': 190,
  'test/e2e/systemd/systemd.test.ts': 189,
  'test/crash/standby/standby-drills.test.ts': 184,
  'test/api/upgrades/upgrades.test.ts': 152,
  'test/contracts/runtime-docker-only.test.ts': 129,
  'test/crash/standby/frozen-drills.test.ts': 135,
  'test/crash/upgrades/move.test.ts': 122,
  'test/crash/standby/standby.test.ts': 121,
  'test/e2e/docker/compose.test.ts': 113,
  'test/e2e/docker/compose-nginx.test.ts': 107,
  'test/api/deployments/deployments.test.ts': 107,
  'test/e2e/browser/lists/lists.test.ts': 104,
  'test/e2e/browser/tenants/fleet.test.ts': 97,
  'test/crash/journal-crash.test.ts': 96,
  'test/api/deployments/failure-causes.test.ts': 92,
  'test/e2e/browser/tenants/many-tenants.test.ts': 90,
  'test/contracts/runtime-process-only.test.ts': 88,
  'test/e2e/docker/backups.test.ts': 88,
  'test/api/list-imports/imports-execute.test.ts': 84,
  'test/e2e/docker/upgrades.test.ts': 82,
  'test/e2e/proxy/nginx.test.ts': 79,
  'test/api/upgrades/upgrades-contacts.test.ts': 78,
  'test/e2e/browser/theme.test.ts': 76,
  'test/e2e/browser/backups.test.ts': 75,
  'test/e2e/examples/contacts.test.ts': 73,
  'test/api/services/bulk.test.ts': 72,
  'test/e2e/browser/accounts/administration.test.ts': 72,
  'test/e2e/browser/whole-way.test.ts': 67,
  'test/e2e/browser/overview.test.ts': 65,
  'test/api/backups/backups.test.ts': 63,
  'test/unit/adapters/proxies/nginx-trouble.test.ts': 63,
  'test/e2e/docker/moves.test.ts': 60,
  'test/contracts/runtime-process.test.ts': 60,
  'test/e2e/proxy/tenants.test.ts': 56,
  'test/e2e/docker/import-round-trip.test.ts': 55,
  'test/e2e/browser/truth.test.ts': 53,
  'test/e2e/browser/connection.test.ts': 52,
  'test/e2e/proxy/certificates-self-signed.test.ts': 51,
  'test/e2e/browser/system.test.ts': 50,
  'test/e2e/browser/deploying.test.ts': 48,
  'test/e2e/demo.test.ts': 48,
  'test/api/http/streams.test.ts': 46,
  'test/e2e/docker/contacts.test.ts': 46,
  'test/api/deployments/shared-database.test.ts': 46,
  'test/unit/adapters/runtimes/proxy-container.test.ts': 46,
  'test/e2e/browser/accounts/session.test.ts': 44,
  'test/unit/adapters/runtimes/swarm/release-images.test.ts': 43,
  'test/e2e/docker/fleet.test.ts': 43,
  'test/unit/adapters/website/screenshot.test.ts': 42,
  'test/crash/backup-crash-docker.test.ts': 42,
  'test/e2e/docker/engine-away.test.ts': 41,
  'test/crash/crash-drill-proxy.test.ts': 40,
  'test/api/upgrades/upgrades-proxied.test.ts': 40,
  'test/unit/features/services/services.test.ts': 40,
  'test/e2e/proxy/certificates-files.test.ts': 40,
  'test/e2e/docker/moves-page.test.ts': 39,
  'test/e2e/browser/alarms.test.ts': 38,
  'test/crash/upgrades/drill-docker.test.ts': 38,
  'test/api/themes/theme.test.ts': 38,
  'test/e2e/browser/journey.test.ts': 37,
  'test/e2e/docker/compose-standby.test.ts': 37,
  'test/crash/crash-drill-docker-again.test.ts': 37,
  'test/api/upgrades/fleet-crash.test.ts': 36,
  'test/api/deployments/failed-deployment.test.ts': 36,
  'test/e2e/proxy/acme.test.ts': 35,
  'test/api/list-imports/import-round-trip.test.ts': 35,
  'test/unit/adapters/databases/tenant-database-dumps.test.ts': 33,
  'test/contracts/proxy-nginx-container.test.ts': 32,
  'test/crash/bulk-crash.test.ts': 32,
  'test/e2e/proxy/nginx-trouble.test.ts': 32,
  'test/crash/upgrades/drill-process.test.ts': 31,
  'test/e2e/docker/imports.test.ts': 31,
  'test/api/list-imports/imports.test.ts': 31,
  'test/e2e/proxy/certificates-switched.test.ts': 31,
};
const otherSeconds = 5;

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
