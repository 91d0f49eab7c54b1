/**
 * The demo: starts Tenantry, registers a tenant from the bundled sample application's git repository,
 * deploys it with live steps, shows it healthy, upgrades it to the next version, and leaves everything running until Ctrl-C.
 * With `--once` it ends automatically; RUNTIME selects the runtime (docker, process).
 * With `--incident` it plays a night instead, with local processes: the tenant fails, one message goes out, and it is repaired.
 * `--screenshots <directory>` takes pictures of that night with Chromium.
 */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { engineAnswers } from './demo/engine.ts';
import { playNight } from './demo/night.ts';
import { Stage, say } from './demo/stage.ts';
import { showTour } from './demo/tour.ts';

const { values: options } = parseArgs({
  options: { once: { type: 'boolean' }, incident: { type: 'boolean' }, screenshots: { type: 'string' } },
});
if (options.screenshots !== undefined && !options.incident) throw new Error('--screenshots needs --incident');

let stage: Stage | undefined;
let ending = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void shutDown(0));

try {
  stage = options.incident
    ? await Stage.open('process', { ALLOW_PRIVATE_NOTIFICATIONS: 'true' })
    : await Stage.open(await chosenRuntime());
  if (options.incident) await playNight(stage, options.screenshots && resolve(options.screenshots));
  else await showTour(stage);
  // A night is over at its end; the tour stays to be looked at.
  if (options.incident || options.once) await shutDown(0);
} catch (error) {
  // Ctrl-C in the middle makes the demo's requests fail.
  if (!ending) {
    console.error(error instanceof Error ? error.message : error);
    await shutDown(1);
  }
}

async function chosenRuntime(): Promise<string> {
  if (process.env.RUNTIME) return process.env.RUNTIME;
  if (await engineAnswers()) return 'docker';
  say('No Docker engine answers: the sample application runs as local processes of your user, without isolation.');
  return 'process';
}

async function shutDown(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  let failed = false;
  await stage?.close().catch((error: Error) => {
    failed = true;
    console.error(error.message);
  });
  process.exit(failed ? 1 : code);
}
