/**
 * The order of the suites: the longest first, so that none of them is left over for one worker while the others have nothing to do. Jest
 * itself knows durations only of runs on the same machine and path, and goes by the size of files otherwise.
 */

/** Those that took more than half a minute in CI, the longest first. */
const longest = [
  'test/systemd/systemd.test.ts',
  'test/chaos/import-crash.test.ts',
  'test/chaos/crash-drill-docker-again.test.ts',
  'test/contracts/runtime-docker-only.test.ts',
  'test/contracts/runtime-docker.test.ts',
  'test/chaos/crash-drill-docker-first.test.ts',
  'test/chaos/crash-drill-process-again.test.ts',
  'test/chaos/crash-drill-proxy.test.ts',
  'test/chaos/upgrade-drill-docker.test.ts',
  'test/docker/compose-nginx.test.ts',
  'test/chaos/crash-drill-process-first.test.ts',
  'test/examples/contacts.test.ts',
  'test/docker/backups.test.ts',
  'test/api/upgrades.test.ts',
  'test/chaos/upgrade-drill-process.test.ts',
  'test/docker/upgrades.test.ts',
  'test/chaos/backup-crash-docker.test.ts',
  'test/contracts/runtime-process.test.ts',
  'test/api/upgrades-contacts.test.ts',
  'test/api/deployments.test.ts',
  'test/chaos/backup-crash.test.ts',
  'test/docker/import-round-trip.test.ts',
  'test/docker/compose.test.ts',
  'test/platform/proxy/nginx-trouble.test.ts',
  'test/docker/contacts.test.ts',
  'test/platform/runtime/proxy-container.test.ts',
  'test/contracts/runtime-process-only.test.ts',
  'test/api/imports-execute.test.ts',
  'test/proxy/nginx.test.ts',
  'test/platform/screenshot.test.ts',
  'test/proxy/tenants.test.ts',
  'test/demo.test.ts',
  'test/api/backups.test.ts',
  'test/api/import-round-trip.test.ts',
  'test/platform/tenant-database-dumps.test.ts',
  'test/proxy/certificates-self-signed.test.ts',
  'test/proxy/acme.test.ts',
  'test/docker/engine-hangs.test.ts',
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
