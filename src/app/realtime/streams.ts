import { z } from 'zod';
import { AppError } from '../../lib/errors.ts';
import type { ReplayStream } from '../../lib/streams/replay-stream.ts';

const streamKinds = ['deployment', 'health', 'tenant_logs', 'import', 'bulk', 'preflight', 'events'] as const;
export type StreamKind = (typeof streamKinds)[number];

/** Finds the stream of a thing. @throws AppError not_found */
export type FindStream = (id: string, options: { service?: string }) => Promise<ReplayStream>;

/** The sources of streams, by kind; a missing kind has no streams. */
export type StreamRegistry = Partial<Record<StreamKind, FindStream>>;

const sinceNumber = z.int().min(0);
const service = z.string().min(1).max(64).optional();

/** Which stream, and from where on: what a subscriber asks for. */
export const streamRequest = z
  .object({
    stream: z.enum(streamKinds),
    /** Of the deployment, tenant or import job; `events` has none. */
    id: z.string().max(200).default(''),
    /** The last `seq` seen. */
    since: sinceNumber.optional(),
    service,
  })
  .refine(({ stream, id }) => stream === 'events' || id !== '', { path: ['id'], message: 'Required' });
export type StreamRequest = z.output<typeof streamRequest>;

/** The query of a plain WebSocket. */
export const streamQuery = z.object({
  since: z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .optional(),
  service,
});

const patterns: readonly [RegExp, StreamKind][] = [
  [/^\/ws\/deployments\/([^/]+)$/, 'deployment'],
  [/^\/ws\/tenants\/([^/]+)\/health$/, 'health'],
  [/^\/ws\/tenants\/([^/]+)\/logs$/, 'tenant_logs'],
  [/^\/ws\/imports\/([^/]+)$/, 'import'],
  [/^\/ws\/bulk\/([^/]+)$/, 'bulk'],
  [/^\/ws\/preflight\/([^/]+)$/, 'preflight'],
  [/^\/ws\/events$/, 'events'],
];

/** Which stream a plain WebSocket's path names; undefined where no stream is there. */
export function streamAt(path: string): { stream: StreamKind; id: string } | undefined {
  for (const [pattern, stream] of patterns) {
    const match = pattern.exec(path);
    if (!match) continue;
    try {
      return { stream, id: decodeURIComponent(match[1] ?? '') };
    } catch {
      return undefined;
    }
  }
  return undefined;
}

/** The asked-for stream and the number to begin after. @throws AppError not_found */
export async function openStream(
  registry: StreamRegistry,
  request: StreamRequest,
): Promise<{ tail: ReplayStream; since: number }> {
  const { stream, id } = request;
  const tail = await registry[stream]?.(id, request.service === undefined ? {} : { service: request.service });
  if (!tail) throw new AppError('not_found', `No stream ${stream} with id ${id}`);
  return { tail, since: request.since ?? (replayed[stream] ? 0 : tail.lastSeq) };
}

/** Whether one who names no number first gets what was; news of states is of no use when it is old. */
const replayed: Record<StreamKind, boolean> = {
  deployment: true,
  import: true,
  bulk: true,
  preflight: true,
  tenant_logs: true,
  health: false,
  events: false,
};
