import type { Actor, WriteAuditLog } from '../../../../adapters/events/audit-log-entry.ts';
import type { EventBus } from '../../../../adapters/events/bus.ts';
import type { Fleet, Member } from '../store.ts';

/** Publishes changes of fleet upgrades and writes them to the audit log. */
export function createFleetEvents(events: EventBus, writeAuditLog: WriteAuditLog) {
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
    /** A tenant's status in a fleet upgrade changed. */
    member(fleet: Fleet, tenantId: string, { status, reason }: Pick<Member, 'status' | 'reason'>) {
      events.publish({
        type: 'upgrade',
        tenant_id: tenantId,
        fleet_id: fleet.id,
        fleet_status: fleet.status,
        status,
        reason,
      });
    },
    /** It changed automatically: started, was halted, ended. */
    async changed(fleet: Fleet) {
      publish(fleet);
      await writeAuditLog({
        level: fleet.status === 'halted' ? 'error' : 'info',
        category: 'deployment',
        topic: 'upgrade',
        message: `${about(fleet)}: ${fleet.status}${fleet.reason === null ? '' : `: ${fleet.reason}`}`,
        details: { fleet_id: fleet.id, status: fleet.status, reason: fleet.reason },
      });
    },
    /** A user changed it. `what`: `paused`, and the like. */
    async requested(fleet: Fleet, actor: Actor, what: string, details: Record<string, unknown> = {}) {
      publish(fleet);
      await writeAuditLog({
        level: 'info',
        category: 'audit',
        topic: 'upgrade',
        message: `${about(fleet)}: ${what} by ${actor.username}`,
        details: { user_id: actor.userId, username: actor.username, fleet_id: fleet.id, ...details },
      });
    },
  };
}

export type FleetEvents = ReturnType<typeof createFleetEvents>;
