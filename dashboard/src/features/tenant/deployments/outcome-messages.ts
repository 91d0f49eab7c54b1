import { format, translated } from '../../../lib/language.ts';
import { es } from './outcome-messages.es.ts';

const en = {
  failedAt: (step: string) => `Failed at “${step}”`,
  deployed: (what: string) => `${what} is live`,
  deployedHint: 'The tenant runs and answers its health check.',
  prepared: (what: string) => `${what} is ready. Its services were not started, as requested`,
  openSite: 'Open the site',
  cancelled: 'Cancelled',
  cancelledFirst: 'All changes were undone. You can deploy again.',
  cancelledAgain: 'The previous version was not changed.',
  toUpgrade: 'Versions and upgrades',
  toBackups: 'Backups',
  head: 'the latest commit',
  before: 'the previous commit',
  upgrade: {
    done: (version: string) => `Upgraded to ${version}, health check passed`,
    doneHint: (from: string, migrations: number) =>
      format(
        'Previous version: {from}. {migrations, plural, =0 {No migrations were run.} one {# migration was run.} other {# migrations were run.}}',
        { from, migrations },
      ),
    backup: 'The pre-upgrade backup was kept.',
    rolledBack: (version: string, before: string) => `${version} failed. Rolled back to ${before}, data included`,
    unchanged: (version: string, before: string) =>
      `${version} could not be prepared. Nothing was changed: ${before} is still in use`,
    notBack: (version: string) => `${version} failed, and the rollback is incomplete. Action required`,
    what: 'What failed',
  },
  rehearsal: {
    ok: (version: string) => `${version} would work`,
    failed: (version: string) => `${version} would fail`,
    broken: 'The rehearsal could not finish',
    hint: 'The site was not touched, and the copy of its data was deleted. The report is on the Upgrade tab.',
    report: 'View report',
  },
  restore: {
    done: 'The backup was restored',
    healthy: 'The backup was restored, and the site is healthy',
    doneHint: 'The previous state was saved as a separate backup. To return to it, restore that backup.',
    rolledBack: 'The restore failed. The previous state was kept, and nothing was lost',
    notBack: 'The restore failed, and the previous state could not be fully recovered. Action required',
    notBackHint:
      'The previous state is in the newest backup made before a restore. Restore that backup, then start the tenant.',
    unsaved: 'The previous state was not backed up, as requested.',
  },
  drill: {
    done: 'The restore test finished',
    doneHint: 'The result is shown on the backup.',
    failed: 'The restore test could not run. The site was not touched',
  },
  backup: { done: 'The backup was made and verified', doneHint: '', failed: 'No backup was made' },
};

/** Outcomes of operations. */
export const outcomeText = translated({ en, es });
