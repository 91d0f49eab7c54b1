import { listed } from '../../lib/figures.ts';
import { format, translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Backups',
  hint: 'Each backup contains the database, files and environment at one point in time, and is verified after it is made.',
  create: 'Back up now',
  made: 'The backup was made and verified.',
  notMade: (reason: string) => `No backup was made: ${reason}`,
  emptyTitle: 'No backups yet',
  emptyHint:
    'A backup contains the database, files and environment at one point in time. The site stays up while it is made. Make one before any change that you can’t undo.',
  emptyViewer: 'An operator can make the first one.',
  notDeployedTitle: 'Nothing to back up yet',
  notDeployedHint: 'You can make backups after the first deployment.',
  more: (shown: number, all: number) => `Show more (${shown} of ${all})`,
  kinds: {
    manual: 'Manual',
    scheduled: 'Scheduled',
    safety: 'Before a restore or rollback',
    upgrade: 'Before an upgrade',
  },
  columns: {
    made: 'Created',
    kind: 'Reason',
    version: 'Version',
    size: 'Size',
    rows: 'Rows',
    state: 'Status',
    actions: 'Actions',
  },
  states: {
    creating: 'In progress',
    failed: 'Failed',
    damaged: 'Damaged',
    drilled: 'Restore tested',
    readBack: 'Verified',
  },
  rows: (rows: number) => format('{rows, plural, one {# row} other {# rows}}', { rows }),
  tables: (tables: number) => format('{tables, plural, one {# table} other {# tables}}', { tables }),
  actionsOf: (made: string) => `Actions for the backup of ${made}`,
  actions: {
    open: 'Details',
    drill: 'Run restore test…',
    download: 'Download',
    restore: 'Restore…',
    remove: 'Delete…',
  },
  downloading: 'Preparing the download. Your browser shows its progress.',
  underWay: {
    backup: ['Backup in progress', 'The site stays up. You can leave this page.'],
    drill: ['Restore test in progress', 'The backup is loaded into a separate database. The site stays up.'],
    restore: ['Restore in progress', 'Visitors see an error page until it finishes.'],
    other: ['Another operation is in progress', 'Backups, restore tests and restores must wait until it finishes.'],
    watch: 'Watch',
  } as Record<'backup' | 'drill' | 'restore' | 'other', [string, string]> & { watch: string },
  summary: {
    title: 'Scheduled backups',
    last: 'Last good backup',
    next: 'Next',
    when: 'When',
    keep: 'Retention',
    none: 'No automatic backups',
    noneHint: 'Choose a schedule, so that you lose one day of data at most.',
    noneHintViewer: 'An operator can choose a schedule.',
    change: 'Change schedule',
    choose: 'Choose a schedule',
    asDefault: 'default for all tenants',
  },
  panel: {
    title: (made: string) => `Backup of ${made}`,
    creating: 'Backup in progress',
    creatingHint: 'It can be used once it is verified.',
    failed: 'The backup failed, and nothing was kept',
    drilled: 'Restore test passed',
    drilledHint: (took: string) =>
      `It was loaded into a separate database in ${took}, and every table had all its rows.`,
    readBack: 'Integrity verified',
    readBackHint: 'A restore test proves more: it loads the backup into a separate database and compares every table.',
    damaged: 'Don’t rely on this backup',
    damagedHint: 'Verification found the problem below. Make a new backup and delete this one.',
    askAdmin: 'Only administrators can restore or delete a backup.',
    facts: {
      why: 'Reason',
      by: 'Requested by',
      took: 'Duration',
      version: 'Version',
      database: 'Database',
      size: 'Size',
      rows: 'Rows',
      checked: 'Last verified',
      copy: 'Off-site copy',
      place: 'File',
      sha256: 'SHA-256',
    },
    engines: { mariadb: 'MariaDB', sqlite: 'SQLite' },
    copies: {
      stored: (bucket: string) => `in bucket ${bucket}`,
      pending: (bucket: string) => `not yet in bucket ${bucket}`,
      failed: (bucket: string) => `could not be copied to bucket ${bucket}`,
    },
    tableRows: 'Rows per table',
    table: 'Table',
    gone: 'This backup no longer exists',
    goneHint: 'It was deleted, or its retention period has ended.',
  },
  drill: {
    title: 'Run a restore test?',
    hint: 'The backup is loaded into a separate database, every table is compared, and the copy is deleted. The site stays up and is not touched. The host needs disk space for a second copy of the data.',
    submit: 'Run test',
    started: 'Restore test started. The result will appear here.',
  },
  restore: {
    title: 'Restore this backup?',
    hint: (made: string, version: string) => `Made ${made}${version ? `, version ${version}` : ''}.`,
    into: 'Restore into',
    self: (name: string) => `${name} (original tenant)`,
    steps: (name: string, unsaved: boolean) => [
      `${name} stops. Visitors see an error page until the restore finishes.`,
      unsaved
        ? 'The current state is not backed up: it is lost.'
        : 'The current state is backed up first, so that you can return to it.',
      'The database and files are replaced by those of this backup. Everything written since then is removed from the site.',
      'Configuration, keys and the application’s version stay the same.',
      unsaved
        ? 'The tenant starts and must pass its health check. If anything fails, it stays down.'
        : 'The tenant starts and must pass its health check. If anything fails, the previous state is restored automatically.',
    ],
    what: 'What will happen',
    mismatch: 'Restore even though the versions differ',
    mismatchHint: (backup: string, tenant: string) =>
      `The backup is of ${backup}, and ${tenant}. The migrations of the running version will update its data. Older code may not understand newer data.`,
    runs: (name: string, version: string) => `${name} runs ${version}`,
    unknown: (name: string) => `the version that ${name} runs is unknown`,
    unsaved: 'Do not back up the current state first',
    unsavedHint:
      'Only if it is damaged, so that its backup fails. It is lost, and if the restore fails, the tenant stays down.',
    submit: 'Restore',
  },
  remove: {
    title: 'Delete this backup?',
    hint: (made: string) => `The backup of ${made} and its off-site copy are deleted. This can’t be undone.`,
    submit: 'Delete backup',
    done: 'Backup deleted.',
  },
  schedule: {
    title: 'Schedule',
    hint: 'Backups are made automatically while the site runs.',
    often: 'Frequency',
    choices: {
      default: (words: string) => (words ? `Default: ${words}` : 'Default'),
      never: 'Never',
      hours: 'Every six hours',
      daily: 'Every day',
      weekly: 'Every week',
      cron: 'Custom (cron)',
    },
    day: 'On',
    days: {
      '1': 'Monday',
      '2': 'Tuesday',
      '3': 'Wednesday',
      '4': 'Thursday',
      '5': 'Friday',
      '6': 'Saturday',
      '7': 'Sunday',
    } as Record<string, string>,
    hour: 'At',
    hourHint:
      'Choose an hour at night. The backup starts up to five minutes later, so that not all tenants start at once.',
    onDay: (time: string, day: string) => `${time} on ${day}`,
    atHour: (utc: string, here: string) => (utc === here ? here : `${here} (${utc} UTC)`),
    cron: 'Cron expression, in UTC',
    cronHint: 'Minute, hour, day of month, month, day of week: 30 2 * * 1-5 is 02:30 UTC from Monday to Friday.',
    keep: 'Retention',
    keepDefault: (words: string) => (words ? `Default: ${words}` : 'Default'),
    keepOwn: 'Custom',
    keepHint:
      'Only scheduled backups are counted. Manual backups stay until someone deletes them. Of the backups made before restores and upgrades, only the newest few are kept.',
    last: 'Newest backups',
    daily: 'Daily backups',
    weekly: 'Weekly backups',
    monthly: 'Monthly backups',
    whole: 'Enter a whole number',
    save: 'Save schedule',
    saved: 'Schedule saved.',
  },
  keep: {
    last: (many: number) => format('the newest {many, plural, one {one} other {#}}', { many }),
    beyond: (daily: number, weekly: number, monthly: number) => {
      const parts = [
        daily > 0 ? format('{daily, plural, one {# day} other {# days}}', { daily }) : '',
        weekly > 0 ? format('{weekly, plural, one {# week} other {# weeks}}', { weekly }) : '',
        monthly > 0 ? format('{monthly, plural, one {# month} other {# months}}', { monthly }) : '',
      ].filter((part) => part !== '');
      return parts.length > 0 ? `, and one for each of the last ${listed(parts)}` : '';
    },
  },
};

/** The texts of a tenant's backups. */
export const backupsText = translated({ en, es });
