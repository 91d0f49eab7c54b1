import type { Target } from './upgrade-dialog.tsx';

/** The ways to another version. */
export interface UpgradeActions {
  /** Other work is under way: they have to wait. */
  busy: boolean;
  /** @param version a tag; null: the newest */
  rehearse(version: string | null): void;
  /** Asks before it begins. */
  upgrade(target: Target): void;
}
