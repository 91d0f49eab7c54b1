import { Badge } from '../../components/data/badge.tsx';
import { sitesText as words } from './messages.ts';
import { soonDays, type TenantProxy } from './queries.ts';

const tones = {
  in_sync: 'good',
  edited: 'bad',
  missing: 'bad',
  outdated: 'warn',
  orphan: 'warn',
  none: 'plain',
} as const;

export const SiteBadge = ({ state }: { state: TenantProxy['state'] }) => (
  <Badge tone={tones[state]}>{words.states[state]}</Badge>
);

/** How long a certificate is still valid. */
export const DaysBadge = ({ days }: { days: number }) => (
  <Badge tone={days < 0 ? 'bad' : days < soonDays ? 'warn' : 'good'}>{words.days(days)}</Badge>
);
