import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { freePort } from '../../scripts/demo/manager.ts';
import { removeLabelled } from '../harness/docker.ts';
import { type Deployment, stopwatch } from './clock.ts';
import type { Place } from './place.ts';

/** Deploys with by-hand.sh, which prints its steps, and removes everything but the images. */
export async function byHand(place: Place, version: string): Promise<Deployment> {
  const [frontendPort, apiPort] = [await freePort(0), await freePort(0)];
  const slug = `by-hand-${version.replaceAll('.', '-')}-${place.benchLabel}`;
  const clock = stopwatch();
  const script = join(import.meta.dirname, 'by-hand.sh');
  const child = spawn(
    'sh',
    [script, place.application.repository, version, slug, String(frontendPort), String(apiPort)],
    {
      env: {
        ...process.env,
        DOCKER: place.cli.program,
        DOCKER_BUILDKIT: place.cli.buildKit ? '1' : '0',
        BENCH_LABEL: place.benchLabel,
        TMPDIR: place.stage.directory,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
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
  if (code !== 0) throw new Error(`deploy/by-hand.sh exited with code ${code}:\n${output.slice(-2_000)}`);
  await removeLabelled(place.cli.program, `org.tenantry.bench=${place.benchLabel}`, { images: false });
  return result;
}
