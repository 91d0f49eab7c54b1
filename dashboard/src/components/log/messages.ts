import { counted } from '../../lib/counted.ts';

export const logText = {
  search: 'Search log',
  matches: (found: number) => counted(found, 'line', 'lines'),
  lines: (count: number) => counted(count, 'line', 'lines'),
  follow: 'Follow new lines',
  wrap: 'Wrap lines',
  hideHealthChecks: 'Hide health checks',
  download: 'Download',
  empty: 'No lines yet.',
  gap: '⋯ connection lost; lines may be missing ⋯',
  nothing: 'No matching lines.',
  service: 'Service',
  services: { both: 'Both', backend: 'API', frontend: 'Site' },
  notDeployed: 'Logs are available after the first deployment.',
};
