import { messageOf } from '../../../lib/errors.ts';
import { removeCutOffWrites } from '../../../lib/files/atomic-file.ts';
import { chmod, mkdir } from '../../../lib/files/changes.ts';
import { CertificateFiles } from '../certificate-files.ts';
import { probeThroughProxy, requestThroughProxy, sendThroughProxy } from '../external-probe.ts';
import type { ReverseProxy } from '../proxy.ts';
import { SiteFiles } from '../site-files.ts';
import { provideApiAccess } from './api-access.ts';
import { SiteChanges } from './change.ts';
import { Inspection } from './inspection.ts';
import { layoutOf, type TraefikProxyOptions } from './options.ts';
import { Proof } from './proof.ts';
import { review } from './review.ts';
import { renderSite } from './site-config.ts';
import { TraefikApi } from './traefik-api.ts';

const defaultProofTimeoutMs = 20_000;
const oldestMajorVersion = 3;
const unknownAddress = 'where Traefik is reached is not configured';

/**
 * Traefik 3 by its file provider: one file per tenant in a directory it watches. A file is checked among all others before it
 * replaces anything, swapped in, verified by Traefik's API and by requests through Traefik, and rolled back if that fails.
 * Traefik answers HTTP-01 challenges itself, for the certificates of its own resolver.
 * @throws for options that cannot be in a configuration
 */
export function createTraefikProxy(options: TraefikProxyOptions): ReverseProxy {
  const layout = layoutOf(options);
  const { visited, logger } = options;
  const api = options.api && new TraefikApi(options.api);
  const files = new SiteFiles(layout, (site) => renderSite(layout, site));
  const certificates = new CertificateFiles(layout);
  const inspection = new Inspection(layout);
  const changes = new SiteChanges({
    layout,
    files,
    certificates,
    inspection,
    proof: new Proof(api, visited),
    proofTimeoutMs: options.proofTimeoutMs ?? defaultProofTimeoutMs,
    logger,
  });

  /** The version, `unknown` when Traefik can't be asked. @throws when it does not answer or is misconfigured */
  async function versionOfTraefik(): Promise<string> {
    if (!api) {
      const ask = { domain: 'tenantry.invalid', path: '/', tls: false, timeoutMs: 3_000 };
      if (visited) await requestThroughProxy(visited, ask);
      return 'unknown';
    }
    const version = await api.version();
    const major = /^v?(\d+)\./.exec(version)?.[1];
    if (major !== undefined && Number(major) < oldestMajorVersion) {
      throw new Error(`Traefik ${version} is too old: ${oldestMajorVersion}.0 is needed`);
    }
    const known = await api.entryPoints();
    const missing = Object.values(layout.entryPoints).filter((name) => !known.includes(name));
    if (missing.length > 0) throw new Error(`Traefik has no entry point ${missing.join(' and ')}: ${known.join(', ')}`);
    return version;
  }

  async function availability(): ReturnType<ReverseProxy['availability']> {
    try {
      return { available: true, version: await versionOfTraefik() };
    } catch (error) {
      return { available: false, reason: messageOf(error) };
    }
  }

  return {
    kind: 'traefik',
    // Its own redirect goes by the scheme that a trusted proxy names.
    hasFrontProxies: false,
    async open() {
      for (const [path, mode] of [
        [layout.sites, 0o755],
        [layout.certificates, 0o700],
      ] as const) {
        await mkdir(path, { recursive: true, mode });
        await chmod(path, mode);
      }
      // Of sites, the API's password, and tenants' certificates.
      await removeCutOffWrites(layout.directory, { depth: 2 });
      if (api && layout.apiEntryPoint !== undefined) api.identify(await provideApiAccess(layout, layout.apiEntryPoint));
      const answer = await availability();
      if (!answer.available) logger.warn({ reason: answer.reason }, 'Traefik is not ready');
    },
    close: async () => api?.close(),
    availability,
    render(site) {
      const { path, text } = renderSite(layout, site);
      return { path, text };
    },
    async apply(site, work) {
      return { changed: await changes.apply(site, work) };
    },
    async remove(tenant, work) {
      return { removed: await changes.remove(tenant, work) };
    },
    putCertificate: ({ slug }, certificate) => certificates.put(slug, certificate),
    state: (site) => files.state(site),
    found: () => files.found(),
    test: () => review(inspection, api),
    /** Nothing is sent: Traefik watches the directory itself. */
    async reload() {
      const { valid, output } = await review(inspection, api);
      if (!valid) throw new Error(`Traefik’s configuration is wrong: ${output}`);
    },
    async probe(host, path, probing) {
      if (visited) return probeThroughProxy(visited, host, path, probing);
      return { status: 'down', response_time_ms: null, status_code: null, error: unknownAddress };
    },
    async send(host, request) {
      if (visited) return sendThroughProxy(visited, host, request);
      throw new Error(unknownAddress);
    },
    challenges: undefined,
  };
}
