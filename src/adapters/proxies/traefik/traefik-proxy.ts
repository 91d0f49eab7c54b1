import { messageOf } from '../../../lib/errors.ts';
import { removeCutOffWrites } from '../../../lib/files/atomic-file.ts';
import { chmod, mkdir } from '../../../lib/files/changes.ts';
import { CertificateFiles } from '../certificate-files.ts';
import { probeThroughProxy, requestThroughProxy, sendThroughProxy } from '../external-probe.ts';
import type { ProxyWarning, ReverseProxy } from '../proxy.ts';
import { SiteFiles } from '../site-files.ts';
import { provideApiAccess } from './api-access.ts';
import { SiteChanges } from './change.ts';
import { Inspection } from './inspection.ts';
import { layoutOf, type TraefikProxyOptions } from './options.ts';
import { Proof } from './proof.ts';
import { review } from './review.ts';
import { renderSite } from './site-config.ts';
import { type EntryPoint, TraefikApi } from './traefik-api.ts';

const defaultProofTimeoutMs = 20_000;
const oldestMajorVersion = 3;
/** How an entry point differs from FRONT_PROXIES; what it trusts may say any address and scheme. */
function warningsOf({ name, forwardedHeaders, http }: EntryPoint, named: readonly string[]): ProxyWarning[] {
  const { insecure = false, trustedIPs: trusted = [] } = forwardedHeaders ?? {};
  const option = (text: string): string => `--entryPoints.${name}.${text}`;
  const warnings: [ProxyWarning['code'], string][] = [];
  if (insecure) warnings.push(['front_proxies_not_named', option('forwardedHeaders.insecure=false')]);
  else if (named.some((one) => !trusted.includes(one)))
    warnings.push(['front_proxies_not_trusted', option(`forwardedHeaders.trustedIPs=${named.join()}`)]);
  else if (trusted.some((one) => !named.includes(one)))
    warnings.push(['front_proxies_not_named', `FRONT_PROXIES=${trusted.join()}`]);
  if (http?.underscoreHeadersStrategy === 'keep')
    warnings.push(['underscore_headers_kept', option('http.underscoreHeadersStrategy=delete')]);
  return warnings.map(([code, text]) => ({ code, params: { entry_point: name, option: text } }));
}

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
  async function askTraefik(): Promise<{ version: string; warnings?: ProxyWarning[] }> {
    if (!api) {
      const ask = { domain: 'tenantry.invalid', path: '/', tls: false, timeoutMs: 3_000 };
      if (visited) await requestThroughProxy(visited, ask);
      return { version: 'unknown' };
    }
    const version = await api.version();
    const major = /^v?(\d+)\./.exec(version)?.[1];
    if (major !== undefined && Number(major) < oldestMajorVersion) {
      throw new Error(`Traefik ${version} is too old: ${oldestMajorVersion}.0 is needed`);
    }
    const known = await api.entryPoints();
    const used = known.filter(({ name }) => Object.values(layout.entryPoints).includes(name));
    const missing = Object.values(layout.entryPoints).filter((name) => !used.some((one) => one.name === name));
    const names = known.map(({ name }) => name).join(', ');
    if (missing.length > 0) throw new Error(`Traefik has no entry point ${missing.join(' and ')}: ${names}`);
    const warnings = used.flatMap((one) => warningsOf(one, layout.frontProxies));
    return warnings.length > 0 ? { version, warnings } : { version };
  }

  async function availability(): ReturnType<ReverseProxy['availability']> {
    try {
      return { available: true, ...(await askTraefik()) };
    } catch (error) {
      return { available: false, reason: messageOf(error) };
    }
  }

  return {
    kind: 'traefik',
    hasFrontProxies: layout.frontProxies.length > 0,
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
      else if (answer.warnings) logger.warn({ warnings: answer.warnings }, 'options of Traefik do not fit');
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
