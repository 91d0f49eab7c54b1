import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../../scripts/demo/manager.ts';
import { makeApplications, newVersion } from '../deploy/applications.ts';
import { deployed, openManager, registered } from '../deploy/by-tenantry.ts';
import type { Place } from '../deploy/place.ts';
import { dockerClis, missingImages, removeLabelled } from '../harness/docker.ts';
import { alternate, type Findings, figures, ratiosOf, run, type Stage, spread } from '../harness/harness.ts';
import type { Manager } from '../harness/manager.ts';

const tenants = Number(process.env.BENCH_FLEET_TENANTS ?? 20);
const rounds = Number(process.env.BENCH_FLEET_ROUNDS ?? 3);
const images = ['node:24-bookworm-slim', 'mariadb:11.8'];
const firstVersion = 'v1.0.0';

/** A fleet upgrade through the API, against a shell loop of the same docker commands (by-hand.sh). */
export async function benchFleet(stage: Stage): Promise<Findings | { skipped: string }> {
  const [cli] = await dockerClis();
  if (!cli) return { skipped: 'no Docker engine answers' };
  const missing = await missingImages(cli.program, images);
  if (missing.length > 0)
    return { skipped: `the engine lacks ${missing.join(', ')} (docker/offline/build.sh makes them)` };

  const benchLabel = randomBytes(6).toString('hex');
  stage.defer(() => removeLabelled(cli.program, `org.tenantry.bench=${benchLabel}`, { images: true }));
  const { sample: application } = await makeApplications(stage.directory);
  const place: Place = { stage, application, benchLabel, cli };

  const manager = await openManager(place);
  const ids: string[] = [];
  const slugs: string[] = [];
  for (let at = 0; at < tenants; at += 1) {
    const id = await registered(manager, place);
    await deployed(manager, id, firstVersion);
    ids.push(id);
    slugs.push(await deployedByHand(place, at));
    stage.say(`${at + 1} of ${tenants} tenants deployed on both sides`);
  }

  const loads: number[] = [];
  const pairs = await alternate(
    { rounds, warmUps: 1 },
    {
      ours: async () => upgradeAll(manager, ids, await newVersion(application, 'code')),
      peer: async () => upgradeByHand(place, slugs, await newVersion(application, 'code')),
    },
    (round, { ours, peer }) => {
      loads.push(loadavg()[0] ?? Number.NaN);
      stage.say(`round ${round}: ${ours.toFixed(1)} s, by hand ${peer.toFixed(1)} s`);
    },
  );
  for (const id of ids) await manager.client.call('DELETE', `/api/tenants/${id}?remove_files=true`);
  await manager.close();

  return {
    verdicts: [
      { what: `fleet upgrade of ${tenants} tenants / shell loop`, ratios: ratiosOf(pairs), limit: { atMost: 1 } },
    ],
    lines: [
      `${application.title}, ${tenants} tenants with a MariaDB container each, a new commit for each upgrade with unchanged dependencies; both build once, and for each tenant stop, dump, migrate, start and wait for health`,
      `Tenantry in rings of 1, 10 % and all, two tenants at a time (deployment_concurrency), backups verified, the ring’s health checked before the next; the loop one tenant after the other, docker ${cli.version}`,
      `${rounds} rounds after one to warm up, the order alternates; load average ${spread(loads, '')}, including the measured work`,
      ...figures(pairs, 'shell loop', 's'),
    ],
  };
}

/** Starts the fleet upgrade and waits for its end. Returns the seconds. */
async function upgradeAll({ client }: Manager, tenantIds: readonly string[], version: string): Promise<number> {
  const began = performance.now();
  const { id } = await client.call<{ id: string }>('POST', '/api/upgrades', {
    target_version: version,
    tenant_ids: tenantIds,
    rings: [1, '10%', '100%'],
  });
  for (;;) {
    const fleet = await client.call<{ status: string; reason: string | null; counts: { succeeded: number } }>(
      'GET',
      `/api/upgrades/${id}`,
    );
    if (fleet.status === 'completed' && fleet.counts.succeeded === tenantIds.length) break;
    if (!['pending', 'running'].includes(fleet.status))
      throw new Error(`The fleet upgrade is ${fleet.status}: ${fleet.reason}`);
    await sleep(100);
  }
  return (performance.now() - began) / 1000;
}

const environmentOf = ({ cli, benchLabel, stage }: Place): Record<string, string> => ({
  DOCKER: cli.program,
  DOCKER_BUILDKIT: cli.buildKit ? '1' : '0',
  BENCH_LABEL: benchLabel,
  TMPDIR: stage.directory,
});

/** Deploys a tenant with ../deploy/by-hand.sh. Returns `<slug>:<frontend port>:<api port>`. */
async function deployedByHand(place: Place, at: number): Promise<string> {
  const [frontendPort, apiPort] = [await freePort(0), await freePort(0)];
  const slug = `by-hand-${place.benchLabel}-${at}`;
  const script = join(import.meta.dirname, '..', 'deploy', 'by-hand.sh');
  const parameters = [place.application.repository, firstVersion, slug, String(frontendPort), String(apiPort)];
  await run('sh', [script, ...parameters], environmentOf(place));
  return `${slug}:${frontendPort}:${apiPort}`;
}

/** Upgrades all of them with by-hand.sh. Returns the seconds. */
async function upgradeByHand(place: Place, slugs: readonly string[], version: string): Promise<number> {
  const began = performance.now();
  const script = join(import.meta.dirname, 'by-hand.sh');
  await run('sh', [script, place.application.repository, version, ...slugs], environmentOf(place));
  return (performance.now() - began) / 1000;
}
