import type { Certificate, CertificateAuthority } from '../../../adapters/certificates/certificates.ts';
import { notFound } from '../../../lib/errors.ts';
import { newId } from '../../../lib/ids.ts';
import type { SecretBox } from '../../../lib/secret-box.ts';
import type { CertificateRow, ProxyStore } from '../store.ts';

/** A certificate's facts, without its key. */
export type StoredCertificate = Omit<CertificateRow, 'sealed'>;

/** Tenants' certificates: encrypted in the store, with their facts cached in memory. */
export function createCertificateStore(store: ProxyStore, secretBox: SecretBox) {
  let cached: Promise<Map<string, StoredCertificate[]>> | undefined;

  async function load(): Promise<Map<string, StoredCertificate[]>> {
    if (cached) return cached;
    const loading = store.allCertificates().then((all) => {
      const byTenant = new Map<string, StoredCertificate[]>();
      for (const row of all) byTenant.set(row.tenantId, [...(byTenant.get(row.tenantId) ?? []), row]);
      return byTenant;
    });
    cached = loading;
    loading.catch(() => {
      cached = undefined;
    });
    return loading;
  }

  const of = async (tenantId: string): Promise<StoredCertificate[]> => (await load()).get(tenantId) ?? [];

  async function open(tenantId: string, fingerprint: string): Promise<Certificate | undefined> {
    const kept = (await of(tenantId)).find((one) => one.fingerprint === fingerprint);
    const sealed = kept && (await store.sealedCertificate(tenantId, fingerprint));
    if (!kept || sealed === undefined) return undefined;
    const { names, notBefore, notAfter, issuer } = kept;
    return {
      names,
      notBefore,
      notAfter,
      issuer,
      fingerprint,
      ...unseal(sealed, certificateContext(tenantId, fingerprint)),
    };
  }

  return {
    of,

    /**
     * Saves a certificate; a known one becomes the newest again.
     * @returns whether it was saved with another chain before: sites refer to the leaf's fingerprint, which is the same
     * @throws AppError not_found if the tenant was deleted
     */
    async keep(
      tenantId: string,
      { id: authority, source }: Pick<CertificateAuthority, 'id' | 'source'>,
      certificate: Certificate,
      at: Date,
    ) {
      const { chain, privateKey, ...facts } = certificate;
      const { fingerprint } = facts;
      const others = (await of(tenantId)).filter((kept) => kept.fingerprint !== fingerprint);
      const known = (await of(tenantId)).find((kept) => kept.fingerprint === fingerprint);
      const before = known && (await open(tenantId, fingerprint).catch(() => undefined));
      const kept: StoredCertificate = {
        ...facts,
        id: known?.id ?? newId(),
        tenantId,
        source,
        authority,
        createdAt: at,
      };
      const sealed = secretBox.seal(JSON.stringify({ chain, privateKey }), certificateContext(tenantId, fingerprint));
      await store.saveCertificate({ ...kept, sealed }, () => notFound('tenant', tenantId));
      (await load()).set(tenantId, [...others, kept]);
      return { rechained: before !== undefined && before.chain !== chain };
    },

    /** Decrypts a certificate; undefined if it does not exist. @throws Error if it can't be decrypted */
    open,

    /** Clears the cache of a deleted tenant. */
    forget: (tenantId: string) => void cached?.then((all) => all.delete(tenantId)).catch(() => undefined),

    async remove(tenantId: string, certificates: readonly StoredCertificate[]) {
      const gone = new Set(certificates.map(({ id }) => id));
      await store.removeCertificates([...gone]);
      (await load()).set(
        tenantId,
        (await of(tenantId)).filter(({ id }) => !gone.has(id)),
      );
    },
  };

  function unseal(sealed: string, context: string): Pick<Certificate, 'chain' | 'privateKey'> {
    try {
      return JSON.parse(secretBox.open(sealed, context));
    } catch (error) {
      throw new Error('A certificate can’t be decrypted; was SECRET_KEY changed? Obtain a new certificate', {
        cause: error,
      });
    }
  }
}

export type CertificateStore = ReturnType<typeof createCertificateStore>;

/** The encryption context that binds a certificate to its tenant. */
export const certificateContext = (tenantId: string, fingerprint: string): string =>
  `certificate:${tenantId}:${fingerprint}`;
