import type { BucketLocation } from '../../adapters/object-store/object-store.ts';

/** Why a backup was made; each kind has its own retention. */
export const backupKinds = ['manual', 'scheduled', 'safety', 'upgrade'] as const;
export type BackupKind = (typeof backupKinds)[number];

export const backupStatuses = ['creating', 'complete', 'failed'] as const;
export type BackupStatus = (typeof backupStatuses)[number];

/** How a restore drill ended. */
export interface DrillResult {
  ok: boolean;
  checkedAt: string;
  durationMs: number;
  /** Tables whose row counts differ from the backup's, or the error. */
  differences: string[];
}

/** `failed`: it can't be copied because its file is missing. */
export const remoteStates = ['pending', 'stored', 'failed'] as const;
export type RemoteState = (typeof remoteStates)[number];

/** A backup's copy in a bucket. */
export interface RemoteCopy {
  /** null: no bucket was configured when it was made. */
  remoteState: RemoteState | null;
  /** Set before the first byte is sent. */
  remoteKey: string | null;
  remotePlace: BucketLocation | null;
  /** Why the last attempt failed. */
  remoteError: string | null;
  remoteTries: number | null;
  remoteTriedAt: Date | null;
}

/** A backup in the catalogue. Only a `complete` one is usable: its file was verified. */
export interface Backup extends RemoteCopy {
  id: string;
  tenantId: string;
  kind: BackupKind;
  status: BackupStatus;
  version: string | null;
  commit: string;
  /** The database engine; null: the application has no database. */
  engine: 'mariadb' | 'sqlite' | null;
  /** Relative to the directory of all backups. */
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
