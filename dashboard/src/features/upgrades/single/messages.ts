import type { ApiTexts } from '../../../lib/api-text.ts';
import { number } from '../../../lib/figures.ts';
import { format, translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  notDeployedTitle: 'Nothing to upgrade yet',
  notDeployedHint:
    'The first deployment installs the newest release. Upgrades install later ones, and are rolled back if they fail.',
  noRepositoryTitle: 'No repository',
  noRepositoryHint: 'Add the git repository that versions come from.',
  head: 'the latest commit',
  upToDate: (version: string) => `Up to date: ${version}`,
  upToDateHint: 'This is the newest release. New releases appear here automatically.',
  upToDateHeadHint: 'This is the latest commit. New commits appear here automatically.',
  aheadHint: (latest: string) => `This is newer than the latest release, ${latest}.`,
  noReleaseHint: 'The repository has no newer release. Create a tag such as v1.2.3, and it appears here.',
  ready: (version: string) => `${version} is ready`,
  readyHint: (version: string) =>
    `Currently running ${version}. A rehearsal tries the upgrade on a copy of the data, without touching the site.`,
  failedBefore: (version: string) => `${version} is the newest version, but it failed here`,
  wouldFail: (version: string) => `${version} is the newest version, but it would fail here`,
  wouldFailHint: 'A rehearsal found the problem. See the report below. Wait for a fixed release.',
  rehearsed: (version: string) => `${version} is ready, and its rehearsal succeeded`,
  rehearsedHint: (version: string) => `Currently running ${version}. See the rehearsal report below.`,
  failedBeforeHint: 'Wait for a fixed release, or rehearse it again to see whether it would work now.',
  upgrade: 'Upgrade…',
  rehearse: 'Rehearse first',
  rehearseAgain: 'Rehearse again',
  upgradeAnyway: 'Upgrade anyway…',
  rehearseOne: 'Rehearse',
  goBack: 'Downgrade…',
  actionsOf: (version: string) => `Actions for ${version}`,
  rehearsalStarted: 'Rehearsal started. The site stays up.',
  underWay: {
    upgrade: ['Upgrade in progress', 'If it fails, it is rolled back, data included. You can leave this page.'],
    rehearsal: [
      'Rehearsal in progress',
      'It runs on a copy of the data. The site stays up and is not touched. You can leave this page.',
    ],
    other: ['Another operation is in progress', 'Upgrades and rehearsals must wait until it finishes.'],
    watch: 'Watch',
  } as Record<'upgrade' | 'rehearsal' | 'other', [string, string]> & { watch: string },
  log: 'View log',
  versions: 'Versions',
  versionsHint: 'The tags of the repository, newest first.',
  noVersions: 'The repository has no version tags. An upgrade installs the latest commit of its default branch.',
  more: (shown: number, all: number) => `Show more (${number(shown)} of ${number(all)})`,
  columns: { version: 'Version', what: 'Description', actions: 'Actions' },
  marks: {
    deployed: 'Current',
    latest: 'Newest release',
    preRelease: 'Pre-release',
    failed: 'Failed here',
  },
  ask: {
    title: (version: string) => `Upgrade to ${version}?`,
    backTitle: (version: string) => `Downgrade to ${version}?`,
    hint: (name: string, version: string) => `${name} currently runs ${version}.`,
    what: 'What will happen',
    steps: (version: string, current: string) => [
      `${version} is fetched and built while the site runs. If that fails, nothing changes.`,
      'The site stops for a short time. Visitors see an error page.',
      'The database is backed up, and the migrations run.',
      `${version} starts and must pass its health check.`,
      `If anything fails, ${current} and its data are restored automatically.`,
    ],
    back: [
      'The older code starts with the current data; the data is not rolled back.',
      'Older code may not understand newer data. To get the older data too, restore a backup of that version afterwards.',
    ],
    failed: (at: string) => `It failed here on ${at}:`,
    wouldFail: 'A rehearsal found that it would fail:',
    more: 'More options',
    backup: 'Back up first',
    backupHint: 'Even without this, a backup is made before migrations, because they can’t be undone otherwise.',
    migrations: 'Run its migrations',
    migrationsHint: 'Keep this on unless you know that the new version needs no migrations.',
    submit: (version: string) => `Upgrade to ${version}`,
    submitBack: (version: string) => `Downgrade to ${version}`,
  },
  report: {
    title: (version: string) => `Rehearsal of ${version}`,
    ok: (version: string) => `${version} would work`,
    okHint: (migrations: number, took: string) =>
      format(
        'It was built, and its {migrations, plural, one {# migration} other {# migrations}} ran on a copy of the data in {took}. The site was not touched.',
        { migrations, took },
      ),
    okNothing: 'It was built. The site was not touched.',
    fails: (version: string) => `${version} would fail`,
    failsHint: 'The site was not touched, and the copy was deleted. Send this to the application’s developers:',
    inScript: (script: string) => `in the migration ${script}`,
    output: 'Last lines of its output',
    took: 'Total',
    copy: 'Copying',
    migrations: 'Migrations',
    migrationsHint: 'During an upgrade, the site is down while they run.',
    schema: 'Changed tables',
    noSchema: 'No table structure changes.',
    changes: { added: 'new', removed: 'removed', changed: 'changed' },
    column: (name: string) => `column ${name}`,
    index: (name: string) => `index ${name}`,
    rows: 'Changed row counts',
    noRows: (tables: number, rows: number) =>
      format(
        'All tables keep their rows ({tables, plural, one {# table} other {# tables}}, {rows, plural, one {# row} other {# rows}}).',
        { tables, rows },
      ),
    rowColumns: { table: 'Table', before: 'Before', after: 'After', difference: 'Difference' },
    fewer: (rows: number) => `${number(rows)} fewer`,
    more: (rows: number) => `${number(rows)} more`,
    newTable: 'new table',
    noTable: 'table removed',
    notes: 'Notes',
    broken: 'The rehearsal could not finish',
    /** Names of steps, notes and reasons of the manager. */
    worded: {} as ApiTexts,
  },
};

/** The texts of a tenant's versions, rehearsals and upgrades. */
export const upgradeText = translated({ en, es });
