import { Badge } from '../../components/data/badge.tsx';
import { backupsText } from './messages.ts';
import type { Backup } from './queries.ts';

type State = keyof typeof backupsText.states;

const tones = { creating: 'busy', failed: 'bad', damaged: 'bad', drilled: 'good', readBack: 'plain' } as const;

/** How thoroughly a backup was verified. */
export function stateOf({ status, drill }: Pick<Backup, 'status' | 'drill'>): State {
  if (status !== 'complete') return status;
  if (!drill) return 'readBack';
  return drill.ok ? 'drilled' : 'damaged';
}

export function BackupState({ backup }: { backup: Backup }) {
  const state = stateOf(backup);
  return <Badge tone={tones[state]}>{backupsText.states[state]}</Badge>;
}
