import { number } from '../../lib/figures.ts';
import { format, translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  range: 'Time range',
  ranges: { '1h': '1 h', '24h': '24 h', '7d': '7 d', '30d': '30 d', '1y': '1 y' } as Record<string, string>,
  zoomHint: 'Drag across a chart to zoom; double-click to see the whole range.',
  incidents: 'Red areas are incidents: point at one to see what it was.',
  marks: 'Dashed lines are deployments, red areas incidents: point at one to see what it was.',
  ongoing: 'ongoing',
  none: 'No measurements yet',
  noneHint: 'The first ones appear about a minute after a deployment.',
  time: 'Time',
  charts: {
    response: 'Response time',
    up: 'Availability',
    cpu: 'Processor cores',
    memory: 'Memory',
    databaseSize: 'Database size',
    connections: 'Database connections',
    disk: 'Disk',
    restarts: 'Restarts',
    loop: 'Longest event loop delay',
    reserved: 'Reserved memory',
    freeDisk: 'Free disk space',
  },
  lines: {
    frontend: 'Site',
    backend: 'API',
    proxy: 'Through the proxy',
    mean: 'Average',
    max: 'Highest',
  },
  /** What a screen reader says of a chart. */
  summary: (chart: string, lines: readonly string[]) => `${chart}: ${lines.join('; ')}`,
  line: (name: string, last: string, highest: string) => `${name}: last ${last}, highest ${highest}`,
  manager: 'Manager',
  host: 'Host',
  availability: 'Availability',
  percent: (percent: number | null) => (percent === null ? 'no checks' : `${number(percent, 3)} %`),
  strip: 'Last 90 days',
  day: (date: string, percent: string) => `${date}: ${percent}`,
  last24h: '24 hours',
  last30d: '30 days',
  last90d: '90 days',
  month: (month: string) => `Error budget, ${month}`,
  budget: (left: string, whole: string) => `${left} of ${whole} left`,
  overBudget: (used: string, whole: string) => `Used up: down for ${used}, ${whole} allowed`,
  objective: (percent: number) => `Objective: ${number(percent, 3)} % a month`,
  fleet: 'Availability, last 90 days',
  fleetFigure: (percent: number, objective: number) =>
    `${number(percent, 3)} % of all tenants, objective ${number(objective, 3)} %`,
  lowest: 'Lowest first',
  reports: 'Monthly report',
  report: (month: string) => `Availability, ${month}`,
  reportHint: (percent: string, objective: number) =>
    `All tenants: ${percent}; objective: ${number(objective, 3)} %. Days and months are those of UTC.`,
  previous: 'Previous month',
  next: 'Next month',
  missed: (count: number) =>
    format(
      '{count, plural, =0 {Every tenant is within its error budget.} one {# tenant is over its error budget.} other {# tenants are over their error budget.}}',
      { count },
    ),
  columns: {
    tenant: 'Tenant',
    availability: 'Availability',
    checks: 'Checks',
    down: 'Down',
    left: 'Budget left',
  },
  noTenants: 'No tenants',
  noTenantsHint: 'A report lists every tenant.',
  badMonth: 'No such month',
};

/** The texts of measurements and availability. */
export const historyText = translated({ en, es });
