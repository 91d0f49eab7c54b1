import { ReplayStream } from '../../lib/streams/replay-stream.ts';
import type { HealthReport } from './schema.ts';

/** The messages kept for a viewer that joins late or comes back. */
const ring = 100;

export interface HealthStreams {
  of(tenantId: string): ReplayStream;
  publish(report: HealthReport): void;
  /** Ends a tenant's stream. */
  end(tenantId: string): void;
  close(): void;
}

/** One stream of `health_update` messages a tenant, made when somebody first asks for it: thousands are never looked at. */
export function createHealthStreams(): HealthStreams {
  const tails = new Map<string, ReplayStream>();
  return {
    of(tenantId) {
      const tail = tails.get(tenantId) ?? new ReplayStream({ ring });
      tails.set(tenantId, tail);
      return tail;
    },
    publish({ tenant_id, overall_status, checks }) {
      tails.get(tenant_id)?.append({ type: 'health_update', tenant_id, overall_status, checks });
    },
    end(tenantId) {
      tails.get(tenantId)?.close();
      tails.delete(tenantId);
    },
    close() {
      for (const tail of tails.values()) tail.close();
      tails.clear();
    },
  };
}
