/** What is measured of a tenant, a node and the manager itself. The order is that of stored values: only append. */
export const subjectKinds = ['tenant', 'node', 'manager'] as const;
export type SubjectKind = (typeof subjectKinds)[number];

export interface Metric {
  /** The same at `/metrics`. */
  name: string;
  unit: 'ratio' | 'seconds' | 'cores' | 'bytes' | 'count';
  help: string;
  /** Values of a period are added up, not averaged. */
  isSum?: true;
}

export const metricsOf = {
  tenant: [
    {
      name: 'tenantry_tenant_up',
      unit: 'ratio',
      help: 'Whether the last health check found a tenant healthy or degraded',
    },
    {
      name: 'tenantry_tenant_frontend_response_seconds',
      unit: 'seconds',
      help: 'Response time of a tenant’s frontend in its last check',
    },
    {
      name: 'tenantry_tenant_backend_response_seconds',
      unit: 'seconds',
      help: 'Response time of a tenant’s backend in its last check',
    },
    {
      name: 'tenantry_tenant_proxy_response_seconds',
      unit: 'seconds',
      help: 'Response time of a tenant’s site through the reverse proxy in its last check',
    },
    {
      name: 'tenantry_tenant_restarts',
      unit: 'count',
      help: 'Starts of a tenant’s services that checks noticed',
      isSum: true,
    },
    { name: 'tenantry_tenant_cpu_cores', unit: 'cores', help: 'Processor time of a tenant’s services per second' },
    { name: 'tenantry_tenant_memory_bytes', unit: 'bytes', help: 'Memory of a tenant’s services' },
    { name: 'tenantry_tenant_disk_bytes', unit: 'bytes', help: 'Disk usage of a tenant’s files and volumes' },
    { name: 'tenantry_tenant_database_bytes', unit: 'bytes', help: 'Size of a tenant’s database' },
    { name: 'tenantry_tenant_database_connections', unit: 'count', help: 'Open connections to a tenant’s database' },
    {
      name: 'tenantry_tenant_down_seconds',
      unit: 'seconds',
      help: 'How long a tenant was unhealthy: the time before each check that failed',
      isSum: true,
    },
  ],
  node: [
    { name: 'tenantry_node_cpu_cores', unit: 'cores', help: 'Processor time of a node per second' },
    { name: 'tenantry_node_memory_bytes', unit: 'bytes', help: 'Memory in use at a node' },
    { name: 'tenantry_node_memory_reserved_bytes', unit: 'bytes', help: 'Memory that everything at a node reserves' },
    {
      name: 'tenantry_node_disk_bytes',
      unit: 'bytes',
      help: 'Disk space in use where releases and volumes are stored',
    },
    {
      name: 'tenantry_node_disk_free_bytes',
      unit: 'bytes',
      help: 'Free disk space where releases and volumes are stored',
    },
    { name: 'tenantry_node_up', unit: 'ratio', help: 'Whether a node was ready when it was last asked for' },
  ],
  manager: [
    { name: 'tenantry_manager_memory_bytes', unit: 'bytes', help: 'Resident memory of the manager' },
    { name: 'tenantry_manager_cpu_cores', unit: 'cores', help: 'Processor time of the manager per second' },
    {
      name: 'tenantry_manager_event_loop_delay_seconds',
      unit: 'seconds',
      help: 'Longest delay of the manager’s event loop since its last measurement',
    },
    {
      name: 'tenantry_manager_response_seconds',
      unit: 'seconds',
      help: 'Average time of the manager’s answers since its last measurement, without streams',
    },
    { name: 'tenantry_manager_starts', unit: 'count', help: 'Starts of the manager', isSum: true },
  ],
} as const satisfies Record<SubjectKind, readonly Metric[]>;

export type MetricName<Kind extends SubjectKind> = (typeof metricsOf)[Kind][number]['name'];
/** Measured values by their metric; null or missing: not measured. */
export type Values<Kind extends SubjectKind> = Partial<Record<MetricName<Kind>, number | null>>;

/** Whom a measurement is about. */
export interface Subject {
  kind: SubjectKind;
  /** A tenant's id, a node's id; empty for the manager. */
  id: string;
}

/** Its key in the store: a tenant's id, `node:<id>`, `manager:`. */
export const keyOf = ({ kind, id }: Subject): string => (kind === 'tenant' ? id : `${kind}:${id}`);
export function subjectOf(key: string): Subject {
  const [kind, id] = key.split(':', 2);
  return id === undefined ? { kind: 'tenant', id: key } : { kind: kind === 'node' ? 'node' : 'manager', id };
}
