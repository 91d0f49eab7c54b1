import type { Runtime, TenantSpace, UnitRole } from '../../adapters/runtimes/runtime.ts';
import { type ServiceName, serviceNames } from './schema.ts';

export const roleOf = { frontend: 'frontend', backend: 'api' } as const satisfies Record<ServiceName, UnitRole>;

/** Maximum response length: a tenant with endless lines must not fill the manager's memory. */
const maxCharacters = 8 * 1024 * 1024;
const readTimeoutMs = 15_000;

export interface LogsRequest {
  /** undefined: both. */
  service?: ServiceName | undefined;
  lines: number;
  /** Whether each line starts with its time. */
  timestamps: boolean;
}

/**
 * The last `lines` lines of one service, or of both merged by time. A line is `<time> [<service>] [<node>] <message>`, with the
 * service only if both are requested, the time only if known and requested, and the node only on a swarm.
 */
export async function recentLogs(
  runtime: Pick<Runtime, 'logs'>,
  tenant: TenantSpace,
  { service, lines, timestamps }: LogsRequest,
): Promise<string> {
  const names = service ? [service] : serviceNames;
  const logs = await Promise.all(names.map((name) => linesOf(runtime, tenant, name, lines)));
  const recent = inOrder(logs.flat()).slice(-lines);
  return recent
    .map(({ time, service: name, node, message }) => {
      const origin = [...(service ? [] : [name]), ...(node === undefined ? [] : [node])].map((one) => `[${one}]`);
      return [...(timestamps && time ? [time.toISOString()] : []), ...origin, message].join(' ');
    })
    .join('\n');
}

interface Line {
  service: ServiceName;
  message: string;
  time: Date | undefined;
  node: string | undefined;
  /** In ms; a line without a time has the time of the line before it. */
  at: number;
}

/** Sorting is stable, so lines with the same time keep their order. */
const inOrder = (lines: Line[]): Line[] => lines.sort((one, other) => one.at - other.at);

async function linesOf(
  runtime: Pick<Runtime, 'logs'>,
  tenant: TenantSpace,
  service: ServiceName,
  lines: number,
): Promise<Line[]> {
  const kept: Line[] = [];
  let characters = 0;
  let at = 0;
  const signal = AbortSignal.timeout(readTimeoutMs);
  const unit = { tenant, role: roleOf[service] };
  for await (const { message, time, node } of runtime.logs(unit, { lines, follow: false, signal })) {
    // A clock that was set back must not change the order of a service's lines.
    at = Math.max(at, time?.getTime() ?? 0);
    kept.push({ service, message, time, node, at });
    characters += message.length;
    while (kept.length > lines || (characters > maxCharacters && kept.length > 1)) {
      characters -= kept.shift()?.message.length ?? 0;
    }
  }
  return kept;
}
