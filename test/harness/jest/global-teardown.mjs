import { rm } from 'node:fs/promises';

/** Ends what `global-setup.mjs` started. */
export default async function tearDownRun() {
  await globalThis.runServer?.stop();
  await rm(process.env.TEST_TEMPLATES ?? '', { recursive: true, force: true });
}
