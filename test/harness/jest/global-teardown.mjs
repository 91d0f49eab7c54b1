import { rm } from 'node:fs/promises';
import { endWorker } from './worker-end.ts';

/** Ends what `global-setup.mjs` started. */
export default async function tearDownRun() {
  await endWorker();
  await globalThis.runServer?.stop();
  await rm(process.env.TEST_TEMPLATES ?? '', { recursive: true, force: true });
}
