import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { PagePart } from '../../components/layout/page.tsx';
import { hostIncidentsQuery } from '../incidents/queries.ts';
import { nodesQuery } from '../system/nodes/queries.ts';
import { type ChartPlan, Charts, incidentMark } from './charts/charts.tsx';
import { historyText as words } from './messages.ts';

const one = (title: string, unit: ChartPlan['unit'], metric: string, highest = false): ChartPlan => ({
  title,
  unit,
  lines: [{ metric, name: title, highest }],
});

const managerPlans: readonly ChartPlan[] = [
  one(words.charts.memory, 'bytes', 'tenantry_manager_memory_bytes'),
  one(words.charts.cpu, 'cores', 'tenantry_manager_cpu_cores'),
  one(words.charts.response, 'seconds', 'tenantry_manager_response_seconds', true),
  one(words.charts.restarts, 'count', 'tenantry_manager_starts'),
  one(words.charts.loop, 'seconds', 'tenantry_manager_event_loop_delay_seconds', true),
];

const nodePlans: readonly ChartPlan[] = [
  one(words.charts.up, 'ratio', 'tenantry_node_up'),
  one(words.charts.cpu, 'cores', 'tenantry_node_cpu_cores'),
  one(words.charts.memory, 'bytes', 'tenantry_node_memory_bytes'),
  one(words.charts.reserved, 'bytes', 'tenantry_node_memory_reserved_bytes'),
  one(words.charts.disk, 'bytes', 'tenantry_node_disk_bytes'),
  one(words.charts.freeDisk, 'bytes', 'tenantry_node_disk_free_bytes'),
];

const manager = { kind: 'manager', id: '' } as const;
/** The manager's host, where the runtime has no nodes. */
const local = { id: 'local', hostname: words.host };

/** Measurements of the manager and of each node, with the incidents of what tenants share marked. */
export function MetricsSection() {
  const { data } = useQuery(nodesQuery);
  const { data: failed } = useQuery(hostIncidentsQuery);
  const all = useMemo(() => (failed?.incidents ?? []).map(incidentMark), [failed]);
  const byName = useMemo(() => {
    const groups = Map.groupBy(failed?.incidents ?? [], ({ cause }) => cause.scope.name);
    return new Map([...groups].map(([name, incidents]) => [name, incidents.map(incidentMark)]));
  }, [failed]);
  const nodes = data && data.nodes.length > 0 ? data.nodes : [local];
  return (
    <>
      <PagePart title={words.manager} />
      <Charts plans={managerPlans} source={manager} marks={all} />
      {data &&
        nodes.map(({ id, hostname }) => (
          <section key={id}>
            <PagePart title={hostname} />
            <Charts
              plans={nodePlans}
              source={{ kind: 'node', id }}
              marks={id === local.id ? all : byName.get(hostname)}
            />
          </section>
        ))}
    </>
  );
}
