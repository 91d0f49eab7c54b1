import type { ApiTexts } from '../../../lib/api-text.ts';
import { number } from '../../../lib/figures.ts';
import { format, translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

interface Counts {
  success: number;
  failed: number;
  skipped: number;
  pending: number;
  running: number;
}

const tenants = (count: number): string => format('{count, plural, one {# tenant} other {# tenants}}', { count });

const ended =
  (done: string) =>
  ({ success, failed, skipped, pending, running }: Counts): string => {
    const total = success + failed + skipped + pending + running;
    return success === total ? `${tenants(total)} ${done}` : `${number(success)} of ${tenants(total)} ${done}`;
  };

const en = {
  selectAll: 'Select all shown',
  selectOne: (name: string) => `Select ${name}`,
  selected: (count: number) => `${number(count)} selected`,
  hidden: (count: number) => `${number(count)} of them not shown here`,
  actions: 'Bulk actions',
  clear: 'Clear selection',
  start: 'Start…',
  stop: 'Stop…',
  restart: 'Restart…',
  upgrade: 'Upgrade…',
  more: 'More actions',
  work: {
    deploy: {
      entry: 'Deploy…',
      title: (count: number) => `Deploy ${tenants(count)}?`,
      hint: 'Without a version or branch, each gets its deployed version again, or the latest release. You can close this page.',
      submit: (count: number) => `Deploy ${tenants(count)}`,
    },
    rollback: {
      entry: 'Roll back…',
      title: (count: number) => `Roll back ${tenants(count)}?`,
      hint: 'Without a version, each gets the last older one that it ran. A backup is made first; the data stays as it is. You can close this page.',
      submit: (count: number) => `Roll back ${tenants(count)}`,
    },
    backup: {
      entry: 'Back up…',
      title: (count: number) => `Back up ${tenants(count)}?`,
      hint: 'The tenants keep running. Tenants that are not deployed are skipped. You can close this page.',
      submit: (count: number) => `Back up ${tenants(count)}`,
    },
    check: {
      entry: 'Check now…',
      title: (count: number) => `Check the health of ${tenants(count)}?`,
      hint: 'Tenants that are not deployed are skipped. You can close this page.',
      submit: (count: number) => `Check ${tenants(count)}`,
    },
    tag: {
      entry: 'Tag…',
      title: (count: number) => `Tag ${tenants(count)}`,
      hint: 'Other tags of the tenants stay as they are.',
      submit: (count: number) => `Tag ${tenants(count)}`,
    },
    configure: {
      entry: 'Set a value…',
      title: (count: number) => `Set a value for ${tenants(count)}`,
      hint: 'The services get the value at their next start, restart or deployment. Set secrets tenant by tenant.',
      submit: (count: number) => `Set for ${tenants(count)}`,
    },
  },
  fields: {
    version: { label: 'Version', hint: 'A version tag such as v1.2.0' },
    ref: { label: 'Branch or commit', hint: 'Instead of a version' },
    add: { label: 'Tags to add', hint: 'Separated by commas' },
    remove: { label: 'Tags to remove', hint: 'Separated by commas' },
    entry: { label: 'Name of the variable', hint: 'Such as FEATURE_EVENTS' },
    value: { label: 'Value', hint: 'An empty value removes a variable' },
  },
  deploying: {
    newest: (version: string) => `The newest is ${version}`,
    change: (from: string, to: string) => `${from} → ${to}`,
    again: (version: string) => `${version} again`,
    latest: 'the latest release, or else the default branch',
    otherCommit: 'a commit without a version',
    sameOrNewest: 'the same, or the newest if it follows the default branch',
  },
  field: 'What to set',
  configFields: {
    custom_env: 'Environment variable',
    app_name: 'Application name',
    app_name_short: 'Short name',
    project_name: 'Project name',
    admin_email: 'Administrator’s e-mail',
    frontend_url: 'Address of the site',
    backend_api_url: 'Address of the API',
    ws_base_url: 'Address for WebSocket',
    local_embed_model: 'Embedding model',
    local_llm_model: 'Language model',
    local_base_url: 'Model server',
  },
  confirm: {
    start: {
      title: (count: number) => `Start ${tenants(count)}?`,
      hint: 'The manager starts four at a time and checks that each stays up. You can close this page.',
      submit: (count: number) => `Start ${tenants(count)}`,
    },
    stop: {
      title: (count: number) => `Stop ${tenants(count)}?`,
      hint: 'Visitors see an error page until the tenants are started again. No data is changed.',
      submit: (count: number) => `Stop ${tenants(count)}`,
    },
    restart: {
      title: (count: number) => `Restart ${tenants(count)}?`,
      hint: 'The manager restarts four at a time. Visitors of each see an error page for some seconds. You can close this page.',
      submit: (count: number) => `Restart ${tenants(count)}`,
    },
  },
  which: 'Tenants',
  leftOut: (count: number) =>
    format('{count, plural, one {# selected tenant is left out} other {# selected tenants are left out}}', { count }),
  whyLeftOut: {
    notDeployed: 'not deployed',
    runs: 'already running',
    stopped: 'not running',
  },
  none: {
    start: 'None of them can be started',
    stop: 'None of them can be stopped',
    restart: 'None of them can be restarted',
  },
  noneHint: 'The selected tenants are listed with the reason.',
  doing: {
    start: (count: number) => `Starting ${tenants(count)}`,
    stop: (count: number) => `Stopping ${tenants(count)}`,
    restart: (count: number) => `Restarting ${tenants(count)}`,
    deploy: (count: number) => `Deploying ${tenants(count)}`,
    upgrade: (count: number) => `Upgrading ${tenants(count)}`,
    rollback: (count: number) => `Rolling back ${tenants(count)}`,
    backup: (count: number) => `Backing up ${tenants(count)}`,
    check: (count: number) => `Checking ${tenants(count)}`,
    tag: (count: number) => `Tagging ${tenants(count)}`,
    configure: (count: number) => `Configuring ${tenants(count)}`,
  },
  ended: {
    start: ended('started'),
    stop: ended('stopped'),
    restart: ended('restarted'),
    deploy: ended('deployed'),
    upgrade: ended('upgraded'),
    rollback: ended('rolled back'),
    backup: ended('backed up'),
    check: ended('checked'),
    tag: ended('tagged'),
    configure: ended('configured'),
  },
  by: (user: string) => `By ${user},`,
  progress: 'Progress',
  counts: {
    success: (count: number) => `${number(count)} done`,
    failed: (count: number) => `${number(count)} failed`,
    running: (count: number) => `${number(count)} in progress`,
    pending: (count: number) => `${number(count)} pending`,
    skipped: (count: number) => `${number(count)} skipped`,
  },
  states: {
    pending: 'Pending',
    running: 'In progress',
    success: 'Done',
    failed: 'Failed',
    skipped: 'Skipped',
  },
  queued: 'Waiting for other bulk actions',
  cancelling: 'Cancelling: operations in progress finish first',
  cancelled: 'Cancelled',
  cancel: (count: number) => `Cancel the ${number(count)} pending`,
  retry: (count: number) => `Retry ${number(count)}`,
  dismiss: 'Close',
  all: 'All results',
  show: 'Show',
  /** Why the manager failed or skipped a tenant, for `apiText`. */
  reasons: {} as ApiTexts,
};

/** Actions on many tenants at once. */
export const bulkText = translated({ en, es });
