import { setTimeout as sleep } from 'node:timers/promises';
import { minGapMs } from '../../../src/features/incidents/incident.ts';
import type { App } from '../../harness/app/app.ts';

export interface IncidentAnswer {
  id: string;
  status: string;
  severity: string;
  title: string;
  detail: string | null;
  acknowledged_by: string | null;
  in_maintenance: boolean;
  tenant_count: number;
  affected_count: number;
  tenants: { id: string; slug: string; name: string; left_at: string | null; left_reason: string | null }[];
  timeline: { kind: string; text: string | null; username: string | null }[];
}

export interface IncidentListAnswer {
  incidents: IncidentAnswer[];
  total: number;
  open_count: number;
}

export const kindsOf = ({ timeline }: IncidentAnswer): string[] => timeline.map(({ kind }) => kind);

/** What was announced about an incident: `opened`, `reminder/1`, … */
export async function alertKeys({ call }: Pick<App, 'call'>, id: string): Promise<string[]> {
  const { body } = await call<{ logs: { details: { alert?: string } }[] }>('GET', `/api/logs?search=(incident/${id}/`);
  return body.logs.map(({ details }) => details.alert?.slice(`incident/${id}/`.length) ?? '');
}

/** Two checks that count as two failures. */
export async function failTwice(check: () => Promise<unknown>): Promise<void> {
  await check();
  await sleep(minGapMs + 200);
  await check();
}
