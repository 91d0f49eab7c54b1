import { spawn } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addRelease, makeContactsRepository } from '../examples/contacts/make-repository.ts';
import { freePort } from '../scripts/demo/manager.ts';
import { type DockerCli, dockerClis, missingImages, removeLabelled } from './docker.ts';
import {
  alternate,
  type Findings,
  figures,
  median,
  ratiosOf,
  run,
  type Stage,
  spread,
  type Verdict,
} from './harness.ts';
import { adminPassword, type Manager, startManager } from './manager.ts';

/** What a version changes: how much of a build an earlier build's layers spare both sides. */
type Change = 'code' | 'dependencies';

interface Series {
  name: string;
  /** How it is measured, for the reader. */
  conditions: string;
  /** Nothing of the application there before: no build cache, no mirror of its repository, no image of the commit. */
  cold: boolean;
  change: Change;
  rounds: number;
}

const series: readonly Series[] = [
  {
    name: 'cold',
    conditions:
      'before every deployment by either the build cache is emptied (docker builder prune --all; base images stay); a new manager with an empty data directory each round; the second tenant at the same commit right after the first, in the same manager',
    cold: true,
    change: 'dependencies',
    rounds: 5,
  },
  {
    name: 'warm, changed code',
    conditions: 'build cache and mirror of the repository kept, a commit without an image, its dependencies as before',
    cold: false,
    change: 'code',
    rounds: 3,
  },
  {
    name: 'warm, changed dependencies',
    conditions: 'build cache and mirror of the repository kept, a commit without an image, its dependencies changed',
    cold: false,
    change: 'dependencies',
    rounds: 3,
  },
];

const firstAtMost = 1.15;
const secondAtMost = 0.35;
const images = ['node:24-bookworm-slim', 'mariadb:11.8'];

/** One deployment: seconds in all and by step. */
interface Deployment {
  seconds: number;
  steps: Map<string, number>;
}

/** Deployment of the sample application through Tenantry's API, against bench/deploy-by-hand.sh. */
export async function benchDeploy(stage: Stage): Promise<Findings | { skipped: string }> {
  const [cli] = await dockerClis();
  if (!cli) return { skipped: 'no Docker engine answers' };
  const missing = await missingImages(cli.program, images);
  if (missing.length > 0)
    return { skipped: `the engine lacks ${missing.join(', ')} (docker/offline/build.sh makes them)` };

  const benchLabel = randomBytes(6).toString('hex');
  stage.defer(() => removeLabelled(cli.program, `org.tenantry.bench=${benchLabel}`, { images: true }));
  const repository = await makeContactsRepository(join(stage.directory, 'contacts'));
  const place = { stage, repository: repository.path, benchLabel, cli };

  const findings: Findings = { verdicts: [], lines: [] };
  for (const wanted of series) {
    const { verdicts, lines } = await measure(wanted, place);
    findings.verdicts.push(...verdicts);
    findings.lines.push(...lines);
  }
  return findings;
}

interface Place {
  stage: Stage;
  repository: string;
  benchLabel: string;
  cli: DockerCli;
}

async function measure({ name, conditions, cold, change, rounds }: Series, place: Place): Promise<Findings> {
  const { stage, cli } = place;
  const seconds: Deployment[] = [];
  const kept = cold ? undefined : await openManager(place);
  const prepare = async (): Promise<void> => {
    if (cold) await run(cli.program, ['builder', 'prune', '--all', '--force']);
  };
  const pairs = await alternate(
    { rounds },
    {
      async ours() {
        const version = await newVersion(place.repository, change);
        const manager = kept ?? (await openManager(place));
        const [first, second] = [await registered(manager, place), await registered(manager, place)];
        await prepare();
        const result = await deployed(manager, first, version);
        seconds.push(await deployed(manager, second, version));
        for (const id of [first, second]) await manager.client.call('DELETE', `/api/tenants/${id}?remove_files=true`);
        if (!kept) await manager.close();
        return result;
      },
      async peer() {
        const version = await newVersion(place.repository, change);
        await prepare();
        return byHand(place, version);
      },
    },
    (round, { ours, peer }) =>
      stage.say(
        `${name} ${round}: ${ours.seconds.toFixed(1)} s, by hand ${peer.seconds.toFixed(1)} s, second ${seconds.at(-1)?.seconds.toFixed(1)} s [${stepsOf([ours])}] [${stepsOf([peer])}]`,
      ),
  );
  await kept?.close();
  const totals = pairs.map(({ ours, peer }) => ({ ours: ours.seconds, peer: peer.seconds }));
  const counted = seconds.slice(-rounds);
  const seconding = counted.map((second, at) => second.seconds / (totals[at]?.ours ?? Number.NaN));
  // The promise is about cold deployments, and Tenantry builds with BuildKit: so must the script.
  const counts = cold && cli.buildKit;
  const verdicts: Verdict[] = [
    { what: `first tenant, ${name}`, ratios: ratiosOf(totals), ...(counts ? { limit: { atMost: firstAtMost } } : {}) },
    {
      what: `second tenant / first, ${name}`,
      ratios: seconding,
      ...(counts ? { limit: { atMost: secondAtMost } } : {}),
    },
  ];
  const builder = cli.buildKit ? 'BuildKit' : 'the classic builder, so that nothing is held against the promise';
  return {
    verdicts,
    lines: [
      `${name}: ${conditions}`,
      `${rounds} rounds after one to warm up, who begins alternates; Tenantry builds through the engine's API with BuildKit, the script with docker ${cli.version}, ${builder}`,
      ...figures(totals, 'by hand', 's'),
      `second tenant  ${spread(
        counted.map((second) => second.seconds),
        's',
      )}`,
      `steps of Tenantry: ${stepsOf(pairs.map(({ ours }) => ours))}`,
      `steps, second tenant: ${stepsOf(counted)}`,
      `steps by hand: ${stepsOf(pairs.map(({ peer }) => peer))}`,
    ],
  };
}

interface OpenManager extends Manager {
  /** Stops it and removes all it made at the engine. */
  close(): Promise<void>;
}

/** A manager with an empty data directory. */
async function openManager({ stage, cli }: Place): Promise<OpenManager> {
  const data = await mkdtemp(join(stage.directory, 'data-'));
  const clear = async (): Promise<void> => {
    const instance = await readFile(join(data, 'instance-id'), 'utf8').catch(() => '');
    if (instance) await removeLabelled(cli.program, `org.tenantry.instance=${instance.trim()}`, { images: true });
  };
  stage.defer(clear);
  const manager = await startManager(stage, data, {
    RUNTIME: 'docker',
    PORT_POOL_START: '27000',
    PORT_POOL_END: '27199',
    DOCKER_NETWORK_POOL: '10.214.0.0/16',
  });
  await manager.client.login('admin', adminPassword);
  return {
    ...manager,
    async close() {
      await manager.stop();
      await clear();
    },
  };
}

let versions = 0;

/** A version that no image exists of. */
async function newVersion(repository: string, change: Change): Promise<string> {
  versions += 1;
  const version = `v2.0.${versions}`;
  await addRelease(repository, version, {
    'shared/bench.js': `export const version = '${version} ${randomUUID()}';\n`,
    ...(change === 'dependencies' ? { '.npmrc': `ignore-scripts=true\n# ${randomUUID()}\n` } : {}),
  });
  return version;
}

let tenants = 0;

async function registered(manager: Manager, { repository }: Place): Promise<string> {
  tenants += 1;
  const slug = `bench-${Date.now().toString(36)}-${tenants}`;
  const { id } = await manager.client.call<{ id: string }>('POST', '/api/tenants', {
    name: slug,
    slug,
    domain: `${slug}.example.org`,
    api_domain: `api.${slug}.example.org`,
    git_repo: repository,
  });
  return id;
}

/** Deploys through the API; the clock stops when the stream says that it is complete. */
async function deployed(manager: Manager, id: string, version: string): Promise<Deployment> {
  const clock = stopwatch();
  const asked = await manager.client.call<{ deployment_id: string }>('POST', `/api/tenants/${id}/deploy`, {
    target_version: version,
  });
  for await (const message of manager.client.messages(asked.deployment_id)) {
    if (message.type === 'progress' && typeof message.current_step === 'string') clock.step(message.current_step);
    if (message.type !== 'complete') continue;
    const result = clock.end();
    if (message.status === 'success') return result;
    const { logs } = await manager.client.call<{ logs: string }>('GET', `/api/deployments/${asked.deployment_id}`);
    throw new Error(`The deployment ended as ${message.status}:\n${logs}`);
  }
  throw new Error('The stream of the deployment ended before it was complete');
}

async function byHand(place: Place, version: string): Promise<Deployment> {
  const [frontendPort, apiPort] = [await freePort(0), await freePort(0)];
  const slug = `by-hand-${version.replaceAll('.', '-')}-${place.benchLabel}`;
  const clock = stopwatch();
  const script = join(import.meta.dirname, 'deploy-by-hand.sh');
  const child = spawn('sh', [script, place.repository, version, slug, String(frontendPort), String(apiPort)], {
    env: {
      ...process.env,
      DOCKER: place.cli.program,
      DOCKER_BUILDKIT: place.cli.buildKit ? '1' : '0',
      BENCH_LABEL: place.benchLabel,
      TMPDIR: place.stage.directory,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  place.stage.defer(async () => {
    if (child.exitCode === null && child.kill()) await closed;
  });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output += chunk;
    const step = /(?:^|\n)[\d.]+ (\w+)\n$/.exec(output)?.[1];
    if (step !== undefined && step !== 'done') clock.step(step);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const [code] = (await closed) as [number | null];
  const result = clock.end();
  if (code !== 0) throw new Error(`deploy-by-hand.sh ended with exit code ${code}:\n${output.slice(-2_000)}`);
  await removeLabelled(place.cli.program, `org.tenantry.bench=${place.benchLabel}`, { images: false });
  return result;
}

function stopwatch(): { step(name: string): void; end(): Deployment } {
  const began = performance.now();
  const steps = new Map<string, number>();
  let current = { name: '', since: began };
  const step = (name: string): void => {
    const now = performance.now();
    if (name === current.name) return;
    if (current.name !== '') steps.set(current.name, (now - current.since) / 1000);
    current = { name, since: now };
  };
  return {
    step,
    end() {
      step('end');
      return { seconds: (performance.now() - began) / 1000, steps };
    },
  };
}

const stepsOf = (deployments: readonly Deployment[]): string =>
  [...(deployments[0]?.steps.keys() ?? [])]
    .map((name) => `${name} ${median(deployments.map(({ steps }) => steps.get(name) ?? 0)).toFixed(2)}`)
    .join(', ');
