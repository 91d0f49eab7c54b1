/**
 * The order of the suites: the longest first, so that none of them is left over for one worker while the others have nothing to do. Jest
 * itself knows durations only of runs on the same machine and path, and goes by the size of files otherwise.
 */

/** Those that took more than half a minute in CI, the longest first. */
const longest = [
  'test/contracts/runtime-swarm.test.ts',
  'test/e2e/systemd/systemd.test.ts',
  'test/contracts/runtime-docker.test.ts',
  'test/contracts/runtime-docker-only.test.ts',
  'test/crash/standby/standby-drills.test.ts',
  'test/crash/standby/standby.test.ts',
  'test/crash/journal-crash.test.ts',
  'test/unit/features/services/services.test.ts',
  'test/crash/import-crash.test.ts',
  'test/crash/crash-drill-proxy.test.ts',
  'test/crash/crash-drill-docker-again.test.ts',
  'test/crash/crash-drill-docker-first.test.ts',
  'test/crash/crash-drill-process-again.test.ts',
  'test/crash/upgrade-drill-docker.test.ts',
  'test/e2e/docker/compose-nginx.test.ts',
  'test/crash/crash-drill-process-first.test.ts',
  'test/e2e/examples/contacts.test.ts',
  'test/e2e/docker/backups.test.ts',
  'test/api/upgrades/upgrades.test.ts',
  'test/crash/upgrade-drill-process.test.ts',
  'test/e2e/docker/upgrades.test.ts',
  'test/crash/backup-crash-docker.test.ts',
  'test/contracts/runtime-process.test.ts',
  'test/api/upgrades/upgrades-contacts.test.ts',
  'test/api/deployments/deployments.test.ts',
  'test/crash/backup-crash.test.ts',
  'test/unit/adapters/runtimes/swarm/release-images.test.ts',
  'test/e2e/docker/import-round-trip.test.ts',
  'test/e2e/docker/compose.test.ts',
  'test/unit/adapters/proxies/nginx-trouble.test.ts',
  'test/e2e/docker/contacts.test.ts',
  'test/unit/adapters/runtimes/proxy-container.test.ts',
  'test/contracts/runtime-process-only.test.ts',
  'test/api/list-imports/imports-execute.test.ts',
  'test/e2e/proxy/nginx.test.ts',
  'test/unit/adapters/website/screenshot.test.ts',
  'test/e2e/proxy/tenants.test.ts',
  'test/e2e/demo.test.ts',
  'test/api/backups/backups.test.ts',
  'test/api/list-imports/import-round-trip.test.ts',
  'test/unit/adapters/databases/tenant-database-dumps.test.ts',
  'test/e2e/proxy/certificates-self-signed.test.ts',
  'test/e2e/proxy/acme.test.ts',
  'test/e2e/docker/engine-hangs.test.ts',
];

const placeOf = ({ path }) => {
  const place = longest.findIndex((name) => path.endsWith(`/${name}`));
  return place === -1 ? longest.length : place;
};

export default class LongestFirst {
  sort(tests) {
    return [...tests].sort((a, b) => placeOf(a) - placeOf(b) || (a.path < b.path ? -1 : 1));
  }

  shard(tests, { shardIndex, shardCount }) {
    return tests.filter((_, index) => index % shardCount === shardIndex - 1);
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {}
}
