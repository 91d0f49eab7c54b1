export const leaveGuardText = {
  title: 'Leave without saving?',
  hint: 'You have unsaved changes on this page.',
  stay: 'Keep editing',
  leave: 'Leave without saving',
};

export const typedGuardText = {
  title: 'Close without saving?',
  hint: 'What you typed here is not saved.',
  stay: 'Keep editing',
  leave: 'Close without saving',
};
