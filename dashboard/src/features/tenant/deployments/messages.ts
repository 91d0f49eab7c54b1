import { type ApiTexts, apiText } from '../../../lib/api-text.ts';
import { format, translated } from '../../../lib/language.ts';
import { es, esDeploy } from './messages.es.ts';

const enDeploy = {
  title: (name: string) => `Deploy ${name}`,
  hint: 'Fetches the version, prepares the database, starts the services and checks that they answer.',
  againTitle: (name: string) => `Redeploy ${name}?`,
  againHint: 'Its services restart. If the new ones do not become healthy, the current ones are kept.',
  submit: 'Deploy',
  submitAgain: 'Redeploy',
  toUpgrade: 'Continue to the upgrade',
  what: 'What to deploy',
  kinds: {
    latest: (version: string) => `Latest release (${version})`,
    head: (branch: string) => `Latest commit of ${branch}`,
    deployed: (version: string | null) => (version ? `${version}, which is deployed` : 'Currently deployed version'),
    tag: 'Another version',
    branch: 'A branch',
    commit: 'A commit',
  },
  version: 'Version',
  branch: 'Branch',
  commit: 'Commit',
  commitHint: 'At least 7 digits of its ID. A branch or tag must contain it.',
  failedBefore: (version: string) => `${version} (failed before)`,
  preRelease: (version: string) => `${version} (pre-release)`,
  by: (author: string) => `by ${author}`,
  changes: {
    title: 'What will change',
    reading: 'Comparing…',
    nothing: 'The same commit and the same variables as now.',
    added: (total: number) => format('{total, plural, one {# commit is added} other {# commits are added}}', { total }),
    removed: (total: number) =>
      format('{total, plural, one {# commit is taken back} other {# commits are taken back}}', { total }),
    more: (count: number) => format('and {count, number} more', { count }),
    unknown:
      'The commits in between are not known: the deployed commit is not in the repository any more, or git could not compare.',
    variables: { added: 'New variables', changed: 'Changed variables', removed: 'Removed variables' },
    migrations: 'Migrations run',
  },
  otherVersions: 'Another version is deployed as an upgrade: with a backup, and with a rollback if it fails.',
};

const en = {
  kinds: {
    deploy: 'Deployment',
    upgrade: 'Upgrade',
    restore: 'Restore',
    backup: 'Backup',
    drill: 'Restore test',
    rehearsal: 'Upgrade rehearsal',
    move: 'Move to another runtime',
    rollback: 'Rollback',
  } as Record<string, string>,
  steps: 'Steps',
  stepNames: {} as ApiTexts,
  stepReasons: {} as ApiTexts,
  log: 'Log',
  cancel: 'Cancel operation…',
  cancelled: 'Cancelling…',
  retry: 'Redeploy',
  began: 'Started',
  took: 'Duration',
  back: 'Deployments',
  allKinds: 'All operations',
  onlyChanges: 'Deployments only',
  empty: 'Nothing has been deployed yet',
  emptyHint:
    'A deployment fetches the repository, prepares the database, starts the services and checks that they answer.',
  columns: { what: 'Type', version: 'Version', status: 'Result', began: 'Started', took: 'Duration', back: 'Actions' },
  rollBack: (version: string) => `Roll back to ${version}…`,
  upgrade: (version: string) => `Upgrade to ${version}…`,
  again: (version: string) => `Deploy ${version} again…`,
  progress: 'Progress',
  stepStates: { pending: 'Pending', running: 'In progress', success: 'Done', failed: 'Failed', skipped: 'Skipped' },
  cancelWork: {
    title: 'Cancel this operation?',
    hint: 'It stops, and its changes are undone.',
    keep: 'Keep running',
    submit: 'Cancel operation',
  },
};

/** Texts of the dialog that deploys. */
export const deployText = translated({ en: enDeploy, es: esDeploy });
export const deploymentText = translated({ en, es });

/** The name of an operation's step. */
export const stepName = (name: string): string => apiText(deploymentText.stepNames, name);

/** A text of the API with the name of the step that it starts with: `Start services: …`. */
export function withStepName(words: string): string {
  const [step = '', ...rest] = words.split(': ');
  return [rest.length > 0 ? stepName(step) : step, ...rest].join(': ');
}
