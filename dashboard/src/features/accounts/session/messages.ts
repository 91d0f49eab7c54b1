import { translated } from '../../../lib/language.ts';
import { es, esReauthentication } from './messages.es.ts';

const en = {
  signIn: {
    title: 'Sign in',
    username: 'Username',
    password: 'Password',
    submit: 'Sign in',
    expired: 'Your session has ended. Sign in again to continue where you were.',
    storeFull:
      'The disk of the manager’s database is full. Make room on its server: until then sign-ins and changes may fail.',
    hint: 'The first administrator’s password is in the file initial-admin-password in the manager’s data directory until it is changed.',
  },
  password: {
    title: 'Choose a password',
    forced: 'This password was given to you. Choose your own before you continue.',
    current: 'Current password',
    next: 'New password',
    nextHint: 'At least 12 characters. Several unrelated words are easy to remember.',
    repeat: 'Confirm new password',
    differs: 'The new passwords do not match',
    keepTokens: 'Keep my API tokens',
    keepTokensHint: 'Otherwise they are revoked together with all your sessions.',
    submit: 'Change password',
    done: 'Your password was changed.',
  },
  needsRole: (role: string) => `This page needs the role ${role}`,
};

const enReauthentication = {
  title: 'Sign in again',
  notice: 'Your session has ended. This page and your unsaved changes are kept. Sign in to continue.',
  submit: 'Sign in and continue',
  other: 'Sign in as someone else',
  otherHint: 'This starts over: unsaved changes on this page are lost.',
};

export const sessionText = translated({ en, es });
export const reauthenticationText = translated({ en: enReauthentication, es: esReauthentication });
