import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeContactsRepository } from '../../examples/contacts/make-repository.ts';
import { ManagerClient } from '../../scripts/demo/client.ts';
import { deployed, registered } from '../deploy/by-tenantry.ts';
import { alternate, type Findings, figures, ratiosOf, type Stage, spread } from '../harness/harness.ts';
import { adminPassword } from '../harness/manager.ts';
import { answerOf } from '../harness/messages.ts';

const rounds = 9;
const atMost = 1.05;
/** What waited for the channel is sent one by one; new alerts become some messages at once and one for the rest, within a minute. */
const waited = 1_000;
const groupedAtMost = 20;
const version = 'v1.0.0';

/**
 * Deployments of a tenant while 1,000 new alerts and 1,000 messages that waited are due at once, against deployments without any, in
 * the same manager. The channel is a webhook on this machine.
 */
export async function benchAlerts(stage: Stage): Promise<Findings> {
  const receiver = await startReceiver(stage);
  const worker = fork(join(import.meta.dirname, 'worker.ts'), [join(stage.directory, 'data')]);
  stage.defer(() => endWorker(worker));
  const client = new ManagerClient(await answerOf<string>(worker));
  await client.login('admin', adminPassword);
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const channel = await client.call<{ id: string }>('POST', '/api/notifications/channels', {
    kind: 'webhook',
    name: 'Receiver',
    config: { url: receiver.url, secret },
  });
  await client.call('POST', '/api/notifications/rules', { events: [], channel_ids: [channel.id] });
  const { path: repository } = await makeContactsRepository(join(stage.directory, 'contacts'));
  const tenant = await registered({ client }, { application: { title: '', repository } });
  stage.defer(() => client.call('DELETE', `/api/tenants/${tenant}?remove_files=true`));

  const drainMs: number[] = [];
  const grouped: number[] = [];
  /** Milliseconds of a deployment. */
  const deploy = async (): Promise<number> => (await deployed({ client }, tenant, version)).seconds * 1_000;
  async function withAlerts(round: number): Promise<number> {
    const [before, collected, began] = [receiver.count(), receiver.digests(), performance.now()];
    worker.send(round);
    const raised = answerOf<string>(worker);
    const [taken] = await Promise.all([deploy(), raised]);
    await client.until(
      async () => receiver.count() - before,
      (count) => count >= waited,
      'All messages',
    );
    drainMs.push(receiver.lastAt() - began);
    // What is collected is sent at the end of its minute; it must not reach into the other side.
    await client.until(
      () => client.call<{ total: number }>('GET', '/api/notifications/deliveries?state=waiting&limit=1'),
      ({ total }) => total === 0 && receiver.digests() > collected,
      'The collected message',
    );
    grouped.push(receiver.count() - before - waited);
    return taken;
  }

  const pairs = await alternate({ rounds }, { ours: withAlerts, peer: deploy }, (round, { ours, peer }) =>
    stage.say(`${round}: ${ours.toFixed(0)} ms, without alerts ${peer.toFixed(0)} ms`),
  );
  return {
    verdicts: [
      { what: 'time of a deployment while 1,000 alerts are due / without', ratios: ratiosOf(pairs), limit: { atMost } },
      { what: 'messages of 1,000 new alerts', ratios: grouped, limit: { atMost: groupedAtMost } },
    ],
    lines: [
      `one deployment at a time of the sample application at ${version}, which is built already (RUNTIME=process, SQLite)`,
      ...figures(pairs, 'without alerts', 'ms', 0),
      `the ${waited} messages that waited are sent after ${spread(drainMs, 'ms', 0)}, next to the deployment`,
    ],
  };
}

/** A web service that takes every message at once. */
async function startReceiver(stage: Stage) {
  let [count, lastAt, digests] = [0, 0, 0];
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    count += 1;
    lastAt = performance.now();
    if (body.includes('notifications, first:')) digests += 1;
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stage.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    count: () => count,
    /** When the last one arrived, as `performance.now()`. */
    lastAt: () => lastAt,
    /** How many were collections of several alerts. */
    digests: () => digests,
  };
}

async function endWorker(worker: ChildProcess): Promise<void> {
  if (worker.exitCode !== null || worker.signalCode !== null) return;
  worker.disconnect();
  await once(worker, 'exit');
}
