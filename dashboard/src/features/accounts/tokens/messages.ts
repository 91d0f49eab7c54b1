import { number } from '../../../lib/figures.ts';
import { format, translated } from '../../../lib/language.ts';
import { es } from './messages.es.ts';

const en = {
  title: 'API tokens',
  hint: 'For scripts and other programs. A token works without your password and has the role you give it.',
  create: 'New token',
  emptyTitle: 'No tokens yet',
  emptyHint:
    'A token lets a script use the API on your behalf, for example a nightly job that uploads a list. Give each script its own token, so that you can revoke each one separately.',
  columns: {
    name: 'Name',
    role: 'Role',
    created: 'Created',
    used: 'Last used',
    expires: 'Expires',
    actions: 'Actions',
  },
  expired: 'Expired',
  revoke: 'Revoke…',
  revokeOf: (name: string) => `Revoke ${name}`,
  form: {
    title: 'New token',
    name: 'Name',
    nameHint: 'What the token is for, so that you can recognise it later.',
    lifetime: 'Expires after',
    days: (count: number) => format('{count, plural, one {# day} other {# days}}', { count }),
    longest: (count: number) => format('{count, plural, one {# day} other {# days}} (maximum)', { count }),
    other: 'Other date…',
    day: 'Last day',
    dayMissing: 'Choose a day',
    dayPast: 'Choose a day in the future',
    dayLate: (count: number) => `Choose a day within the next ${number(count)} days`,
    role: 'Role',
    roleHint: 'Choose the lowest role that is sufficient. The token keeps this role if you later get a higher one.',
    submit: 'Create token',
  },
  made: {
    title: (name: string) => `Token ${name} created`,
    hint: 'Copy this token now. You won’t be able to see it again.',
    token: 'Token',
    example: 'Try it',
    done: 'I’ve saved it',
  },
  remove: {
    title: (name: string) => `Revoke ${name}?`,
    hint: 'Programs that use this token lose access immediately. This can’t be undone, but you can create a new token.',
    submit: 'Revoke token',
    done: (name: string) => `${name} was revoked.`,
  },
};

export const tokensText = translated({ en, es });
