/** One tenant's configuration at the reverse proxy, as found there. */
export interface ProxyConfig {
  domain: string;
  path: string;
  type: 'frontend' | 'api';
  tenantId: string;
  enabled: boolean;
}

/** The reverse proxy in front of the tenants. */
export interface ReverseProxy {
  readonly kind: 'none';
  /** @throws AppError proxy_unavailable */
  reload(): Promise<void>;
  /** Asks the proxy itself about its configuration. @throws AppError proxy_unavailable */
  test(): Promise<{ valid: boolean; output: string }>;
  configs(): Promise<ProxyConfig[]>;
}
