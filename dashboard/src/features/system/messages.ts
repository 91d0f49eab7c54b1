import type { ApiTexts } from '../../lib/api-text.ts';
import { number } from '../../lib/figures.ts';
import { format, translated } from '../../lib/language.ts';
import { es, esPage } from './messages.es.ts';

const en = {
  overview: 'Overview',
  ports: 'Ports',
  proxy: 'Reverse proxy',
  well: 'All systems normal',
  wellHint: 'The engine, database, disk, reverse proxy and all running tenants are fine.',
  unwell: (count: number) => format('{count, plural, one {# issue needs} other {# issues need}} attention', { count }),
  problems: {
    errors: (count: number) =>
      format('{count, plural, one {# tenant has} other {# tenants have}} the status Error.', { count }),
    unhealthy: (count: number) =>
      format(
        '{count, plural, one {# running tenant is unhealthy: visitors can’t use it.} other {# running tenants are unhealthy: visitors can’t use them.}}',
        { count },
      ),
    degraded: (count: number) =>
      format('{count, plural, one {# running tenant is} other {# running tenants are}} degraded.', { count }),
  },
  look: 'Show details',
  /** Of a finding: the link to where to act or see more. */
  places: {
    engine: 'Show the engine',
    node: 'Show the nodes',
    proxy: 'Show the reverse proxy',
    disk: 'Show disk usage',
    site: 'Show the sites',
    warning: 'Show the system',
  },
  tenants: 'Tenants',
  noTenants: 'No tenants yet.',
  work: 'Operations',
  operations: 'Deployments, backups',
  imports: 'List imports',
  queue: (running: number, queued: number) =>
    running + queued === 0 ? 'none' : `${number(running)} in progress, ${number(queued)} queued`,
  engine: 'Engine',
  runs: 'Runs tenants as',
  kinds: {
    docker: 'Docker containers',
    swarm: 'Docker Swarm services',
    systemd: 'systemd services',
    process: 'local processes, without isolation between tenants',
  } as Record<string, string>,
  state: 'Status',
  reachable: 'Reachable',
  away: 'Unreachable',
  version: 'Version',
  reason: 'Reason',
  database: 'The manager’s database',
  dialects: { sqlite: 'SQLite, a file in the data directory', mysql: 'MySQL or MariaDB' },
  kind: 'Kind',
  size: 'Size',
  schema: 'Schema',
  manager: 'Manager',
  node: 'Node.js',
  running: 'Uptime',
  since: 'Started',
  memory: 'Memory',
  disk: 'Disk',
  free: (free: string, total: string) => `${free} of ${total} free`,
  directory: 'Data directory',
  engineFree: (path: string) => `Free at ${path}`,
  needed: 'Needed for a deployment',
  buildCache: 'Build cache of the engine',
  parts: {
    backups: 'Backups',
    releases: 'Releases',
    sources: 'Repositories',
    tenants: 'Tenant files',
    imports: 'Lists being imported',
    store: 'Database',
    other: 'Other',
  },
  takes: 'Disk usage by type',
  unmeasured: 'Disk usage could not be measured. See the manager’s log.',
  measuring: 'Measuring…',
  measured: 'Measured',
  used: 'Used',
  metrics: 'Monitoring metrics',
  metricsHint: 'Prometheus can read metrics at this address with the header “Authorization: Bearer” and a token.',
  metricsToken: 'Token',
  metricsTokenSet: 'METRICS_TOKEN, or an API token of any role',
  metricsTokenNone: 'an API token of any role; METRICS_TOKEN is not set',
  address: 'Address',
  saveMetrics: 'Download metrics',
  /** What the manager found, for `apiText`. */
  findings: {} as ApiTexts,
};

const enPage = {
  sections: 'Sections of the system',
  nodes: 'Nodes',
  maintenance: 'Maintenance',
  metrics: 'Metrics',
  settings: 'Settings',
  users: 'Users',
};

export const systemText = translated({ en, es });
export const systemPageText = translated({ en: enPage, es: esPage });
