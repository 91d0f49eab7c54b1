import type { RenderedSite, ReverseProxy, Site } from '../../../adapters/proxies/proxy.ts';

/**
 * A site's file, for people to look at: without a text where the proxy can't be given this site (put into service under other
 * settings, or with values that cannot stand in a configuration).
 */
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

/** Where a site's file is, which its tenant alone decides. */
export function pathOf(proxy: Pick<ReverseProxy, 'render'>, { tenant }: Pick<Site, 'tenant'>): RenderedSite['path'] {
  const upstream = { host: '127.0.0.1', port: 1 };
  const hosts = {
    frontend: { domain: 'frontend.invalid', upstream, tls: null },
    api: { domain: 'api.invalid', upstream, tls: null },
  };
  return proxy.render({ tenant, hosts, hstsSeconds: 0 }).path;
}
