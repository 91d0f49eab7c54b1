import { counted } from '../../lib/counted.ts';

export const systemText = {
  overview: 'Overview',
  ports: 'Ports',
  proxy: 'Reverse proxy',
  well: 'All systems normal',
  wellHint: 'The engine, the database, the disk, the reverse proxy and all running tenants are fine.',
  unwell: (count: number) => `${counted(count, 'issue needs', 'issues need')} attention`,
  problems: {
    engine: (reason: string) => `The engine can’t be reached, so nothing can be deployed or started: ${reason}`,
    disk: (free: string, needed: string) =>
      `Only ${free} are free. Below ${needed} nothing is deployed: remove old backups, or give the disk more room.`,
    engineDisk: (free: string, place: string) =>
      `Only ${free} are free at ${place}, where images and volumes are kept.`,
    errors: (count: number) => counted(count, 'tenant has the status Error.', 'tenants have the status Error.'),
    unhealthy: (count: number) =>
      count === 1
        ? '1 running tenant is unhealthy: visitors can’t use it.'
        : `${count} running tenants are unhealthy: visitors can’t use them.`,
    degraded: (count: number) => counted(count, 'running tenant is degraded.', 'running tenants are degraded.'),
    proxy: (reason: string) => `The reverse proxy can’t be used, so sites may not be reached by their names: ${reason}`,
    drift: (count: number) =>
      count === 1
        ? 'One site at the reverse proxy is not as it was put into service.'
        : `${count} sites at the reverse proxy are not as they were put into service.`,
  },
  look: 'Look',
  tenants: 'Tenants',
  noTenants: 'No tenants yet.',
  work: 'Work',
  operations: 'Deployments, backups',
  imports: 'List imports',
  queue: (running: number, queued: number) =>
    running + queued === 0 ? 'none' : `${running} under way, ${queued} waiting`,
  engine: 'Engine',
  runs: 'Runs tenants as',
  kinds: {
    docker: 'Docker containers',
    systemd: 'systemd services',
    process: 'local processes, without isolation between tenants',
  } as Record<string, string>,
  state: 'State',
  reachable: 'Reachable',
  away: 'Not reachable',
  version: 'Version',
  reason: 'Reason',
  database: 'The manager’s database',
  dialects: { sqlite: 'SQLite, a file in the data directory', mysql: 'MySQL or MariaDB' },
  kind: 'Kind',
  size: 'Size',
  schema: 'Schema',
  manager: 'Manager',
  node: 'Node.js',
  running: 'Running for',
  since: 'Started',
  memory: 'Memory',
  disk: 'Disk',
  free: (free: string, total: string) => `${free} of ${total} free`,
  directory: 'Data directory',
  engineFree: (place: string) => `Free at ${place}`,
  needed: 'Needed for a deployment',
  parts: {
    backups: 'Backups',
    releases: 'Releases',
    sources: 'Repositories',
    tenants: 'Files of tenants',
    imports: 'Lists being imported',
    store: 'Database',
    other: 'Everything else',
  },
  takes: 'Disk usage by type',
  unmeasured: 'What takes the room could not be measured; the manager’s log says why.',
  measuring: 'Measuring …',
  measured: 'Measured',
  used: 'Used',
  metrics: 'Figures for monitoring',
  metricsHint: 'Prometheus reads them at this address, with the header “Authorization: Bearer” and a token.',
  metricsToken: 'Token',
  metricsTokenSet: 'METRICS_TOKEN, or an API token of any role',
  metricsTokenNone: 'an API token of any role; METRICS_TOKEN is not set',
  address: 'Address',
  saveMetrics: 'Download metrics',
};
