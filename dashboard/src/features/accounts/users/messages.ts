import { translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Users',
  hint: 'Each person has their own account, so that the audit log shows who did what.',
  create: 'New user',
  columns: { name: 'Name', role: 'Role', state: 'Status', created: 'Created', actions: 'Actions' },
  you: 'you',
  states: { enabled: 'Active', disabled: 'Disabled', mustChange: 'Must choose a password' },
  actionsOf: (name: string) => `Actions for ${name}`,
  actions: {
    change: 'Edit…',
    password: 'Reset password…',
    tokens: 'API tokens…',
    ownPassword: 'Change password',
    disable: 'Disable…',
    enable: 'Enable',
    delete: 'Delete…',
  },
  form: {
    createTitle: 'New user',
    createHint: 'You pass on the username and password yourself. No e-mail is sent.',
    changeTitle: (name: string) => `Edit ${name}`,
    username: 'Username',
    usernameHint: 'Letters, digits and . _ @ + -',
    email: 'E-mail address',
    role: 'Role',
    ownRole: 'Another administrator can change your role.',
    password: 'Initial password',
    passwordHint: 'Generated for you. You can enter another one of at least 12 characters.',
    mustChange: 'The user must choose their own password at first sign-in',
    mustChangeHint:
      'So that only the user knows it. Until then, the account can do nothing else, and its API tokens do not work.',
    submitNew: 'Create user',
    submit: 'Save changes',
    saved: (name: string) => `${name} was updated.`,
  },
  roleHints: {
    viewer:
      'Sees tenants and their status. Can’t change anything, and doesn’t see list contents, the audit log, settings or users.',
    operator: 'Creates, changes, deploys, backs up and upgrades tenants, and loads lists.',
    admin: 'Can do everything: also deletes tenants, restores backups, and changes settings and users.',
  },
  handOver: {
    title: (name: string) => `Credentials for ${name}`,
    hint: 'The password is shown only once. If it is lost, reset it.',
    username: 'Username',
    password: 'Password',
    address: 'Sign-in address',
    done: 'Done',
  },
  newPassword: {
    title: (name: string) => `Reset the password of ${name}?`,
    hint: 'All their sessions and API tokens end immediately.',
    field: 'New password',
    submit: 'Reset password',
  },
  disable: {
    title: (name: string) => `Disable ${name}?`,
    hint: 'Their sessions and API tokens end immediately. Enabling the user again does not restore them.',
    submit: 'Disable user',
    done: (name: string) => `${name} was disabled.`,
    enabled: (name: string) => `${name} can sign in again.`,
  },
  tokens: {
    title: (name: string) => `API tokens of ${name}`,
    hint: 'Programs use these to access the API as this user.',
    none: (name: string) => `${name} has no API tokens.`,
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    hint: 'The account and its API tokens are deleted. Its entries in the audit log stay. This can’t be undone.',
    submit: 'Delete user',
    done: (name: string) => `${name} was deleted.`,
  },
};

export const usersText = translated({ en, es });
