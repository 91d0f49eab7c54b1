import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { connectManagers } from '../../../../src/adapters/runtimes/swarm/client/managers.ts';
import { createLogger } from '../../../../src/lib/logger.ts';

interface Answer {
  status: number;
  body: unknown;
}

/** A manager that gives one answer to every request, or none at all. */
class Manager {
  requests = 0;
  answer: Answer | 'silence' | 'break' | 'cut' = { status: 200, body: [] };
  readonly #server: Server = createServer((request, response) => {
    if (request.url === '/version')
      return void response.end(JSON.stringify({ Version: '20.10.24', ApiVersion: '1.41' }));
    this.requests += 1;
    if (this.answer === 'break') request.socket.destroy();
    if (this.answer === 'cut') response.write('[{"ID":', () => request.socket.end());
    if (typeof this.answer === 'string') return;
    response.writeHead(this.answer.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(this.answer.body));
  });

  async open(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return this;
  }

  get address(): { host: string; port: number } {
    return { host: '127.0.0.1', port: (this.#server.address() as AddressInfo).port };
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const logger = createLogger({ level: 'fatal' });
const services = [{ ID: 'one' }];
const noLeader =
  "rpc error: code = Unknown desc = The swarm does not have a leader. It's possible that too few managers are online.";
const lostLeadership = 'rpc error: code = Unknown desc = raft: failed to process the request: node lost leader status';
let first: Manager;
let second: Manager;

beforeEach(async () => {
  first = await new Manager().open();
  second = await new Manager().open();
  second.answer = { status: 200, body: services };
});
afterEach(() => Promise.all([first.close(), second.close()]));

const connect = () => connectManagers([first.address, second.address], logger, { timeoutMs: 1_000, electionMs: 1_000 });
const list = ({ call }: ReturnType<typeof connect>) => call((docker) => docker.listServices());

test.each<[string, Manager['answer']]>([
  ['is no manager', { status: 503, body: { message: 'This node is not a swarm manager.' } }],
  ['is no manager, as older engines say', { status: 406, body: { message: 'This node is not a swarm manager.' } }],
  ['has no leader', { status: 500, body: { message: noLeader } }],
  ['is no longer the leader', { status: 500, body: { message: lostLeadership } }],
  ['gave up waiting', { status: 500, body: { message: 'rpc error: code = DeadlineExceeded desc = context' } }],
  ['breaks the connection', 'break'],
  ['ends its answer in the middle', 'cut'],
  ['does not answer', 'silence'],
])('asks the next manager when one %s, and then that one first', async (_what, answer) => {
  first.answer = answer;
  const managers = connect();
  expect(await list(managers)).toEqual(services);
  expect(await list(managers)).toEqual(services);
  expect([first.requests, second.requests]).toEqual([1, 2]);
  second.answer = answer;
  await expect(list(managers)).rejects.toMatchObject({ code: 'runtime_unavailable' });
  first.answer = { status: 200, body: [] };
  expect(await list(managers)).toEqual([]);
});

test('an answer that ends in the middle is an error without a timeout, too', async () => {
  first.answer = 'cut';
  second.answer = 'cut';
  const { follow } = connect();
  await expect(follow((docker) => docker.listServices())).rejects.toMatchObject({ code: 'runtime_unavailable' });
});

test.each([noLeader, lostLeadership])('waits while the managers elect a leader: %s', async (message) => {
  first.answer = { status: 500, body: { message } };
  second.answer = 'break';
  setTimeout(() => {
    second.answer = { status: 200, body: services };
  }, 100);
  expect(await list(connect())).toEqual(services);
});

test('asks the next manager when nothing listens', async () => {
  const managers = connect();
  await first.close();
  expect(await list(managers)).toEqual(services);
  await second.close();
  await expect(list(managers)).rejects.toMatchObject({ code: 'runtime_unavailable' });
  await Promise.all([first.open(), second.open()]);
});

test('an answer about the request is not the manager’s fault', async () => {
  first.answer = { status: 500, body: { message: 'rpc error: code = Unknown desc = update out of sequence' } };
  const managers = connect();
  await expect(list(managers)).rejects.toMatchObject({ status: 500, message: expect.stringContaining('sequence') });
  expect(second.requests).toBe(0);
});

test('an empty address is refused: it would mean the default engine', () => {
  for (const addresses of [[], [{}], [{ socketPath: '' }], [first.address, { host: '' }]])
    expect(() => connectManagers(addresses, logger)).toThrow('DOCKER_HOST');
});
