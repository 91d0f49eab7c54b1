export const leaveGuardText = {
  title: 'Leave without saving?',
  hint: 'What you changed on this page is not saved yet.',
  stay: 'Stay here',
  leave: 'Leave without saving',
};
