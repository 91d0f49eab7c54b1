import { Badge } from '../../components/data/badge.tsx';
import { backupsText } from './messages.ts';
import type { Backup } from './queries.ts';

type State = keyof typeof backupsText.states;

const tones = {
  creating: 'busy',
  failed: 'bad',
  damaged: 'bad',
  less: 'bad',
  drilled: 'good',
  readBack: 'plain',
} as const;

/** How thoroughly a backup was verified, or what is wrong with it. */
export function stateOf({ status, drill, loss }: Pick<Backup, 'status' | 'drill' | 'loss'>): State {
  if (status !== 'complete') return status;
  if (drill?.ok !== false && loss?.confirmed_by === null) return 'less';
  if (!drill) return 'readBack';
  return drill.ok ? 'drilled' : 'damaged';
}

export function BackupState({ backup }: { backup: Backup }) {
  const state = stateOf(backup);
  return <Badge tone={tones[state]}>{backupsText.states[state]}</Badge>;
}
