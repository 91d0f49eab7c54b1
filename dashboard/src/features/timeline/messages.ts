import type { ApiTexts } from '../../lib/api-text.ts';
import { translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';
import type { Entry, Kind } from './queries.ts';

const en = {
  title: 'Timeline',
  hint: 'What changed at all tenants and the manager, newest first.',
  filter: 'Filter by kind',
  all: 'All',
  kinds: {
    health: 'Health',
    incident: 'Incidents',
    deployment: 'Deployments',
    upgrade: 'Upgrades',
    service: 'Services',
    configuration: 'Configuration',
    theme: 'Themes',
    proxy: 'Proxy',
    certificate: 'Certificates',
    node: 'Nodes',
    engine: 'Engine',
    disk: 'Disks',
    import: 'Imports',
    backup: 'Backups',
    tenant: 'Tenants',
    settings: 'Settings',
    user: 'Users',
    sign_in: 'Sign-ins and credentials',
  } as Record<Kind, string>,
  severity: { info: 'Information', warning: 'Warning', error: 'Error', critical: 'Critical' } as Record<
    Entry['severity'],
    string
  >,
  by: (name: string) => `by ${name}`,
  deletedTenant: (name: string) => `${name} (deleted)`,
  hourBefore: 'The hour before',
  hourBeforeOf: (title: string) => `What changed in the hour before: ${title}`,
  whatChanged: 'What changed in the hour before?',
  hourTitle: (time: string) => `What changed in the hour before ${time}`,
  showAll: 'Show the whole timeline',
  ofAll: 'Show the timeline of all tenants',
  older: 'Load older entries',
  none: 'Nothing has changed yet',
  noneHint: 'Deployments, changes of the configuration, incidents and more appear here.',
  nothing: 'Nothing matches',
  nothingHint: 'No changes of these kinds or at this time.',
  /** Titles that the manager writes. */
  api: {} as ApiTexts,
};

/** The texts of timelines. */
export const timelineText = translated({ en, es });
