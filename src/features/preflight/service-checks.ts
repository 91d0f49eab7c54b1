import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { DatabaseOwner, TenantDatabase } from '../../adapters/databases/tenant-database.ts';
import type { ReverseProxy } from '../../adapters/proxies/proxy.ts';
import type { ImageAccess } from '../../adapters/runtimes/image-access.ts';
import { nameOfHolder, processOnPort } from '../../adapters/runtimes/port-holder.ts';
import type { Runtime } from '../../adapters/runtimes/runtime.ts';
import type { Work } from '../../lib/concurrency/work.ts';
import { messageOf } from '../../lib/errors.ts';
import { mkdir, rm, writeFile } from '../../lib/files/changes.ts';
import type { BackupsDeps } from '../backups/backups.ts';
import type { Notifications } from '../notifications/notifications.ts';
import { type BucketProblem, type DatabaseProblem, problem } from './causes.ts';
import type { Check } from './run.ts';

/** The services that a manager uses in addition to its runtime. */
export interface ServiceDeps {
  runtime: Pick<Runtime, 'probes' | 'portHolder'>;
  /** The registries as the operator may use them. */
  access: ImageAccess;
  /** Tenants' databases: on a shared server, or in a container of this image; undefined: in files. */
  database:
    | { kind: 'shared'; server: string; adapter: Pick<TenantDatabase, 'ensure' | 'check' | 'remove'> }
    | { kind: 'container'; image: string }
    | undefined;
  proxy: Pick<ReverseProxy, 'kind' | 'availability'>;
  /** Where visitors reach it. */
  proxyPorts: readonly number[];
  offsite: BackupsDeps['offsite'];
  mail: Pick<Notifications['channels'], 'list' | 'verifyMail'>;
  /** This manager's id. */
  instance: string;
  dataDirectory: string;
}

/** The checks of the services that are set up here. */
export async function serviceChecks(deps: ServiceDeps): Promise<Check[]> {
  const { offsite, mail, database, proxy, runtime } = deps;
  const destination = await offsite.destination();
  const channels = (await mail.list()).filter(({ kind, enabled }) => kind === 'email' && enabled);
  const checks: Check[] = [];
  if (database)
    checks.push({
      code: 'tenant_database',
      after: ['runtime'],
      async run(work) {
        if (database.kind === 'shared') await tryDatabase(database, deps.instance, work);
        else await runtime.probes?.lookUp(database.image, deps.access, work);
        return database.kind === 'shared' ? database.server : database.image;
      },
    });
  if (proxy.kind !== 'none') checks.push({ code: 'proxy', run: () => askProxy(deps) });
  if (destination)
    checks.push({
      code: 'bucket',
      async run({ signal }) {
        const key = [destination.prefix, `tenantry-preflight-${deps.instance}`].filter(Boolean).join('/');
        await tryBucket(deps, destination, key, signal);
        return destination.location.bucket;
      },
    });
  if (channels.length > 0)
    checks.push({
      code: 'mail',
      async run({ signal }) {
        for (const { id, name: channel } of channels)
          await mail.verifyMail(id, signal).catch((error: unknown) => {
            signal.throwIfAborted();
            throw problem({ code: 'mail_failed', params: { channel } }, error);
          });
        return channels.map(({ name }) => name).join(', ');
      },
    });
  return checks;
}

const databaseProblems: Record<string, DatabaseProblem> = {
  ECONNREFUSED: 'database_unreachable',
  ETIMEDOUT: 'database_unreachable',
  ENOTFOUND: 'database_unreachable',
  EHOSTUNREACH: 'database_unreachable',
  ER_ACCESS_DENIED_ERROR: 'database_refused',
  ER_HOST_NOT_PRIVILEGED: 'database_refused',
  ER_DBACCESS_DENIED_ERROR: 'database_rights',
  ER_SPECIFIC_ACCESS_DENIED_ERROR: 'database_rights',
  ER_CANNOT_USER: 'database_rights',
};

/** Creates a database and an account as tenants get them, uses them, and removes them. */
async function tryDatabase(
  { server, adapter }: Extract<NonNullable<ServiceDeps['database']>, { kind: 'shared' }>,
  instance: string,
  work: Work,
): Promise<void> {
  const password = randomBytes(24).toString('base64url');
  const owner: DatabaseOwner = {
    slot: 0,
    // The same at each time, so that the next check removes what a killed manager left.
    tenant: { id: instance, slug: 'preflight', directory: '' },
    password,
    dataDirectory: '',
  };
  const params = { server };
  try {
    await adapter.ensure(owner, work);
    const { status, error } = await adapter.check(owner, { timeoutMs: 5_000 });
    await adapter.remove(owner, { data: true });
    if (status !== 'healthy') throw new Error(error);
  } catch (error) {
    work.signal.throwIfAborted();
    const code = (error as { cause?: { code?: string } }).cause?.code ?? '';
    throw problem({ code: databaseProblems[code] ?? 'database_failed', params }, error);
  }
}

/** Our own proxy may have its port; another program there is the reason why it does not serve. */
async function askProxy({ proxy, proxyPorts, runtime }: ServiceDeps): Promise<string> {
  const answer = await proxy.availability();
  if (answer.available) return `${proxy.kind} ${answer.version}`;
  for (const port of proxyPorts) {
    const holder = await (runtime.portHolder?.(port) ?? processOnPort(port));
    if (!holder || holder.name.includes(proxy.kind)) continue;
    const params = { port: String(port), holder: nameOfHolder(holder) };
    throw problem({ code: 'proxy_port_taken', params }, answer.reason);
  }
  throw problem({ code: 'proxy_unavailable', params: { proxy: proxy.kind } }, answer.reason);
}

const bucketProblems: Record<string, BucketProblem> = {
  NoSuchBucket: 'bucket_missing',
  AccessDenied: 'bucket_refused',
  InvalidAccessKeyId: 'bucket_refused',
  SignatureDoesNotMatch: 'bucket_refused',
  ECONNREFUSED: 'bucket_unreachable',
  ENOTFOUND: 'bucket_unreachable',
  EHOSTUNREACH: 'bucket_unreachable',
  ETIMEDOUT: 'bucket_unreachable',
};

/** Writes, reads and deletes an object. */
async function tryBucket(
  { offsite, dataDirectory }: ServiceDeps,
  { location }: NonNullable<Awaited<ReturnType<BackupsDeps['offsite']['destination']>>>,
  key: string,
  signal: AbortSignal,
): Promise<void> {
  const { bucket } = location;
  const content = randomBytes(16).toString('hex');
  const path = join(dataDirectory, 'preflight', 'object.txt');
  try {
    await mkdir(join(dataDirectory, 'preflight'), { recursive: true, mode: 0o700 });
    await writeFile(path, content);
    const objects = await offsite.open(location);
    await objects.upload(key, path, signal);
    let read = '';
    for await (const part of objects.download(key, signal)) read += Buffer.from(part).toString();
    await objects.remove(key, signal);
    if (read !== content) throw new Error('the object that was read is not the one that was written');
  } catch (error) {
    signal.throwIfAborted();
    const { code, name } = ((error as Error).cause ?? error) as { code?: string; name?: string };
    const known = bucketProblems[name ?? ''] ?? bucketProblems[code ?? ''];
    throw problem({ code: known ?? 'bucket_failed', params: { bucket } }, messageOf(error));
  } finally {
    await rm(path, { force: true });
  }
}
