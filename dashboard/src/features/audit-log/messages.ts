import type { ApiTexts } from '../../lib/api-text.ts';
import { number } from '../../lib/figures.ts';
import { format, translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Audit log',
  hint: 'What users and Tenantry did, newest first.',
  filters: 'Filters',
  search: 'Search messages',
  searchHint: 'Search messages',
  user: 'User',
  userHint: 'Username',
  category: 'Kind',
  anyCategory: 'All kinds',
  categories: {
    deployment: 'Deployment',
    api: 'API',
    health_check: 'Health',
    system: 'System',
    audit: 'User activity',
  },
  level: 'Severity',
  anyLevel: 'Any severity',
  levels: { info: 'Information', warning: 'Warning', error: 'Error', critical: 'Critical' },
  tenant: 'Tenant',
  anyTenant: 'All tenants',
  deletedTenant: (slug: string) => `${slug} (deleted)`,
  unknownTenant: 'Deleted tenant',
  time: 'Time',
  times: {
    any: 'Any time',
    hour: 'Last hour',
    day: 'Last 24 hours',
    week: 'Last 7 days',
    between: 'Custom range…',
  },
  from: 'From',
  to: 'To',
  clear: 'Clear filters',
  list: 'Entries',
  found: (total: number) => format('{total, plural, one {# entry} other {# entries}}', { total }),
  more: (shown: number, all: number) => `Show more (${number(shown)} of ${number(all)})`,
  fresh: (count: number) => format('Show {count, plural, one {# new entry} other {# new entries}}', { count }),
  emptyTitle: 'No entries yet',
  emptyHint:
    'Sign-ins, changes, deployments and failures appear here, with the user who caused them. A setting defines how long entries are kept.',
  nothingTitle: 'No matching entries',
  nothingHint: 'Try other words or clear the filters.',
  details: {
    by: 'By',
    onlyUser: 'All activity by this user',
    onlyTenant: 'All activity of this tenant',
    work: 'Operation',
    seeWork: 'View steps and log',
    changes: 'Changes',
    columns: { what: 'Field', before: 'Before', after: 'After' },
    value: 'Value',
    hidden: 'hidden',
    empty: 'empty',
    none: 'none',
    yes: 'yes',
    no: 'no',
    at: 'When',
    id: 'Entry ID',
    nothing: 'No further details.',
    /** Names of details by their keys; of those without one, the key's own words. */
    names: {} as Record<string, string>,
  },
  healthOf: (slug: string, change: string) => `Health of ${slug}: ${change}`,
  /** The manager's words, for `apiText`. */
  api: {} as ApiTexts,
};

export const auditLogText = translated({ en, es });
