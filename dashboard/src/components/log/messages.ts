import { format, translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  search: 'Search log',
  matches: (found: number) => format('{found, plural, one {# line} other {# lines}}', { found }),
  lines: (count: number) => format('{count, plural, one {# line} other {# lines}}', { count }),
  follow: 'Follow new lines',
  level: 'Level',
  levels: { '': 'All levels', warning: 'Warnings and errors', error: 'Errors' },
  age: 'Age',
  ages: { '': 'Any time', 5: 'Last 5 minutes', 15: 'Last 15 minutes', 60: 'Last hour', 1440: 'Last 24 hours' },
  copyLink: 'Copy a link to this line',
  linkCopied: 'Link to the line copied.',
  linkInAddress: 'The address of this page is now a link to the line.',
  lineMissing: 'The linked line is not among these lines.',
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

export const logText = translated({ en, es });
