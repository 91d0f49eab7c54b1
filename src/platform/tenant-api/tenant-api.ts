import type { z } from 'zod';
import { AppError } from '../../kernel/errors.ts';
import { type HealthProbe, jsonOf, type Probe, probeHealth, probePage } from './probe.ts';
import { type TenantPersonsCount, type TenantStats, tenantPersonsCount, tenantStats } from './schema.ts';
import { type Address, type CallOptions, createTransport, Unreachable } from './transport.ts';

/** A call that presents the tenant's key. */
export interface AuthorizedCall extends CallOptions {
  apiKey: string;
}

/** A tenant's own HTTP, as the manager uses it. */
export interface TenantApi {
  /** Whether a page answers (2xx or 3xx); never throws but the signal's own reason. */
  probe(address: Address, path: string, options: CallOptions): Promise<Probe>;
  /** Whether the API's health page says healthy; never throws but the signal's own reason. */
  health(address: Address, path: string, options: CallOptions): Promise<HealthProbe>;
  /** @throws AppError tenant_unreachable, tenant_error */
  stats(address: Address, call: AuthorizedCall): Promise<TenantStats>;
  /** @throws AppError tenant_unreachable, tenant_error */
  personsCount(address: Address, call: AuthorizedCall): Promise<TenantPersonsCount>;
  /** Ends all connections. */
  close(): Promise<void>;
}

const answerBytes = 1024 * 1024;
const quotedDetail = 200;

export function createTenantApi(): TenantApi {
  const transport = createTransport();

  async function get<S extends z.ZodType>(
    address: Address,
    path: string,
    call: AuthorizedCall,
    schema: S,
  ): Promise<z.output<S>> {
    const { apiKey, timeoutMs, signal } = call;
    const request = {
      path,
      headers: { 'x-api-key': apiKey, accept: 'application/json' },
      timeoutMs,
      signal,
      maxBytes: answerBytes,
    };
    const answer = await transport.call(address, request).catch((error: unknown) => {
      if (!(error instanceof Unreachable)) throw error;
      throw new AppError('tenant_unreachable', `The tenant could not be asked for ${path}: ${error.message}`);
    });
    if (answer.statusCode !== 200) {
      const said = detailOf(jsonOf(answer), apiKey);
      throw new AppError('tenant_error', `The tenant answered ${answer.statusCode} to ${path}${said && `: ${said}`}`);
    }
    if (answer.cut)
      throw new AppError('tenant_error', `The tenant’s answer to ${path} is longer than ${answerBytes} bytes`);
    const parsed = schema.safeParse(jsonOf(answer));
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0];
    const where = issue?.path.length ? `${issue.path.join('.')}: ` : '';
    throw new AppError(
      'tenant_error',
      `The tenant’s answer to ${path} is not as agreed: ${where}${issue?.message ?? ''}`,
    );
  }

  return {
    probe: (address, path, options) => probePage(transport, address, path, options),
    health: (address, path, options) => probeHealth(transport, address, path, options),
    stats: (address, call) => get(address, '/api/stats', call, tenantStats),
    personsCount: (address, call) => get(address, '/api/persons/count', call, tenantPersonsCount),
    close: () => transport.close(),
  };
}

/** The `detail` of a tenant's error answer, short; nothing of it where it repeats the key. */
function detailOf(body: unknown, apiKey: string): string {
  if (typeof body !== 'object' || body === null || !('detail' in body) || typeof body.detail !== 'string') return '';
  return body.detail.includes(apiKey) ? '' : body.detail.slice(0, quotedDetail);
}
