import type { ApiTexts } from '../../../lib/api-text.ts';
import { number } from '../../../lib/figures.ts';
import { format, translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Upgrades',
  hint: 'Upgrade many tenants in rings: a few first, then the rest. A failed upgrade is rolled back automatically.',
  begin: 'New upgrade',
  emptyTitle: 'No upgrades yet',
  emptyHint:
    'A new version goes to one tenant first, then to some, then to all: in rings. Each ring must be healthy before the next one starts, and too many failures halt the upgrade. To upgrade a single tenant, use its own page.',
  columns: {
    what: 'Version',
    status: 'Status',
    tenants: 'Upgraded',
    failed: 'Failed',
    by: 'By',
    began: 'Requested',
  },
  of: (done: number, all: number) => `${number(done)} of ${number(all)}`,
  status: {
    pending: 'Queued',
    running: 'In progress',
    paused: 'Paused',
    halted: 'Halted',
    cancelled: 'Stopped early',
    completed: 'Completed',
  },
  withFailures: 'Completed with failures',
  member: {
    waiting: 'Pending',
    upgrading: 'In progress',
    succeeded: 'Upgraded',
    failed: 'Failed',
    skipped: 'Skipped',
  },
  form: {
    title: 'Upgrade many tenants',
    hint: 'You see which tenants are in which ring before anything changes.',
    version: 'Target version',
    versionHint: 'A version tag of the tenants’ repository, such as v1.4.0.',
    newest: (version: string, tenant: string) => `${version} is the newest version in the repository of ${tenant}.`,
    halted: (version: string) => `The last upgrade to ${version} was halted after failures`,
    haltedHint: 'Choose another version, or use it again only if the cause is fixed.',
    which: 'Which tenants',
    selected: (count: number) =>
      format('{count, plural, one {# tenant} other {# tenants}} selected in the list', { count }),
    more: (count: number) => `and ${number(count)} more`,
    byFilter: 'Select by status and name instead',
    status: 'Status',
    anyStatus: 'Any',
    search: 'Name, short name or domain',
    searchHint: 'Leave empty for all.',
    from: 'Current version',
    fromHint: 'Leave empty for any. Tenants that already run the target version are skipped.',
    how: 'Options',
    rings: 'Rings',
    ringsHint: 'A ring starts when the previous one has finished and is healthy.',
    ringChoices: {
      '1, 10%, 100%': 'One tenant, 10%, all',
      '1, 25%, 50%, 100%': 'One tenant, 25%, 50%, all',
      '100%': 'All in one ring',
      own: 'Custom…',
    } as Record<string, string>,
    ownRings: 'Rings, from first to last',
    ownRingsHint:
      'The total reached after each ring, as a number of tenants or a percentage. For example: 1, 5, 20%, 100%',
    failures: 'Failures allowed',
    failuresHint: 'If more than this many fail, the upgrade halts until you decide. Failed tenants are rolled back.',
    pause: 'Pause between rings',
    pauses: {
      '0': 'None',
      '300': '5 minutes',
      '900': '15 minutes',
      '3600': '1 hour',
      '14400': '4 hours',
      '86400': '1 day',
    } as Record<string, string>,
    pauseHint: 'Time to check that the upgraded tenants work.',
    backup: 'Back up each database first',
    backupHint: 'A safety backup is always made before migrations.',
    migrations: 'Run the new version’s migrations',
    retry: 'Include tenants for which this version failed before',
    preview: 'Preview rings',
    begin: (count: number, version: string) =>
      format('Upgrade {count, plural, one {# tenant} other {# tenants}} to {version}', { count, version }),
    change: 'If you change the form, preview the rings again.',
  },
  plan: {
    title: 'What would happen',
    hint: 'Nothing has been changed yet.',
    reading: 'Checking each tenant and its repository…',
    ring: (ring: number, count: number) =>
      format('Ring {ring}: {count, plural, =0 {no new tenants} one {# tenant} other {# tenants}}', { ring, count }),
    skipped: (count: number) => format('Skipped: {count, plural, one {# tenant} other {# tenants}}', { count }),
    refused: 'See the error next to the field.',
    noTenants: 'No tenant would be upgraded',
    noTenantsHint: 'Each tenant shows the reason. Select other tenants or another version.',
  },
  rings: {
    title: 'How an upgrade works',
    lesson: [
      'The new version is built once. In the first ring, each database is backed up and migrated, and each tenant must pass its health check.',
      'A failed upgrade is rolled back: that tenant continues with its previous version and data.',
      'The next ring starts when the current ring has finished, the pause is over and its tenants are still healthy.',
      'If more tenants fail than allowed, the upgrade halts and waits for you. You can pause or stop it at any time.',
    ],
  },
  one: {
    title: (version: string) => `Upgrade to ${version}`,
    back: 'Upgrades',
    asked: (who: string) => `requested by ${who}`,
    halted: 'Halted: no further upgrades start',
    haltedHint:
      'Check what failed. Resume if the tenants were the cause; stop the rollout if the version was. Failed tenants run their previous version unless stated otherwise.',
    paused: 'Paused: no further upgrades start',
    pausedHint: 'Upgrades in progress continue.',
    pause: 'Pause',
    resume: 'Resume',
    cancel: 'Stop rollout…',
    retry: (count: number) =>
      format('{count, plural, one {Retry the failed tenant} other {Retry the # failed tenants}}', { count }),
    progress: 'Progress',
    ended: (done: number, all: number) =>
      format('{done, number} of {all, plural, one {# tenant} other {# tenants}} finished', { done, all }),
    nextRing: 'The next ring starts in',
    nextRingNow: 'Checking the health of this ring before the next one starts.',
    show: 'Show',
    everything: 'All',
    nothing: 'No tenants in this state.',
    ring: (ring: number) => `Ring ${ring}`,
    size: (size: number | string) =>
      typeof size === 'string'
        ? `up to ${size.replace('%', ' %')}`
        : format('up to {size, plural, one {# tenant} other {# tenants}}', { size }),
    noNewTenants: 'no new tenants',
    left: 'Skipped from the start',
    counts: {
      waiting: (count: number) => `${number(count)} pending`,
      upgrading: (count: number) => `${number(count)} in progress`,
      succeeded: (count: number) => `${number(count)} upgraded`,
      failed: (count: number) => `${number(count)} failed`,
      skipped: (count: number) => `${number(count)} skipped`,
    },
    from: (version: string) => `from ${version}`,
    watch: 'Watch',
    log: 'Log',
    watchOf: (word: string, slug: string) => `${word}: ${slug}`,
    facts: 'Options',
    maxFailures: 'Failures allowed',
    pauseBetween: 'Pause between rings',
    backup: 'Back up first',
    migrations: 'Migrations',
    retryFailed: 'Include earlier failures',
    yes: 'yes',
    no: 'no',
    began: 'Started',
    over: 'Finished',
    resumeTitle: 'Resume after the halt?',
    resumeHint:
      'The failures so far are accepted. The upgrade halts again if more than the allowed number fail. Failed tenants are not retried.',
    resumed: 'Upgrade resumed.',
    pausedDone: 'Upgrade paused.',
    cancelTitle: 'Stop this rollout?',
    cancelHint:
      'Pending tenants stay as they are. Upgrades in progress continue, and upgraded tenants keep the new version. A stopped rollout can’t be resumed, but you can start a new upgrade.',
    cancelSubmit: 'Stop rollout',
    cancelled: 'The rollout stops after the upgrades in progress.',
  },
  /** The manager's reasons for skipped or failed tenants and for a halt. */
  reasons: {} as ApiTexts,
};

/** Fleet upgrades, ring after ring. */
export const upgradesText = translated({ en, es });
