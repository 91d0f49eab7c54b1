export const wallText = {
  title: 'Sign in again',
  notice: 'Your session has ended. Your page is kept, with what you had not saved: sign in and go on.',
  submit: 'Sign in and go on',
  other: 'Sign in as somebody else',
  otherHint: 'That begins afresh: what was not saved here is lost.',
};
