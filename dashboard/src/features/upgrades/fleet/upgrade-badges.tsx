import { Badge } from '../../../components/data/badge.tsx';
import { upgradesText } from './messages.ts';
import type { Fleet, FleetMember } from './queries.ts';

const ofFleet = {
  pending: 'plain',
  running: 'busy',
  paused: 'warn',
  halted: 'bad',
  cancelled: 'warn',
  completed: 'good',
} as const;
export const FleetBadge = ({ status, failed }: { status: Fleet['status']; failed: number }) =>
  status === 'completed' && failed > 0 ? (
    <Badge tone="warn">{upgradesText.withFailures}</Badge>
  ) : (
    <Badge tone={ofFleet[status]}>{upgradesText.status[status]}</Badge>
  );

const ofMember = { waiting: 'plain', upgrading: 'busy', succeeded: 'good', failed: 'bad', skipped: 'warn' } as const;
export const MemberBadge = ({ status }: { status: FleetMember['status'] }) => (
  <Badge tone={ofMember[status]}>{upgradesText.member[status]}</Badge>
);
