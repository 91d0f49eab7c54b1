import { timeText } from '../../../components/data/time.tsx';
import { upgradeText } from './messages.ts';

/** Warnings about an upgrade. */
export interface Warning {
  title: string;
  reason: string;
}

export const failedBefore = (failure: { failed_at: string; reason: string }): Warning => ({
  title: upgradeText.ask.failed(timeText(failure.failed_at)),
  reason: failure.reason,
});

export const wouldFail = (reason: string): Warning => ({ title: upgradeText.ask.wouldFail, reason });
