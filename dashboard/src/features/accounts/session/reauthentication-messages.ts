export const wallText = {
  title: 'Sign in again',
  notice: 'Your session has ended. This page and your unsaved changes are kept. Sign in to continue.',
  submit: 'Sign in and continue',
  other: 'Sign in as someone else',
  otherHint: 'This starts over: unsaved changes on this page are lost.',
};
