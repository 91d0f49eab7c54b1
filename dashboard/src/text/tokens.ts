const days = (count: number): string => (count === 365 ? '1 year' : `${count} days`);

export const tokensText = {
  title: 'API tokens',
  hint: (role: string) =>
    `For scripts and other programs: whoever has a token may do what you may (${role}), without your password.`,
  create: 'New token',
  emptyTitle: 'No tokens yet',
  emptyHint:
    'A token lets a script work with the API in your name, for example a nightly job that loads a list. Give each script one of its own: then it can be revoked alone.',
  columns: { name: 'Name', created: 'Created', used: 'Last used', expires: 'Ends', actions: 'Actions' },
  expired: 'Has ended',
  noEnd: 'No end',
  revoke: 'Revoke …',
  revokeOf: (name: string) => `Revoke ${name}`,
  form: {
    title: 'New token',
    name: 'Name',
    nameHint: 'What it is for: this is how you find it again.',
    lifetime: 'Ends after',
    lifetimes: { '30': days(30), '90': days(90), '365': days(365), other: 'Another day …', none: 'Never' },
    noEndHint: 'Whoever finds it may use it for ever. Better choose a day.',
    day: 'Last day',
    dayMissing: 'Choose a day',
    dayPast: 'Choose a day that is not over',
    submit: 'Create token',
  },
  made: {
    title: (name: string) => `The token ${name}`,
    hint: 'It is shown this once: keep it now where the script finds it. Nobody can see it again, we neither.',
    token: 'Token',
    example: 'To try it out',
    done: 'I have kept it',
  },
  remove: {
    title: (name: string) => `Revoke ${name}?`,
    hint: 'What uses it is refused at once. This can’t be undone; a new token can be made.',
    submit: 'Revoke token',
    done: (name: string) => `${name} is revoked.`,
  },
};
