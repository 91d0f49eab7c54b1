import { translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'Active sessions',
  hint: 'All sign-ins with your password, in browsers and scripts. If you don’t recognise one, end it and change your password.',
  columns: {
    where: 'Signed in with',
    address: 'Address',
    since: 'Since',
    used: 'Last used',
    expires: 'Expires',
    actions: 'Actions',
  },
  current: 'This browser',
  script: 'Access token',
  unknown: 'Unknown program',
  on: (program: string, system: string) => `${program} on ${system}`,
  end: 'End…',
  endOf: (name: string, since: string) => `End the session of ${name}, since ${since}`,
  one: {
    title: 'End this session?',
    hint: (name: string, address: string) => `${name} at ${address} is signed out immediately.`,
    submit: 'End session',
    done: 'Session ended.',
  },
  others: {
    open: 'End all others…',
    title: 'End all other sessions?',
    hint: 'You stay signed in here. All your other browsers and access tokens are signed out immediately. API tokens keep working.',
    submit: 'End all others',
    done: 'All other sessions ended.',
  },
};

export const sessionsText = translated({ en, es });
