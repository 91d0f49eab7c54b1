import { createConnection, isIP } from 'node:net';
import type { ContainerInspectInfo } from 'dockerode';
import { poll } from '../../../../lib/concurrency/poll.ts';
import type { Work } from '../../../../lib/concurrency/work.ts';
import { messageOf } from '../../../../lib/errors.ts';
import { withContext } from '../../engine/client/errors.ts';
import { databasePort, planDatabase } from '../../engine/container-plan.ts';
import { streamExec } from '../../engine/exec/stream-exec.ts';
import type { BaseImages } from '../../engine/images/base-images.ts';
import { label } from '../../engine/labels.ts';
import { databaseName, volumeName } from '../../engine/names.ts';
import { publicImages } from '../../image-access.ts';
import type { Address, DatabaseServerSpec, DatabaseServers, TenantSpace } from '../../runtime.ts';
import type { DockerContext } from '../context.ts';
import type { Volumes } from '../files/volumes.ts';
import { unitLogs } from '../log-stream.ts';
import type { Networks } from '../networks/networks.ts';
import type { Containers } from './containers.ts';
import { desiredState, isRunning } from './desired-state.ts';

interface Parts {
  bases: BaseImages;
  containers: Containers;
  networks: Networks;
  volumes: Volumes;
  /** How long a server may take from its start to its first greeting (a first start sets up its directory). */
  readyWithinMs: number;
}

const greetingWithinMs = 2_000;
/** A server that exited this often during the wait will not come up. */
const maxRestarts = 3;

/** Tenants' own database servers, next to their units on their networks. */
export function createDatabaseServers(context: DockerContext, parts: Parts): DatabaseServers {
  const { bases, containers, networks, volumes } = parts;

  async function addressOf(info: ContainerInspectInfo, tenant: TenantSpace): Promise<Address | undefined> {
    if (!isRunning(info)) return undefined;
    if (await context.managerContainer()) return { host: databaseName(tenant.slug), port: databasePort };
    const port = info.NetworkSettings.Ports[`${databasePort}/tcp`]?.[0]?.HostPort;
    return port === undefined ? undefined : { host: '127.0.0.1', port: Number(port) };
  }

  async function address(tenant: TenantSpace): Promise<Address | undefined> {
    const info = await containers.find(tenant, databaseName(tenant.slug));
    return info && addressOf(info, tenant);
  }

  /** Creates and starts the container, again if its plan has changed (its volume stays). */
  async function run(spec: DatabaseServerSpec, work: Work): Promise<void> {
    const name = databaseName(spec.tenant.slug);
    const plan = planDatabase(spec, await context.facts());
    const existing = await containers.find(spec.tenant, name);
    if (existing && existing.Config.Labels[label.spec] !== plan.digest) {
      work.log(`Creating ${name} again with its changed settings`);
      await containers.halt(existing.Id);
      await containers.remove(existing.Id);
    } else if (existing && isRunning(existing) && desiredState(existing) === 'running') {
      return;
    }
    if (existing?.Config.Labels[label.spec] !== plan.digest) await containers.create(name, plan);
    work.log(`Starting ${name}`);
    await containers.start(name, name);
  }

  async function ready(tenant: TenantSpace, work: Work): Promise<Address> {
    const name = databaseName(tenant.slug);
    const started = performance.now();
    let reportedSeconds = 0;
    let obstacle: string | undefined;
    const answer = await poll(
      async () => {
        const info = await containers.find(tenant, name);
        if (!info) throw new Error(`The database server ${name} was removed while it started`);
        if (info.State.Restarting && info.RestartCount >= maxRestarts)
          throw new Error(`The database server ${name} does not start: ${await lastWords(tenant)}`);
        const at = await addressOf(info, tenant);
        obstacle = at ? await obstacleTo(at) : 'its container has no address';
        if (at && obstacle === undefined) return at;
        const seconds = Math.floor((performance.now() - started) / 1000);
        if (seconds >= reportedSeconds + 5) {
          reportedSeconds = seconds;
          work.log(`Waiting for ${name} (${seconds} s)`);
        }
        return undefined;
      },
      { timeoutMs: parts.readyWithinMs, intervalMs: 100, signal: work.signal },
    );
    if (answer) return answer;
    const waited = `${parts.readyWithinMs / 1000} s`;
    throw new Error(
      `The database server ${name} did not answer within ${waited} (${obstacle}): ${await lastWords(tenant)}`,
    );
  }

  async function lastWords(tenant: TenantSpace): Promise<string> {
    const lines: string[] = [];
    const find = () => containers.find(tenant, databaseName(tenant.slug));
    const options = { lines: 5, follow: false, signal: new AbortController().signal };
    for await (const { message } of unitLogs(context, find, options)) lines.push(message);
    return lines.length === 0 ? 'it printed nothing' : lines.join(' | ');
  }

  return {
    async ensure(spec, work) {
      const { tenant } = spec;
      await bases.ensurePulled(spec.image, spec.access ?? publicImages, work);
      work.signal.throwIfAborted();
      await networks.ensure(tenant);
      await volumes.ensure(tenant, 'db');
      await run(spec, work);
      await ready(tenant, work);
      work.log(`${databaseName(tenant.slug)} answers`);
      return { host: databaseName(tenant.slug), port: databasePort };
    },
    address,
    async missingData(tenant) {
      const [gone] = await volumes.missing([volumeName(tenant, 'db')]);
      return gone && `the volume ${gone}`;
    },
    async exec(tenant, argv, options) {
      const name = databaseName(tenant.slug);
      const info = await containers.find(tenant, name);
      if (!info || !isRunning(info)) throw new Error(`The database server ${name} is not running`);
      return streamExec(containers.get(info.Id), argv, options).catch((error: unknown) => {
        throw withContext(`${argv[0]} could not be run in ${name}`, error);
      });
    },
    async remove(tenant, { data }) {
      const info = await containers.find(tenant, databaseName(tenant.slug));
      if (info) {
        await containers.halt(info.Id);
        await containers.remove(info.Id);
      }
      if (data) await volumes.remove(tenant, 'db');
    },
  };
}

/**
 * Why no MariaDB or MySQL server sends its greeting, a packet of protocol version 10 (its fifth byte); undefined: it does. An
 * accepted connection proves nothing: the engine's port proxy accepts without a server behind it.
 */
function obstacleTo({ host, port }: Address): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  let where = `${host}:${port}`;
  let missing = isIP(host) === 0 ? 'has no address' : 'accepted no connection';
  let received = Buffer.alloc(0);
  const socket = createConnection({ host, port, timeout: greetingWithinMs });
  socket.on('lookup', (_error, address) => {
    where += ` (${address})`;
    missing = 'accepted no connection';
  });
  socket.on('connect', () => {
    missing = 'sent nothing';
  });
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    if (received.length >= 5) resolve(received[4] === 10 ? undefined : `${where} sent another greeting`);
  });
  socket.on('error', (error) => resolve(messageOf(error)));
  socket.on('timeout', () => resolve(`${where} ${missing} within ${greetingWithinMs / 1000} s`));
  socket.on('close', () => resolve(`${where} closed the connection`));
  return promise.finally(() => socket.destroy());
}
