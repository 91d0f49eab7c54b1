import { queryClient } from '../../../api/queries.ts';
import { toasts } from '../../../components/feedback/toasts.tsx';

const parts = new Set<() => void>();

/** Told when nothing of what one person saw and chose may meet the next one at the same tab. */
export const onForget = (forget: () => void): void => void parts.add(forget);

/** Forgets all that was read, told, chosen and kept for whoever was signed in. */
export function forgetPerson(): void {
  queryClient.clear();
  toasts.close();
  sessionStorage.clear();
  for (const forget of parts) forget();
}
