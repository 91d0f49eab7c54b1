import { AppError } from '../../lib/errors.ts';
import type { ReverseProxy } from './proxy.ts';

const reason = 'No reverse proxy is configured (PROXY=none)';

/** No reverse proxy: tenants are reached on their ports. */
export function createNoProxy(): ReverseProxy {
  const unavailable = async (): Promise<never> => {
    throw new AppError('proxy_unavailable', reason);
  };
  return {
    kind: 'none',
    hasFrontProxies: false,
    open: async () => undefined,
    close: async () => undefined,
    availability: async () => ({ available: false, reason }),
    render: () => {
      throw new AppError('proxy_unavailable', reason);
    },
    apply: unavailable,
    remove: async () => ({ removed: false }),
    putCertificate: unavailable,
    state: async () => 'missing',
    found: async () => [],
    test: unavailable,
    reload: unavailable,
    probe: unavailable,
    send: unavailable,
    challenges: undefined,
  };
}
