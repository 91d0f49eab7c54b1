import type { Target } from './upgrade-dialog.tsx';

/** The actions that change the version. */
export interface UpgradeActions {
  /** Other work is in progress: they must wait. */
  busy: boolean;
  /** @param version a tag; null: the newest */
  rehearse(version: string | null): void;
  /** Asks for confirmation first. */
  upgrade(target: Target): void;
}
