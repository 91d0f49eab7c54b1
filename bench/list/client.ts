/**
 * The client of the benchmark list, in a child process: each of its keep-alive connections sends the next request as soon as the last one is
 * answered. It reports the requests per second over IPC.
 */
import { Agent, get } from 'node:http';

export interface Load {
  url: string;
  headers: Record<string, string>;
  connections: number;
  seconds: number;
}

async function requestsPerSecond({ url, headers, connections, seconds }: Load): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const began = performance.now();
  const end = began + seconds * 1000;
  let answered = 0;
  const ask = (): Promise<void> =>
    new Promise((resolve, reject) => {
      get(url, { agent, headers }, (response) => {
        if (response.statusCode !== 200) reject(new Error(`${url} answered ${response.statusCode}`));
        response.resume();
        response.once('end', resolve);
        response.once('error', reject);
      }).once('error', reject);
    });
  const line = async (): Promise<void> => {
    while (performance.now() < end) {
      await ask();
      answered += 1;
    }
  };
  await Promise.all(Array.from({ length: connections }, line));
  agent.destroy();
  return answered / ((performance.now() - began) / 1000);
}

process.on('message', async (load: Load) => {
  process.send?.(await requestsPerSecond(load));
});
