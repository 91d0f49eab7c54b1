import { setTimeout } from 'node:timers/promises';
import { describe, test } from '@jest/globals';
import Docker from 'dockerode';

/** The base images of units, database servers and proxies in tests; docker/offline/build.sh provides them. */
const baseImages = ['node:24-trixie-slim', 'node:24-bookworm-slim', 'mariadb:11.8', 'nginx:1.30'];

/** Why tests with an engine cannot run here; undefined if they can. */
async function obstacle(): Promise<string | undefined> {
  const docker = new Docker({ timeout: 5_000 });
  try {
    await docker.ping();
  } catch (error) {
    return `no Docker engine answers (${error instanceof Error ? error.message : error})`;
  }
  for (const image of baseImages) {
    const found = await docker
      .getImage(image)
      .inspect()
      .catch(() => undefined);
    if (!found) return `the engine lacks the image ${image} (docker/offline/build.sh makes it)`;
  }
  return undefined;
}

const reason = await obstacle();
// Jest itself does not name what a completely skipped file has left out.
if (reason !== undefined) process.stderr.write(`skipped, tests with a Docker engine: ${reason}\n`);

/**
 * A block of tests that need a Docker engine. Without one it is a skipped test with the reason; with CI=true it fails
 * instead, so that nothing stays untested there.
 */
export function describeWithEngine(name: string, tests: () => void): void {
  describe(name, () => {
    if (reason === undefined) tests();
    else if (process.env.CI === 'true')
      test('has an engine', () => {
        throw new Error(`CI needs a Docker engine: ${reason}`);
      });
    else test.skip(`skipped: ${reason}`, () => undefined);
  });
}

/**
 * Removes an image. Waits while a container of it runs: a concurrent build may use it as its cache.
 * @throws the engine's error; a conflict only after a minute
 */
export async function removeImage(docker: Docker, id: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;)
    try {
      await docker.getImage(id).remove({ force: true });
      return;
    } catch (error) {
      if ((error as { statusCode?: number }).statusCode !== 409 || performance.now() > deadline) throw error;
      await setTimeout(500);
    }
}
