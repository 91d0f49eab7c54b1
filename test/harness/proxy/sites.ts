import { createSelfSigned } from '../../../src/adapters/certificates/self-signed.ts';
import type { Site, SiteCertificate, SiteTls } from '../../../src/adapters/proxies/proxy.ts';
import { systemClock } from '../../../src/lib/clock.ts';

/** A tenant's site: `<slug>.example` and `api.<slug>.example`, both on one upstream of this machine. */
export function makeSite(
  slug: string,
  port: number,
  changes: { domain?: string; tls?: SiteTls | null; hstsSeconds?: number; upstreamHost?: string } = {},
): Site {
  const { domain = `${slug}.example`, tls = null, hstsSeconds = 0, upstreamHost = '127.0.0.1' } = changes;
  const upstream = { host: upstreamHost, port };
  return {
    tenant: { id: `id-of-${slug}`, slug },
    hosts: {
      frontend: { domain, upstream, tls },
      api: { domain: `api.${domain}`, upstream, tls },
    },
    hstsSeconds,
  };
}

/** A self-signed certificate for both hosts of `makeSite`. */
export async function makeCertificate(domain: string): Promise<SiteCertificate> {
  const names = [domain, `api.${domain}`];
  const [certificate] = await createSelfSigned({ clock: systemClock }).obtain(names, siteWork());
  if (!certificate) throw new Error('No certificate was made');
  return certificate;
}

export const certificateTls = ({ fingerprint }: SiteCertificate): SiteTls => ({ kind: 'certificate', fingerprint });

/** Work without an observer; with its own signal, if it may be cancelled. */
export const siteWork = (
  signal: AbortSignal = new AbortController().signal,
): { log(line: string): void; signal: AbortSignal } => ({ log: () => undefined, signal });
