/** All events, as sent on `/ws/events` and to other features. Field names are the wire's. */
export type DomainEvent =
  | { type: 'tenant_status'; tenant_id: string; status: 'pending' | 'running' | 'stopped' | 'error' | 'deleted' }
  | { type: 'tenant_health'; tenant_id: string; overall_status: 'unknown' | 'healthy' | 'degraded' | 'unhealthy' }
  | {
      type: 'deployment';
      tenant_id: string;
      deployment_id: string;
      kind: string;
      status: 'queued' | 'running' | 'success' | 'failed' | 'cancelled';
      current_step: string | null;
    }
  | {
      type: 'import';
      tenant_id: string;
      job_id: string;
      status: 'pending' | 'analyzing' | 'ready' | 'importing' | 'completed' | 'failed';
    }
  | {
      /** In a fleet upgrade: of one tenant, or, if `tenant_id` is null, of the whole. */
      type: 'upgrade';
      tenant_id: string | null;
      fleet_id: string;
      fleet_status: 'pending' | 'running' | 'paused' | 'halted' | 'cancelled' | 'completed';
      status: 'waiting' | 'upgrading' | 'succeeded' | 'failed' | 'skipped' | null;
      reason: string | null;
    }
  | {
      /** Of a bulk operation. Each tenant's result comes on the operation's own stream. */
      type: 'bulk';
      tenant_id: null;
      bulk_id: string;
      action: 'start' | 'stop' | 'restart';
      status: 'queued' | 'running' | 'success' | 'failed' | 'cancelled';
      counts: Record<'pending' | 'running' | 'success' | 'failed' | 'skipped', number>;
    };
