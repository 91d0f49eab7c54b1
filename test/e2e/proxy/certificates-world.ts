import { once } from 'node:events';
import { join } from 'node:path';
import { connect } from 'node:tls';
import BetterSqlite from 'better-sqlite3';
import type { App } from '../../harness/app/app.ts';
import type { ProxiedApp } from '../../harness/app/proxied-app.ts';
import { type DeploymentAnswer, deploy, makeTenant, type TenantAnswer } from '../../harness/data/tenants.ts';
import { type Visit, visit } from '../../harness/proxy/visitor.ts';

/** The certificate part of `GET /api/tenants/{id}/proxy`. */
export interface SiteAnswer {
  state: string;
  configuration: string | null;
  certificates: { names: string[]; source: string; issuer: string; not_after: string; fingerprint: string }[];
  certificate_error: string | null;
  next_attempt_at: string | null;
}

export async function siteOf(app: App, id: string): Promise<SiteAnswer> {
  const { status, body } = await app.call<SiteAnswer>('GET', `/api/tenants/${id}/proxy`);
  if (status !== 200) throw new Error(`No site status: ${status} ${JSON.stringify(body)}`);
  return body;
}

/** The result and reason of a deployment's `Setup SSL` step. */
export function setupSsl({ steps }: DeploymentAnswer): {
  status?: string | undefined;
  reason?: string | null | undefined;
} {
  const step = steps.find(({ name }) => name === 'Setup SSL');
  return { status: step?.status, reason: step?.reason };
}

/** The tenant's warnings in the audit log, newest first. */
export async function warningsOf(app: App, id: string): Promise<string[]> {
  const { body } = await app.call<{ logs: { message: string }[] }>('GET', `/api/logs?level=warning&tenant_id=${id}`);
  return body.logs.map(({ message }) => message);
}

/** A tenant with names chosen by the test. */
export const tenantAt = (proxied: ProxiedApp, domain: string, api_domain = `api.${domain}`): Promise<TenantAnswer> =>
  makeTenant(proxied.app, proxied.repository.path, { domain, api_domain });

export const overTls = ({ nginx }: ProxiedApp, domain: string, path = '/'): Promise<Visit> =>
  visit(nginx.httpsPort, domain, { path, tls: {} });

export const overHttp = ({ nginx }: ProxiedApp, domain: string, path = '/'): Promise<Visit> =>
  visit(nginx.httpPort, domain, { path });

/** The fingerprint of the certificate that a name is served with. */
export async function servedWith(proxied: ProxiedApp, domain: string): Promise<string | undefined> {
  return (await overTls(proxied, domain)).tls?.fingerprint;
}

/** Changes the manager's store directly; its memory stays unchanged until its next start. */
export function inStore(app: App, statement: string, values: Record<string, unknown>): number {
  const db = new BetterSqlite(join(app.directory, 'data', 'tenantry.db'));
  try {
    return db.prepare(statement).run(values).changes;
  } finally {
    db.close();
  }
}

/** An instant as the store holds it. */
export const stored = (at: Date): string => `${at.toISOString().slice(0, -1).replace('T', ' ')} +00:00`;

/** Makes the next certificate of a tenant due. */
export function makeDue(app: App, id: string): void {
  const at = stored(new Date(Date.now() - 1_000));
  const changed = inStore(app, 'UPDATE proxy_sites SET certificate_due_at = @at WHERE tenant_id = @id', { at, id });
  if (changed !== 1) throw new Error('The tenant has no site');
}

/** The schedule's work every ten minutes. */
export const renew = ({ app }: ProxiedApp): Promise<number> =>
  app.manager.app.sites.renew(new AbortController().signal);

/** Whether a browser with only this root trusts the site at a name. */
export async function trusts({ nginx }: ProxiedApp, servername: string, ca: string): Promise<boolean> {
  const socket = connect({ host: '127.0.0.1', port: nginx.httpsPort, servername, ca, rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  socket.destroy();
  return socket.authorized;
}

/** A deployment that succeeds. */
export async function deployed({ app }: ProxiedApp, id: string): Promise<void> {
  const { status, error, logs } = await deploy(app, id);
  if (status !== 'success') throw new Error(`The deployment ended ${status}: ${JSON.stringify(error)}\n${logs}`);
}
