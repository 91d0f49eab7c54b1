import { rm } from 'node:fs/promises';

/** Ends what `global-setup.ts` started. */
export default async function tearDownRun(): Promise<void> {
  await globalThis.runServer?.stop();
  await rm(process.env.TEST_TEMPLATES ?? '', { recursive: true, force: true });
}
