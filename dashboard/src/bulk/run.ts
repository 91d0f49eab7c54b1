import { ApiError } from '../api/api-error.ts';
import { dataOf, type Tenant } from '../api/client.ts';
import { queryClient } from '../api/queries.ts';
import { tell } from '../parts/toasts.tsx';
import { askControl, type Control } from '../tenants/tenant-actions.ts';
import { bulkText } from '../text/bulk.ts';
import { keptStore } from './kept-store.ts';

export interface RunItem {
  id: string;
  name: string;
  /** `unknown`: it was asked for, and the answer was lost. */
  state: 'waiting' | 'underWay' | 'done' | 'failed' | 'unknown';
  /** Why it failed. */
  reason?: string;
  requestId?: string | undefined;
}

/** One action on many tenants, a few at a time. */
export interface BulkRun {
  /** Tells it from the one before. */
  number: number;
  action: Control;
  state: 'running' | 'held' | 'ended';
  /** Why it is held: a user said so, the page was loaded anew, or the manager could not be asked. */
  held?: 'asked' | 'reload' | 'lost';
  items: readonly RunItem[];
}

/** Browsers open six connections to a host: the page keeps some for itself. */
const sideBySide = 4;
/** How often it is asked again for a tenant that is busy, and how long after. Milliseconds. */
const patience = 10;
const againAfter = 2_000;

const store = keptStore<BulkRun | undefined>('tenantry.bulk', takenUp, (run) => run);
export const useRun = store.use;
let underWay = 0;

/** What an earlier page left: its answers were lost with it. */
function takenUp(kept: unknown): BulkRun | undefined {
  const run = kept as BulkRun | undefined;
  if (!run || !Array.isArray(run.items)) return undefined;
  const items = run.items.map((item): RunItem => (item.state === 'underWay' ? { ...item, state: 'unknown' } : item));
  if (!items.some(({ state }) => state === 'waiting' || state === 'unknown'))
    return { number: run.number, action: run.action, state: 'ended', items };
  // A page that goes ends its requests: they look as if the manager could not be asked.
  return { ...run, state: 'held', held: run.held === 'asked' ? 'asked' : 'reload', items };
}

addEventListener('beforeunload', (event) => {
  // Who leaves now leaves the rest undone.
  if (store.get()?.state === 'running') event.preventDefault();
});

/** Begins an action on these tenants; the list shows how it goes. */
export function beginRun(action: Control, tenants: readonly Pick<Tenant, 'id' | 'name'>[]): void {
  const number = (store.get()?.number ?? 0) + 1;
  const items = tenants.map(({ id, name }): RunItem => ({ id, name, state: 'waiting' }));
  store.set({ number, action, state: 'running', items });
  fill();
}

/** Begins no more; those under way end. */
export const holdRun = (): void => hold('asked');

/** Goes on with those that wait, and with those whose answer was lost where asking twice does no harm. */
export function resumeRun(): void {
  const run = store.get();
  if (!run) return;
  go(run.action === 'restart' ? [] : ['unknown']);
}

/** Once more for those that failed. */
export const retryRun = (): void => go(['failed', 'unknown']);

export const dismissRun = (): void => store.set(undefined);

function go(again: readonly RunItem['state'][]): void {
  const run = store.get();
  if (!run) return;
  const items = run.items.map(
    (item): RunItem => (again.includes(item.state) ? { id: item.id, name: item.name, state: 'waiting' } : item),
  );
  store.set({ number: run.number, action: run.action, state: 'running', items });
  fill();
}

function hold(held: NonNullable<BulkRun['held']>): void {
  const run = store.get();
  if (run?.state === 'running') store.set({ ...run, state: 'held', held });
}

/** Begins as many as may be under way, and tells when nothing is left. */
function fill(): void {
  for (;;) {
    const run = store.get();
    if (run?.state !== 'running') return;
    const next = run.items.find(({ state }) => state === 'waiting');
    if (!next) {
      if (underWay === 0) end(run);
      return;
    }
    if (underWay >= sideBySide) return;
    underWay += 1;
    set(run.number, next.id, { state: 'underWay' });
    void ask(run, next.id).finally(() => {
      underWay -= 1;
      fill();
    });
  }
}

async function ask({ number, action }: BulkRun, id: string): Promise<void> {
  try {
    await askPatiently(action, id);
    set(number, id, { state: 'done' });
  } catch (error) {
    const failure = error instanceof ApiError ? error : undefined;
    if (failure?.status === 0 || failure?.status === 401 || failure?.code === 'shutting_down') {
      // The manager did not answer, or asks nobody in: so it will be for all the others.
      set(number, id, { state: failure.status === 0 ? 'unknown' : 'waiting' });
      hold('lost');
    } else {
      set(number, id, {
        state: 'failed',
        reason: failure?.words ?? bulkText.failed,
        requestId: failure?.requestId,
      });
    }
  }
}

/** Something else may be at work on the tenant, after a reload what was asked for before it: that is waited for a little. */
async function askPatiently(action: Control, id: string): Promise<void> {
  for (let left = patience; ; left -= 1) {
    try {
      await dataOf(askControl(action, id));
      return;
    } catch (error) {
      const busy = error instanceof ApiError && error.code === 'operation_in_progress';
      if (!busy || left === 0) throw error;
      await new Promise((resolve) => setTimeout(resolve, againAfter));
    }
  }
}

function set(number: number, id: string, changes: Partial<RunItem>): void {
  const run = store.get();
  if (run?.number !== number) return;
  store.set({ ...run, items: run.items.map((item) => (item.id === id ? { ...item, ...changes } : item)) });
}

function end(run: BulkRun): void {
  store.set({ number: run.number, action: run.action, state: 'ended', items: run.items });
  const done = run.items.filter(({ state }) => state === 'done').length;
  tell(bulkText.ended[run.action](done, run.items.length));
  for (const kind of ['tenants', 'tenant', 'health']) void queryClient.invalidateQueries({ queryKey: [kind] });
}
