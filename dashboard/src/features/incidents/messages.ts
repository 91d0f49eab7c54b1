import type { ApiTexts } from '../../lib/api-text.ts';
import { format, translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';
import type { Incident, IncidentEntry } from './queries.ts';

const en = {
  title: 'Incidents',
  hint: 'Opened automatically when checks fail repeatedly; resolved when everything has recovered.',
  openCount: (count: number) => format('{count, plural, one {# incident} other {# incidents}} open', { count }),
  open: 'Open',
  resolved: 'Resolved',
  noneOpen: 'No open incidents.',
  noneResolved: 'No incidents have been resolved yet.',
  status: { open: 'Open', acknowledged: 'Acknowledged', resolved: 'Resolved' } as Record<Incident['status'], string>,
  severity: { info: 'Information', warning: 'Warning', error: 'Error', critical: 'Critical' } as Record<
    Incident['severity'],
    string
  >,
  columns: { what: 'Cause', status: 'Status', tenants: 'Tenants', opened: 'Opened', duration: 'Duration' },
  manager: 'Manager',
  tenants: (count: number) => format('{count, plural, one {# tenant} other {# tenants}}', { count }),
  affected: (affected: number, count: number) =>
    format('{affected, number} of {count, plural, one {# tenant} other {# tenants}} still affected', {
      affected,
      count,
    }),
  kind: 'Unhealthy',
  view: 'View incident',
  viewOf: (title: string) => `View incident: ${title}`,
  openOfTenant: 'This tenant has an open incident',
  for: (duration: string) => `For ${duration}`,
  after: (duration: string) => `Recovered after ${duration}`,
  inMaintenance: 'During maintenance',
  failed: (times: number) => format('Failed {times, number} times', { times }),
  remedy: 'What to do',
  facts: {
    severity: 'Severity',
    opened: 'Opened',
    acknowledged: 'Acknowledged',
    resolved: 'Resolved',
    found: 'Found',
  },
  by: (name: string) => `by ${name}`,
  acknowledge: 'Acknowledge',
  acknowledgedToast: 'Acknowledged. No more reminders are sent.',
  export: 'Export',
  timeline: 'Timeline',
  tenantsTitle: 'Tenants',
  since: 'Affected since',
  until: 'Until',
  left: { recovered: 'recovered', stopped: 'stopped', deleted: 'deleted', moved: 'moved to another incident' },
  entries: {
    opened: 'Opened',
    reopened: 'Returned',
    joined: 'Tenant affected',
    recovered: 'Tenant recovered',
    left: 'Tenant no longer affected',
    notified: 'Notification sent',
    acknowledged: 'Acknowledged',
    note: 'Note',
    diagnosis_changed: 'Diagnosis changed',
    log: 'Last log lines',
    resolved: 'Resolved',
  } as Record<IncidentEntry['kind'], string>,
  notified: {
    opened: 'Opening',
    joined: 'More tenants',
    reminder: 'Reminder',
    flapping: 'Returned',
    escalated: 'More severe',
    resolved: 'End',
  } as Record<string, string>,
  announcements: {
    title: 'Notifications',
    log: 'Open the delivery log',
    columns: { what: 'About', at: 'Time', inbox: 'Inbox of', channels: 'Channels' },
    collected: 'In the next digest',
    formerAddress: 'Former address',
    more: (count: number) => format('and {count, number} more', { count }),
  },
  note: 'Note',
  addNote: 'Add note',
  /** Titles, details and remedies that the manager writes. */
  api: {} as ApiTexts,
};

/** The texts of incidents. */
export const incidentsText = translated({ en, es });
