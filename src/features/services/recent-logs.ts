import type { Runtime, TenantSpace, UnitRole } from '../../platform/runtime/runtime.ts';
import { type ServiceName, serviceNames } from './schema.ts';

export const roleOf = { frontend: 'frontend', backend: 'api' } as const satisfies Record<ServiceName, UnitRole>;

/** What is answered at most, in characters: a tenant that writes endless lines must not fill the manager's memory. */
const mostCharacters = 8 * 1024 * 1024;
const readTimeoutMs = 15_000;

/**
 * The last `lines` lines of one service, or of both in turn, each line with its service before it; of both together not
 * more than `lines`, shared out so that a quiet service leaves its part to the other.
 */
export async function recentLogs(
  runtime: Pick<Runtime, 'logs'>,
  tenant: TenantSpace,
  service: ServiceName | undefined,
  lines: number,
): Promise<string> {
  if (service) return (await linesOf(runtime, tenant, service, lines)).join('\n');
  const [frontend, backend] = await Promise.all(serviceNames.map((name) => linesOf(runtime, tenant, name, lines)));
  if (!frontend || !backend) return '';
  const half = Math.ceil(lines / 2);
  const ofBackend = Math.min(backend.length, Math.max(half, lines - frontend.length));
  return [
    ...lastOf(frontend, lines - ofBackend).map((line) => `[frontend] ${line}`),
    ...lastOf(backend, ofBackend).map((line) => `[backend] ${line}`),
  ].join('\n');
}

const lastOf = (lines: string[], count: number): string[] => (count > 0 ? lines.slice(-count) : []);

async function linesOf(
  runtime: Pick<Runtime, 'logs'>,
  tenant: TenantSpace,
  service: ServiceName,
  lines: number,
): Promise<string[]> {
  const kept: string[] = [];
  let characters = 0;
  const signal = AbortSignal.timeout(readTimeoutMs);
  for await (const { message } of runtime.logs({ tenant, role: roleOf[service] }, { lines, follow: false, signal })) {
    kept.push(message);
    characters += message.length;
    while (kept.length > lines || (characters > mostCharacters && kept.length > 1)) {
      characters -= kept.shift()?.length ?? 0;
    }
  }
  return kept;
}
