import { serve as listen } from '@hono/node-server';

/** Less than the ten seconds that a supervisor waits between SIGTERM and SIGKILL. */
const GRACE_MS = 2500;

/**
 * Serves an application until SIGTERM or SIGINT, then finishes the requests under way and ends the process.
 * @param {object} options
 * @param {import('hono').Hono} options.app
 * @param {string} options.name what the log lines call it
 * @param {string} options.host
 * @param {number} options.port
 * @param {AbortController} [options.stopping] aborted when the end begins, for long work to give up
 * @param {() => Promise<void>} options.close called after the last request
 */
export function serve({ app, name, host, port, stopping, close }) {
  const server = listen({ fetch: app.fetch, hostname: host, port }, (address) => {
    console.log(`${name} listens on ${address.address}:${address.port}`);
  });
  server.on('error', (error) => {
    console.error(`${name} cannot listen on ${host}:${port}: ${error.message}`);
    process.exit(1);
  });

  const stop = () => {
    console.log(`${name} stops`);
    stopping?.abort();
    setTimeout(() => process.exit(0), GRACE_MS).unref();
    server.close(async () => {
      await close();
      process.exit(0);
    });
    server.closeIdleConnections();
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
