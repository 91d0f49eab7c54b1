import type { App } from '../app/app.ts';

export interface TimelineEntry {
  id: string;
  at: string;
  kind: string;
  severity: string;
  outcome: string | null;
  title: string;
  detail: string | null;
  tenant: { id: string; name: string; deleted: boolean } | null;
  user: string | null;
  link: { type: string; id: string } | null;
}

/** The fleet's entries of a kind, the newest first. */
export const timelineOfFleet = async (app: Pick<App, 'call'>, kind: string): Promise<TimelineEntry[]> =>
  (await app.call<{ entries: TimelineEntry[] }>('GET', `/api/timeline?kinds=${kind}`)).body.entries;
