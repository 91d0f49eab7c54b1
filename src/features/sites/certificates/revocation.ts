import type { CertificateAuthority } from '../../../adapters/certificates/certificates.ts';
import type { WriteJournal } from '../../../adapters/events/journal-entry.ts';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Tenant } from '../../tenants/tenant.ts';
import type { Work } from '../sync/site-manager.ts';
import type { CertificateStore, StoredCertificate } from './certificate-store.ts';

interface RevocationDeps {
  vault: CertificateStore;
  authority: CertificateAuthority | undefined;
  journal: WriteJournal;
  clock: Clock;
}

/** All of a tenant's together: somebody waits for the deletion. */
const longestMs = 30_000;

/**
 * Revokes what the authority in use gave, as far as it lets itself be asked; what fails is journaled and holds nothing up.
 * A certificate that is revoked is kept no longer: where the tenant stays in the end, it must get another.
 */
export function createRevocation({ vault, authority, journal, clock }: RevocationDeps) {
  async function revoke(from: CertificateAuthority, tenant: Tenant, one: StoredCertificate, work: Work): Promise<void> {
    const timeUp = AbortSignal.timeout(longestMs);
    try {
      const certificate = await vault.open(tenant.id, one.fingerprint);
      const signal = AbortSignal.any([work.signal, timeUp]);
      if (certificate) await from.revoke(certificate, { log: work.log, signal });
    } catch (error) {
      work.signal.throwIfAborted();
      throw timeUp.aborted ? new Error(`no answer within ${longestMs / 1_000} s`) : error;
    }
    await vault.remove(tenant.id, [one]);
  }

  return async (tenant: Tenant, work: Work): Promise<void> => {
    if (!authority) return;
    const given = (await vault.of(tenant.id)).filter(
      (one) => one.authority === authority.id && one.notAfter > clock.now(),
    );
    await Promise.all(
      given.map((one) =>
        revoke(authority, tenant, one, work).catch(async (error: unknown) => {
          work.signal.throwIfAborted();
          const message = `The certificate of ${tenant.slug} could not be revoked: ${messageOf(error)}`;
          work.log(message);
          await journal({ level: 'warning', category: 'system', message, tenant });
        }),
      ),
    );
  };
}
