export const leaveGuardText = {
  title: 'Leave without saving?',
  hint: 'What you changed on this page is not saved yet.',
  stay: 'Stay here',
  leave: 'Leave without saving',
};

export const typedGuardText = {
  title: 'Close without saving?',
  hint: 'What you typed here is not saved yet.',
  stay: 'Go on typing',
  leave: 'Close without saving',
};
