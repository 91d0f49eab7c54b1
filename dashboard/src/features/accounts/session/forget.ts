import { queryClient } from '../../../api/queries.ts';
import { toasts } from '../../../components/feedback/toasts.tsx';

const parts = new Set<() => void>();

/** Called when another user takes over the tab, so that no data of the previous one remains. */
export const onForget = (forget: () => void): void => void parts.add(forget);

/** Forgets everything that was read and kept for the signed-in user. */
export function forgetPerson(): void {
  queryClient.clear();
  toasts.close();
  sessionStorage.clear();
  for (const forget of parts) forget();
}
