import { AppError } from '../../kernel/errors.ts';
import type { ReverseProxy } from './proxy.ts';

/** No reverse proxy: tenants are reached at their ports. */
export function createNoProxy(): ReverseProxy {
  const unavailable = async (): Promise<never> => {
    throw new AppError('proxy_unavailable', 'No reverse proxy is configured (PROXY=none)');
  };
  return { kind: 'none', reload: unavailable, test: unavailable, configs: async () => [] };
}
