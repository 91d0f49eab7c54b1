import { createServer } from 'node:net';

/**
 * A port pool of this test worker's own: managers of suites that run side by side, or of two runs, must not give out the same
 * ports. Below the system's ephemeral ports, 200 a worker, of which there may be four.
 */
export function portPool(): { PORT_POOL_START: string; PORT_POOL_END: string } {
  const worker = Number(process.env.JEST_WORKER_ID ?? '1');
  const start = 10_000 + ((process.ppid % 25) * 4 + (worker % 4)) * 200;
  return { PORT_POOL_START: String(start), PORT_POOL_END: String(start + 199) };
}

/** A port nobody listens on, now. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}
