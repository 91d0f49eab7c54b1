import type { BucketLocation } from '../../adapters/object-store/object-store.ts';

/** Why a backup was made; each kind is kept by a count of its own. */
export const backupKinds = ['manual', 'scheduled', 'safety', 'upgrade'] as const;
export type BackupKind = (typeof backupKinds)[number];

export const backupStatuses = ['creating', 'complete', 'failed'] as const;
export type BackupStatus = (typeof backupStatuses)[number];

/** How a restore drill ended. */
export interface DrillResult {
  ok: boolean;
  checkedAt: string;
  durationMs: number;
  /** Tables whose rows differ from the backup's own count, or what went wrong. */
  differences: string[];
}

/** `failed`: it can't be copied any more, as its file is gone. */
export const remoteStates = ['pending', 'stored', 'failed'] as const;
export type RemoteState = (typeof remoteStates)[number];

/** A backup's copy in a bucket. */
export interface RemoteCopy {
  /** null: it was made while there was no bucket. */
  remoteState: RemoteState | null;
  /** Set before the first byte is sent. */
  remoteKey: string | null;
  remotePlace: BucketLocation | null;
  /** Why the last try failed. */
  remoteError: string | null;
  remoteTries: number | null;
  remoteTriedAt: Date | null;
}

/** A backup as the catalogue knows it. It counts only when `complete`: then its file was read back and found whole. */
export interface Backup extends RemoteCopy {
  id: string;
  tenantId: string;
  kind: BackupKind;
  status: BackupStatus;
  version: string | null;
  commit: string;
  /** What the data is in; null: the application has no database. */
  engine: 'mariadb' | 'sqlite' | null;
  /** Below the directory of all backups. */
  file: string;
  sizeBytes: number | null;
  sha256: string | null;
  rowCounts: Record<string, number> | null;
  durationMs: number | null;
  createdBy: string;
  createdAt: Date;
  verifiedAt: Date | null;
  drill: DrillResult | null;
  error: string | null;
}
