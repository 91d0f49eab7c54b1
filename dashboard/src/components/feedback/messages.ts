import { translated } from '../../lib/language.ts';
import { esLeaveGuard, esTypedGuard } from './messages.es.ts';

const enLeaveGuard = {
  title: 'Leave without saving?',
  hint: 'You have unsaved changes on this page.',
  stay: 'Keep editing',
  leave: 'Leave without saving',
};

const enTypedGuard = {
  title: 'Close without saving?',
  hint: 'What you typed here is not saved.',
  stay: 'Keep editing',
  leave: 'Close without saving',
};

export const leaveGuardText = translated({ en: enLeaveGuard, es: esLeaveGuard });
export const typedGuardText = translated({ en: enTypedGuard, es: esTypedGuard });
