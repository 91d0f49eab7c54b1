import { translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Maintenance windows',
  hint: 'During a window, incidents of its tenants are recorded, but no notification is sent. An incident that outlasts it is announced then.',
  emptyTitle: 'No maintenance windows',
  emptyHint: 'Add one before planned work, so that no one is notified of it.',
  add: 'Add a window…',
  all: 'All tenants',
  columns: {
    tenant: 'Tenants',
    from: 'From',
    to: 'To',
    repeats: 'Repeats',
    reason: 'Reason',
    by: 'Added by',
    actions: 'Actions',
  },
  active: 'Now',
  weekly: (zone: string) => `Weekly (${zone})`,
  once: 'Once',
  change: 'Edit…',
  changeOf: (reason: string) => `Edit the window: ${reason}`,
  remove: 'Delete',
  removeOf: (reason: string) => `Delete the window: ${reason}`,
  removeTitle: 'Delete this maintenance window?',
  removeHint: 'Open incidents that it covers are announced.',
  removed: 'Maintenance window deleted.',
  added: 'Maintenance window added.',
  changed: 'Maintenance window changed.',
  form: {
    title: 'Add a maintenance window',
    changeTitle: 'Edit the maintenance window',
    tenant: 'Tenants',
    from: 'From',
    to: 'To',
    zoneHint: (zone: string) => `Time zone: ${zone}`,
    weekly: 'Repeat each week at the same time',
    reason: 'Reason',
    missing: 'Choose a date and a time',
    submit: 'Add window',
    save: 'Save',
  },
};

/** The texts of maintenance windows. */
export const maintenanceText = translated({ en, es });
