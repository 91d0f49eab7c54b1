import type { RenderedSite, ReverseProxy, Site } from '../../../adapters/proxies/proxy.ts';

/** A site's file for the API; no text if the proxy can't render the site (applied with other settings, or with invalid values). */
export function renderedIfPossible(
  proxy: Pick<ReverseProxy, 'render'>,
  site: Site,
): { path: string; text: string | null } {
  try {
    return proxy.render(site);
  } catch {
    return { path: pathOf(proxy, site), text: null };
  }
}

/** The path of a site's file, which depends only on its tenant. */
export function pathOf(proxy: Pick<ReverseProxy, 'render'>, { tenant }: Pick<Site, 'tenant'>): RenderedSite['path'] {
  const upstream = { host: '127.0.0.1', port: 1 };
  const hosts = {
    frontend: { domain: 'frontend.invalid', upstream, tls: null },
    api: { domain: 'api.invalid', upstream, tls: null },
  };
  return proxy.render({ tenant, hosts, hstsSeconds: 0 }).path;
}
