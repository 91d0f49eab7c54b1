import { browserStore } from '../../lib/browser-store.ts';

const narrow = matchMedia('(max-width: 720px)');
const chosen = browserStore('tenantry.wrap-logs', (kept) => (typeof kept === 'boolean' ? kept : undefined));

/** Whether long lines of logs are wrapped: as the user last chose for any log, at first on narrow screens only. */
export const useWrap = (): [boolean, (wrap: boolean) => void] => [chosen.use() ?? narrow.matches, chosen.set];
