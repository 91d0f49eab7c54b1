import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../lib/files/atomic-file.ts';
import { chmod, mkdir, rm } from '../../lib/files/changes.ts';
import { sha256Hex, slugName } from './config-values.ts';
import type { Site, SiteCertificate } from './proxy.ts';

/** The directory of all certificates, absolute. */
interface CertificateLayout {
  certificates: string;
}

/** Paths of a tenant's certificate and its key. */
export function certificatePaths(
  layout: CertificateLayout,
  slug: string,
  fingerprint: string,
): { chain: string; privateKey: string } {
  const base = join(layout.certificates, slugName(slug), sha256Hex(fingerprint));
  return { chain: `${base}.crt`, privateKey: `${base}.key` };
}

/** The certificates a proxy serves, readable only by their owner: nginx's master process, or Traefik's. */
export class CertificateFiles {
  readonly #layout: CertificateLayout;
  /** Added, but not yet referenced by a site in service: `<slug>/<fingerprint>`. */
  readonly #expected = new Set<string>();

  constructor(layout: CertificateLayout) {
    this.#layout = layout;
  }

  async put(slug: string, certificate: SiteCertificate): Promise<void> {
    const { chain, privateKey } = certificatePaths(this.#layout, slug, certificate.fingerprint);
    const directory = join(this.#layout.certificates, slugName(slug));
    this.#expected.add(`${slug}/${certificate.fingerprint}`);
    await mkdir(directory, { recursive: true, mode: 0o700 });
    await chmod(directory, 0o700);
    await writeFileAtomic(privateKey, certificate.privateKey);
    await writeFileAtomic(chain, certificate.chain);
  }

  /** Removes those the site in service does not reference, except those added for its next change. */
  async prune(site: Site): Promise<void> {
    const { slug } = site.tenant;
    const used = Object.values(site.hosts).flatMap(({ tls }) => (tls?.kind === 'certificate' ? [tls.fingerprint] : []));
    for (const fingerprint of used) this.#expected.delete(`${slug}/${fingerprint}`);
    const directory = join(this.#layout.certificates, slugName(slug));
    for (const file of await namesIn(directory)) {
      const fingerprint = file.slice(0, 64);
      if (used.includes(fingerprint) || this.#expected.has(`${slug}/${fingerprint}`)) continue;
      await rm(join(directory, file), { force: true });
    }
  }

  async removeAll(slug: string): Promise<boolean> {
    const directory = join(this.#layout.certificates, slugName(slug));
    const there = (await namesIn(directory)).length > 0;
    for (const key of this.#expected) if (key.startsWith(`${slug}/`)) this.#expected.delete(key);
    await rm(directory, { recursive: true, force: true });
    return there;
  }
}

const namesIn = async (directory: string): Promise<string[]> =>
  readdir(directory).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
