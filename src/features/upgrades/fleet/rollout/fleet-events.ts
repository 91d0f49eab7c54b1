import type { Actor, WriteAuditLog } from '../../../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../../../adapters/events/bus.ts';
import type { Fleet, Member } from '../store.ts';

/** Publishes changes of fleet upgrades and writes them to the audit log. */
export interface FleetEvents {
  /** A tenant's status in a fleet upgrade changed. */
  member(fleet: Fleet, tenantId: string, change: Pick<Member, 'status' | 'reason'>): void;
  /** It changed automatically: started, was halted, ended. */
  changed(fleet: Fleet): Promise<void>;
  /** A user changed it. `what`: `paused`, and the like. */
  requested(fleet: Fleet, actor: Actor, what: string, details?: Record<string, unknown>): Promise<void>;
}

export function createFleetEvents(events: EventBus, writeAuditLog: WriteAuditLog): FleetEvents {
  const publish = (fleet: Fleet): void =>
    events.publish({
      type: 'upgrade',
      tenant_id: null,
      fleet_id: fleet.id,
      fleet_status: fleet.status,
      status: null,
      reason: fleet.reason,
    });
  const about = ({ id, options }: Fleet): string => `Fleet upgrade ${id} to ${options.targetVersion}`;

  return {
    member(fleet, tenantId, { status, reason }) {
      events.publish({
        type: 'upgrade',
        tenant_id: tenantId,
        fleet_id: fleet.id,
        fleet_status: fleet.status,
        status,
        reason,
      });
    },
    async changed(fleet) {
      publish(fleet);
      await writeAuditLog({
        level: fleet.status === 'halted' ? 'error' : 'info',
        category: 'deployment',
        message: `${about(fleet)}: ${fleet.status}${fleet.reason === null ? '' : `: ${fleet.reason}`}`,
        details: { fleet_id: fleet.id, status: fleet.status, reason: fleet.reason },
      });
    },
    async requested(fleet, actor, what, details = {}) {
      publish(fleet);
      await writeAuditLog({
        level: 'info',
        category: 'audit',
        message: `${about(fleet)} ${what} by ${actor.username}`,
        details: { user_id: actor.userId, username: actor.username, fleet_id: fleet.id, ...details },
      });
    },
  };
}
