import type { Tenant } from '../../../api/client.ts';
import type { Fleet, NewFleet } from './queries.ts';

/** The draft of a fleet upgrade, kept in the URL so that a reload loses nothing. */
export interface Draft {
  version: string | undefined;
  status: Tenant['status'] | '';
  search: string;
  from: string;
  rings: string;
  failures: string;
  pause: string;
  backup: boolean;
  migrations: boolean;
  retry: boolean;
}

const usualRings = '1, 10%, 100%';
const statuses = ['running', 'stopped', 'error', 'pending'] as const;

export function draftOf(query: URLSearchParams): Draft {
  return {
    version: query.get('version') ?? undefined,
    status: statuses.find((status) => status === query.get('status')) ?? '',
    search: query.get('q') ?? '',
    from: query.get('from') ?? '',
    rings: query.get('rings') ?? usualRings,
    failures: query.get('failures') ?? '0',
    pause: query.get('pause') ?? '0',
    backup: query.get('backup') !== 'no',
    migrations: query.get('migrations') !== 'no',
    retry: query.get('retry') === 'yes',
  };
}

/** The URL of a draft; defaults are left out. */
export function queryOf(draft: Draft): URLSearchParams {
  const query = new URLSearchParams();
  const put = (name: string, value: string | undefined, usual = ''): void => {
    if (value !== undefined && value !== usual) query.set(name, value);
  };
  put('version', draft.version);
  put('status', draft.status);
  put('q', draft.search);
  put('from', draft.from);
  put('rings', draft.rings, usualRings);
  put('failures', draft.failures, '0');
  put('pause', draft.pause, '0');
  put('backup', draft.backup ? 'yes' : 'no', 'yes');
  put('migrations', draft.migrations ? 'yes' : 'no', 'yes');
  put('retry', draft.retry ? 'yes' : 'no', 'no');
  return query;
}

/** `1, 10%, 100%` → [1, '10%', '100%']; the manager rejects anything else with the reason. */
const ringsOf = (rings: string): (number | string)[] =>
  rings
    .replaceAll(/(?<!\s)\s+%/g, '%')
    .split(/[,;\s]+/)
    .filter((size) => size !== '')
    .map((size) => (/^\d+$/.test(size) ? Number(size) : size));

/** The request to the manager. `ids`: selected tenants; without them, the filter applies. */
export function bodyOf(draft: Draft, version: string, ids: readonly string[] | undefined): NewFleet {
  const { status, search, from } = draft;
  const filter = {
    ...(status ? { status } : {}),
    ...(search.trim() ? { search: search.trim() } : {}),
    ...(from.trim() ? { version: from.trim() } : {}),
  };
  return {
    target_version: version,
    ...(ids ? { tenant_ids: [...ids] } : { filter }),
    rings: ringsOf(draft.rings),
    max_failures: Number(draft.failures.trim() || 'none'),
    pause_between_s: Number(draft.pause),
    backup_db: draft.backup,
    run_migrations: draft.migrations,
    retry_failed: draft.retry,
  };
}

/** A draft of the same upgrade for the tenants that failed. */
export const draftFromUpgrade = (fleet: Fleet): Draft => ({
  version: fleet.target_version,
  status: '',
  search: '',
  from: '',
  rings: fleet.rings.join(', '),
  failures: String(fleet.max_failures),
  pause: String(fleet.pause_between_s),
  backup: fleet.backup_db,
  migrations: fleet.run_migrations,
  retry: true,
});
