import type { components } from '../../api/schema.ts';
import { momentOf } from '../../lib/figures.ts';
import { auditLogText } from './messages.ts';

export type Entry = components['schemas']['LogEntry'];
type Category = Entry['category'];
type Level = Entry['level'];
export type Time = keyof typeof auditLogText.times;

/** The view of the audit log, kept in the URL. */
export interface View {
  search: string;
  user: string;
  category: Category | undefined;
  level: Level | undefined;
  tenant: string;
  time: Time;
  /** Times in the user's zone, as written by the browser's date-time field, for `between`. */
  from: string;
  to: string;
}

const among = <Key extends string>(known: Record<Key, string>, given: string | null): Key | undefined =>
  (Object.keys(known) as Key[]).find((key) => key === given);

export function viewOf(query: URLSearchParams): View {
  return {
    search: query.get('q') ?? '',
    user: query.get('user') ?? '',
    category: among(auditLogText.categories, query.get('category')),
    level: among(auditLogText.levels, query.get('level')),
    tenant: query.get('tenant') ?? '',
    time: among(auditLogText.times, query.get('time')) ?? 'any',
    from: query.get('from') ?? '',
    to: query.get('to') ?? '',
  };
}

export const isFiltered = ({ search, user, category, level, tenant, time }: View): boolean =>
  search !== '' || user !== '' || category !== undefined || level !== undefined || tenant !== '' || time !== 'any';

const hour = 3_600_000;
const lengths = { hour, day: 24 * hour, week: 7 * 24 * hour };

/** The time range of the entries. */
export function spanOf({ time, from, to }: View, now = Date.now()): { since?: string; until?: string } {
  const since =
    time === 'any' ? undefined : time === 'between' ? momentOf(from)?.toISOString() : isoOf(now - lengths[time]);
  const until = time === 'between' ? momentOf(to)?.toISOString() : undefined;
  return { ...(since ? { since } : {}), ...(until ? { until } : {}) };
}

export const isoOf = (ms: number): string => new Date(ms).toISOString();
