import { Badge } from '../../components/data/badge.tsx';
import { listsText } from './messages.ts';
import type { ListJob } from './queries.ts';
import { stateOf } from './steps/state.ts';

const tones = {
  pending: 'plain',
  analyzing: 'busy',
  ready: 'plain',
  importing: 'busy',
  completed: 'good',
  failed: 'bad',
  cancelled: 'warn',
  undone: 'warn',
} as const;

export function ListBadge({ job }: { job: Pick<ListJob, 'status' | 'import_result'> }) {
  const state = stateOf(job);
  return <Badge tone={tones[state]}>{listsText.states[state]}</Badge>;
}
