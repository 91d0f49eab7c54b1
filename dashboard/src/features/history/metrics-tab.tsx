import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { tenantIncidentsQuery } from '../incidents/queries.ts';
import { useTenant } from '../tenant/tenant-page.tsx';
import type { Mark } from './charts/chart.tsx';
import { type ChartPlan, Charts, incidentMark } from './charts/charts.tsx';
import { historyText as words } from './messages.ts';
import { versionChangesQuery } from './queries.ts';

const of = (metric: string): string => `tenantry_tenant_${metric}`;
/** The average and the highest value of a metric. */
const both = (metric: string): ChartPlan['lines'] => [
  { metric: of(metric), name: words.lines.mean },
  { metric: of(metric), name: words.lines.max, highest: true },
];

const plans: readonly ChartPlan[] = [
  {
    title: words.charts.response,
    unit: 'seconds',
    lines: [
      { metric: of('frontend_response_seconds'), name: words.lines.frontend },
      { metric: of('backend_response_seconds'), name: words.lines.backend },
      { metric: of('proxy_response_seconds'), name: words.lines.proxy },
    ],
  },
  { title: words.charts.up, unit: 'ratio', lines: [{ metric: of('up'), name: words.charts.up }] },
  { title: words.charts.cpu, unit: 'cores', lines: both('cpu_cores') },
  { title: words.charts.memory, unit: 'bytes', lines: both('memory_bytes') },
  {
    title: words.charts.databaseSize,
    unit: 'bytes',
    lines: [{ metric: of('database_bytes'), name: words.charts.databaseSize }],
  },
  { title: words.charts.connections, unit: 'count', lines: both('database_connections') },
  { title: words.charts.disk, unit: 'bytes', lines: [{ metric: of('disk_bytes'), name: words.charts.disk }] },
  { title: words.charts.restarts, unit: 'count', lines: [{ metric: of('restarts'), name: words.charts.restarts }] },
];

/** A tenant's measurements, with its deployments and incidents marked. */
export function MetricsTab() {
  const { id } = useTenant();
  const { data: deployed } = useQuery(versionChangesQuery(id));
  const { data: failed } = useQuery(tenantIncidentsQuery(id));
  const marks = useMemo(
    () => [
      ...(deployed?.deployments ?? []).flatMap(({ finished_at, status, version, commit }): Mark[] =>
        finished_at && status === 'success'
          ? [{ at: Date.parse(finished_at) / 1_000, label: version ?? commit?.slice(0, 7) ?? '' }]
          : [],
      ),
      ...(failed?.incidents ?? []).map(incidentMark),
    ],
    [deployed, failed],
  );
  return <Charts plans={plans} source={{ kind: 'tenant', id }} marks={marks} />;
}
