/** What pieces of work came to, told plainly. */
export const outcomeText = {
  failedAt: (step: string) => `Failed at “${step}”`,
  deployed: (what: string) => `${what} is live`,
  deployedHint: 'It runs and answers its health check.',
  prepared: (what: string) => `${what} is ready. Its services were not started, as asked`,
  openSite: 'Open the site',
  cancelled: 'Cancelled',
  cancelledFirst: 'Nothing is left of it. You can deploy again.',
  cancelledAgain: 'What ran before is unchanged.',
  toUpgrade: 'Versions and upgrades',
  toBackups: 'Backups',
  head: 'The newest commit',
  before: 'the commit of before',
  upgrade: {
    done: (version: string) => `${version} is in place, and was proven healthy`,
    doneHint: (from: string, migrations: number) =>
      `Before, it was ${from}. ${
        migrations === 0
          ? 'No migration was run.'
          : migrations === 1
            ? 'One migration was run.'
            : `${migrations} migrations were run.`
      }`,
    backup: 'A backup of before was kept.',
    rolledBack: (version: string, before: string) =>
      `${version} did not work. All is back as it was: ${before}, data included`,
    unchanged: (version: string, before: string) =>
      `${version} could not be prepared. Nothing was changed: ${before} serves as before`,
    notBack: (version: string) => `${version} did not work, and not all of it could be taken back. It needs you`,
    what: 'What failed',
  },
  rehearsal: {
    ok: (version: string) => `${version} would work`,
    failed: (version: string) => `${version} would fail`,
    broken: 'The rehearsal did not come to its end',
    hint: 'The site was not touched, and the copy of its data is gone. The report stands with the versions.',
    report: 'See the report',
  },
  restore: {
    done: 'The backup is restored',
    healthy: 'The backup is restored, and the site was proven healthy',
    doneHint: 'What was there before is kept as a backup of its own. To come back to it, restore that one.',
    putBack: 'It could not be restored. All is as it was before, nothing is lost',
    notBack: 'It could not be restored, and not all of what was there before could be put back. It needs you',
    notBackHint:
      'What was there before is in the newest backup made before a restore: restore that one, then start the tenant.',
  },
  drill: {
    done: 'The check has come to its end',
    doneHint: 'What it found stands with the backup.',
    failed: 'The backup could not be checked. The site was not touched',
  },
  backup: { done: 'The backup is made, and was read back', doneHint: '', failed: 'No backup was made' },
};
