import type { CertificateAuthority } from '../../../adapters/certificates/certificates.ts';
import type { WriteAuditLog } from '../../../adapters/events/audit-log-entry.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Work } from '../../../lib/concurrency/work.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { CertificateStore, StoredCertificate } from './certificate-store.ts';

/** Time limit for all certificates of a tenant: a user waits for the deletion. */
const maxDurationMs = 30_000;

/**
 * Revokes and removes the certificates of the current authority; failures are journaled and do not block the deletion. A tenant
 * whose deletion fails later must get a new certificate.
 */
export function createRevocation({
  certificateStore,
  authority,
  writeAuditLog,
  clock,
}: {
  certificateStore: CertificateStore;
  authority: CertificateAuthority | undefined;
  writeAuditLog: WriteAuditLog;
  clock: Clock;
}) {
  async function revoke(from: CertificateAuthority, tenant: Tenant, one: StoredCertificate, work: Work): Promise<void> {
    const timeUp = AbortSignal.timeout(maxDurationMs);
    try {
      const certificate = await certificateStore.open(tenant.id, one.fingerprint);
      const signal = AbortSignal.any([work.signal, timeUp]);
      if (certificate) await from.revoke(certificate, { log: work.log, signal });
    } catch (error) {
      work.signal.throwIfAborted();
      throw timeUp.aborted ? new Error(`no answer within ${maxDurationMs / 1_000} s`) : error;
    }
    await certificateStore.remove(tenant.id, [one]);
  }

  return async (tenant: Tenant, work: Work): Promise<void> => {
    if (!authority) return;
    const given = (await certificateStore.of(tenant.id)).filter(
      (one) => one.authority === authority.id && one.notAfter > clock.now(),
    );
    await Promise.all(
      given.map((one) =>
        revoke(authority, tenant, one, work).catch(async (error: unknown) => {
          work.signal.throwIfAborted();
          const message = `The certificate of ${tenant.slug} could not be revoked: ${messageOf(error)}`;
          work.log(message);
          await writeAuditLog({ level: 'warning', category: 'system', topic: 'certificate', message, tenant });
        }),
      ),
    );
  };
}
