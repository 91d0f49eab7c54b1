import type { ApiTexts } from '../../lib/api-text.ts';
import { format, translated } from '../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  list: {
    create: 'New tenant',
    search: 'Search tenants',
    searchHint: 'Name, slug or domain',
    filter: 'Filter by status',
    all: 'All',
    healthFilter: 'Filter by health',
    shown: (shown: number, all: number) =>
      shown === all
        ? format('{all, plural, one {# tenant} other {# tenants}}', { all })
        : format('{shown, number} of {all, plural, one {# tenant} other {# tenants}}', { shown, all }),
    columns: {
      name: 'Name',
      status: 'Status',
      health: 'Health',
      domain: 'Domain',
      version: 'Version',
      update: 'Update',
      response: 'Response',
      backup: 'Last backup',
      tags: 'Tags',
      deployed: 'Deployed',
      actions: 'Actions',
    },
    filters: {
      any: (label: string) => `${label}: any`,
      tag: 'Tag',
      noTags: 'No tag',
      version: 'Version',
      update: { label: 'Update', options: { available: 'Available', none: 'None known' } },
      backup: { label: 'Last backup', options: { late: 'Older than a day', never: 'No backup' } },
      response: { label: 'Response', options: { slow: 'Slower than 1 s', none: 'No answer' } },
      deployed: {
        label: 'Deployed',
        options: { recent: 'In the last 7 days', old: 'Over 30 days ago', never: 'Never deployed' },
      },
    },
    menu: {
      trouble: 'Trouble first',
      filters: 'More filters',
      columns: 'Columns',
      show: (column: string) => `Show ${column}`,
      hide: (column: string) => `Hide ${column}`,
      hideUnseen: (column: string) => `Hide ${column} (no room for it here)`,
      tags: 'Tag colours…',
      export: 'Export CSV',
    },
    actionsOf: (name: string) => `Actions for ${name}`,
    emptyTitle: 'No tenants yet',
    emptyHint:
      'A tenant is one copy of your application with its own address, database and settings. Give it a name and the git repository to deploy from.',
    emptyViewer: 'An operator can add the first one.',
    nothingTitle: 'No matching tenants',
    nothingHint: 'Try a different name or clear the filters.',
    clear: 'Clear search and filters',
  },
  tags: {
    title: 'Colours of tags',
    hint: 'A tag and its colour exist while a tenant has it. Everyone sees the same colours.',
    colorOf: (name: string) => `Colour of ${name}`,
    tenants: (count: number) => format('{count, plural, one {# tenant} other {# tenants}}', { count }),
    colors: { slate: 'Slate', teal: 'Teal', plum: 'Plum', clay: 'Clay', olive: 'Olive', sky: 'Sky' },
  },
  views: {
    label: 'Views',
    all: 'All',
    save: 'Save view',
    remove: 'Delete view',
    saveTitle: 'Save this view',
    saveHint: 'Search, filters, order and columns are kept in your account.',
    name: 'Name of the view',
    submit: 'Save',
  },
  form: {
    tags: 'Tags',
    tagsHint: 'Separated by commas',
    createTitle: 'New tenant',
    createHint: 'Nothing runs until you deploy it.',
    editTitle: 'Edit tenant',
    editHint: 'The services use new domains after their next start, restart or deployment.',
    name: 'Name',
    slug: 'Short name',
    slugHint: 'Used in addresses and file names. It can’t be changed later.',
    domain: 'Domain',
    apiDomain: 'API domain',
    repository: 'Git repository',
    repositoryHint: 'https://, ssh:// or git@host:path. You can add it later.',
    dns: {
      checking: 'Checking the host names…',
      states: {
        correct: (name: string) => `${name} leads to the reverse proxy.`,
        elsewhere: (name: string, addresses: string) => `${name} leads to ${addresses}.`,
        resolves: (name: string, addresses: string) => `${name} leads to ${addresses}.`,
        missing: (name: string) => `${name} does not exist in DNS yet.`,
        unknown: (name: string) => `${name} could not be checked.`,
      },
      advice: {} as ApiTexts,
    },
    check: {
      checking: 'Checking the repository…',
      unusable: (reason: string) => (/^[a-z]/.test(reason) ? `The address ${reason}.` : reason).replace(/\.\.$/, '.'),
      empty: 'Reachable, but empty: it has no branch to deploy.',
      noVersions: (branch: string) =>
        `Reachable. No versions (tags like v1.0.0) yet; the branch ${branch} can be deployed.`,
      versions: (count: number, latest: string) =>
        format('Reachable. {count, plural, one {# version} other {# versions}} found; the newest is {latest}.', {
          count,
          latest,
        }),
      first: 'First deployment',
      firstHint: 'Starts as soon as the tenant is created.',
      later: 'Not now',
      latest: (version: string) => `${version} (newest release)`,
      branch: (branch: string) => `Branch ${branch}`,
    },
    notes: 'Notes',
    create: 'Create tenant',
    createAndDeploy: 'Create and deploy',
    save: 'Save changes',
    saved: 'Changes saved.',
  },
  actions: {
    deploy: 'Deploy',
    deployOther: 'Deploy…',
    deployAgain: (version: string | null) => (version ? `Redeploy ${version}` : 'Redeploy'),
    start: 'Start',
    stop: 'Stop',
    restart: 'Restart',
    edit: 'Edit…',
    delete: 'Delete…',
    more: 'Actions',
    done: {
      start: (name: string) => `${name} was started.`,
      stop: (name: string) => `${name} was stopped.`,
      restart: (name: string) => `${name} was restarted.`,
    },
  },
  confirm: {
    stop: {
      title: (name: string) => `Stop ${name}?`,
      hint: 'Visitors see an error page until you start it again. Its data is kept.',
      submit: 'Stop',
    },
    restart: {
      title: (name: string) => `Restart ${name}?`,
      hint: 'Its services restart with the current configuration. Visitors may see an error page for a few seconds.',
      submit: 'Restart',
    },
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    hint: 'Its services stop; its record, ports and addresses are deleted. This can’t be undone.',
    files: 'Also delete its files, database and backups',
    filesHint: 'All backups are deleted, including off-site copies. Nothing can be restored.',
    keptHint:
      'Its files, database and backups stay on the host (backups in the data directory under kept/), but the dashboard no longer shows them.',
    submit: 'Delete tenant',
    done: (name: string) => `${name} was deleted.`,
  },
};

/** The texts of the list of tenants and of the actions on one. */
export const tenantsText = translated({ en, es });
