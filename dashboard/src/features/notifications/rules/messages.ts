import { format, translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  section: 'Notification rules',
  hint: 'Rules choose which channels and users receive what. Users can choose more in their preferences.',
  add: 'Add a rule',
  emptyTitle: 'No rules yet',
  emptyHint:
    'Without a rule, administrators see errors in their inbox, and nothing is sent. Add a rule to send alerts to a channel or a user.',
  sentence: (events: string, severity: string, scope: string, targets: string) =>
    `When ${events || 'anything'} of at least ${severity} is reported${scope && ` for ${scope}`}, notify ${targets}.`,
  deleted: '(deleted)',
  disabled: (name: string) => `${name} (disabled)`,
  off: 'Off',
  quiet: (from: string, to: string, zone: string, except: string) =>
    `Quiet from ${from} to ${to} (${zone}), except from ${except} on`,
  digest: (minutes: number) =>
    minutes === 0
      ? 'Minor alerts are sent at once'
      : format('Minor alerts are collected for {minutes, plural, one {# minute} other {# minutes}}', { minutes }),
  edit: 'Edit…',
  editOf: (sentence: string) => `Edit: ${sentence}`,
  delete: 'Delete…',
  deleteOf: (sentence: string) => `Delete: ${sentence}`,
  deleting: {
    title: 'Delete this rule?',
    hint: (sentence: string) => `${sentence} What it has already collected is still sent.`,
    submit: 'Delete rule',
    done: 'Rule deleted.',
  },
  form: {
    add: 'Add a rule',
    edit: 'Edit the rule',
    events: 'When',
    anyEvent: 'anything',
    severity: 'of at least',
    tags: 'for tenants with a tag',
    tenants: 'for tenants',
    anyTenant: 'all',
    channels: 'notify the channels',
    users: 'notify the users',
    usersHint: 'In their inbox, if their role may see it; also by e-mail if they chose that.',
    noOne: 'none',
    chooseOne: 'Choose a channel or a user.',
    digest: 'Alerts below an error',
    digests: {
      '': 'As in the settings',
      '0': 'Send at once',
      '15': 'Collect for 15 minutes',
      '60': 'Collect for an hour',
      '240': 'Collect for 4 hours',
      '1440': 'Collect for a day',
    },
    digestOf: (minutes: number) => `Collect for ${minutes} minutes`,
    enabled: 'The rule is on',
    save: 'Save',
    saved: 'Rule saved.',
  },
  quietHours: {
    use: 'Quiet hours',
    ofRule: 'The channels wait; then they send one message of what is still relevant.',
    ofUser: 'E-mail waits; the inbox does not.',
    from: 'From',
    to: 'To',
    zone: 'Time zone',
    except: 'Not quiet from this severity on',
  },
  own: {
    title: 'Notifications',
    hint: 'What you want to receive, in addition to what rules choose for you.',
    severity: 'Notify me of at least',
    nothing: 'Nothing',
    events: 'About',
    anyEvent: 'everything that my role may see',
    tags: 'For tenants with a tag',
    tenants: 'For these tenants',
    tenantsHint: 'No choice: alerts of all tenants and of the server. With tenants and tags, both must apply.',
    anyTenant: 'all tenants',
    email: 'By e-mail',
    emails: {
      none: 'Nothing',
      account: 'Only sign-ins and changes of my account',
      all: 'Everything that I receive',
    },
    emailTo: (address: string) => `To ${address}, if an administrator has set up an e-mail channel.`,
    noAddress: 'Your account has no address that can receive e-mail.',
    save: 'Save',
    saved: 'Saved.',
  },
};

export const rulesText = translated({ en, es });
