import { randomBytes } from 'node:crypto';
import { loadavg } from 'node:os';
import { dockerClis, missingImages, removeLabelled } from '../harness/docker.ts';
import {
  alternate,
  type Findings,
  figures,
  ratiosOf,
  run,
  type Stage,
  spread,
  type Verdict,
} from '../harness/harness.ts';
import { makeApplications, newVersion } from './applications.ts';
import { byHand } from './by-hand.ts';
import { deployed, openManager, registered } from './by-tenantry.ts';
import { type Deployment, stepsOf } from './clock.ts';
import type { Place } from './place.ts';
import { type Series, series } from './series.ts';

const firstAtMost = 1.15;
const secondAtMost = 0.35;
/** The script's steps that run once per commit: a second tenant at the same commit does not need them. */
const stepsPerCommit = ['clone', 'build'];
const secondAgainstScriptAtMost = 1.15;
const images = ['node:24-bookworm-slim', 'mariadb:11.8'];

/** Deployment of the sample application through Tenantry's API, against by-hand.sh. */
export async function benchDeploy(stage: Stage): Promise<Findings | { skipped: string }> {
  const [cli] = await dockerClis();
  if (!cli) return { skipped: 'no Docker engine answers' };
  const missing = await missingImages(cli.program, images);
  if (missing.length > 0)
    return { skipped: `the engine lacks ${missing.join(', ')} (docker/offline/build.sh makes them)` };

  const benchLabel = randomBytes(6).toString('hex');
  stage.defer(() => removeLabelled(cli.program, `org.tenantry.bench=${benchLabel}`, { images: true }));
  const applications = await makeApplications(stage.directory);

  const findings: Findings = { verdicts: [], lines: [] };
  for (const wanted of series) {
    const place = { stage, application: applications[wanted.application], benchLabel, cli };
    const rounds = await measure(wanted, place);
    const { verdicts, lines } = found(wanted, place, rounds);
    findings.verdicts.push(...verdicts);
    findings.lines.push(...lines);
  }
  return findings;
}

/** The first and the second tenant at one commit by Tenantry, and one tenant by the script. */
interface Round {
  ours: Deployment;
  second: Deployment;
  peer: Deployment;
  /** The machine's load average over the last minute, including the measured work. */
  load: number;
}

async function measure({ name, cold, change, rounds }: Series, place: Place): Promise<Round[]> {
  const { stage, cli, application } = place;
  const measured: Round[] = [];
  const kept = cold ? undefined : await openManager(place);
  const prepare = async (): Promise<void> => {
    if (cold) await run(cli.program, ['builder', 'prune', '--all', '--force']);
  };
  let second: Deployment;
  await alternate(
    { rounds },
    {
      async ours() {
        const version = await newVersion(application, change);
        const manager = kept ?? (await openManager(place));
        const [one, other] = [await registered(manager, place), await registered(manager, place)];
        await prepare();
        const first = await deployed(manager, one, version);
        second = await deployed(manager, other, version);
        for (const id of [one, other]) await manager.client.call('DELETE', `/api/tenants/${id}?remove_files=true`);
        if (!kept) await manager.close();
        return first;
      },
      async peer() {
        const version = await newVersion(application, change);
        await prepare();
        return byHand(place, version);
      },
    },
    (round, { ours, peer }) => {
      const load = loadavg()[0] ?? Number.NaN;
      measured.push({ ours, second, peer, load });
      stage.say(
        `${name}, ${application.title}, ${round}: ${ours.seconds.toFixed(1)} s, by hand ${peer.seconds.toFixed(1)} s, second ${second.seconds.toFixed(1)} s, load ${load.toFixed(1)} [${stepsOf([ours])}] [${stepsOf([second])}] [${stepsOf([peer])}]`,
      );
    },
  );
  await kept?.close();
  // The first rounds are the warm-up.
  return measured.slice(-rounds);
}

function found({ name, conditions, cold }: Series, { cli, application }: Place, rounds: readonly Round[]): Findings {
  const totals = rounds.map(({ ours, peer }) => ({ ours: ours.seconds, peer: peer.seconds }));
  const seconds = rounds.map(({ second }) => second);
  const what = `${name}, ${application.title}`;
  // The target is for cold deployments. Tenantry builds with BuildKit, so the script must do so too.
  const counts = cold && cli.buildKit;
  const verdict = (about: string, ratios: number[], atMost: number): Verdict => ({
    what: `${about}, ${what}`,
    ratios,
    ...(counts ? { limit: { atMost } } : {}),
  });
  const builder = cli.buildKit ? 'BuildKit' : 'the classic builder, so no target applies';
  return {
    verdicts: [
      verdict('first tenant / script', ratiosOf(totals), firstAtMost),
      verdict(
        'second tenant / first',
        rounds.map(({ ours, second }) => second.seconds / ours.seconds),
        secondAtMost,
      ),
      verdict(
        'second tenant / script without clone and build',
        rounds.map(({ second, peer }) => second.seconds / withoutCommit(peer)),
        secondAgainstScriptAtMost,
      ),
    ],
    lines: [
      `${what}: ${conditions}`,
      `${rounds.length} rounds after one to warm up, the order alternates; Tenantry builds through the engine's API with BuildKit, the script with docker ${cli.version}, ${builder}`,
      `load average ${spread(
        rounds.map(({ load }) => load),
        '',
      )}, including the measured work`,
      ...figures(totals, 'by hand', 's'),
      `second tenant  ${spread(
        seconds.map((second) => second.seconds),
        's',
      )}`,
      `steps of Tenantry: ${stepsOf(rounds.map(({ ours }) => ours))}`,
      `steps, second tenant: ${stepsOf(seconds)}`,
      `steps by hand: ${stepsOf(rounds.map(({ peer }) => peer))}`,
    ],
  };
}

/** Seconds of a deployment by the script, without the steps that run once per commit. */
const withoutCommit = ({ seconds, steps }: Deployment): number =>
  stepsPerCommit.reduce((rest, step) => rest - (steps.get(step) ?? 0), seconds);
