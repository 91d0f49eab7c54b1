import type { ReactNode } from 'react';
import type { Tenant } from '../../../api/client.ts';
import { HealthBadge, StatusBadge } from '../../../components/data/badge.tsx';
import { RelativeTime, Time } from '../../../components/data/time.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { browserStore } from '../../../lib/browser-store.ts';
import { number } from '../../../lib/figures.ts';
import { text } from '../../../lib/messages.ts';
import { healthOf, type SortKey } from '../filter.ts';
import styles from '../tenants.module.css';
import { Tags } from './tags.tsx';

export type ColumnKey = Exclude<SortKey, 'name' | 'trouble'>;

interface Column {
  /** In px. */
  least: number;
  /** Of the room that is left. */
  share?: number;
  /** What the list is sorted by. */
  value(tenant: Tenant): unknown;
  cell(tenant: Tenant): ReactNode;
}

const healthRank = { unhealthy: 0, degraded: 1, unknown: 2, healthy: 3 } as const;
const statusRank = { error: 0, stopped: 1, pending: 2, running: 3 } as const;

const fine = (content: ReactNode) => <div className={styles.fine}>{content}</div>;

/** The columns that users can choose, in their order. */
export const columns: Record<ColumnKey, Column> = {
  status: {
    least: 132,
    value: ({ status }) => statusRank[status],
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  health: {
    least: 120,
    value: (tenant) => healthRank[healthOf(tenant)],
    cell: (tenant) => <HealthBadge tenant={tenant} />,
  },
  version: { least: 100, value: ({ version }) => version, cell: ({ version }) => fine(version ?? '–') },
  update: {
    least: 100,
    value: ({ update_available: update }) => update,
    cell: ({ update_available: update }) =>
      fine(
        update && (
          <>
            <Icon name="upgrade" /> {update}
          </>
        ),
      ),
  },
  response: {
    least: 90,
    value: ({ response_ms: ms }) => ms,
    cell: ({ response_ms: ms }) => fine(ms === null ? '–' : `${number(ms)} ms`),
  },
  backup: {
    least: 110,
    value: ({ last_backup_at: at }) => at,
    cell: ({ last_backup_at: at }) => fine(at ? <RelativeTime at={at} /> : text.never),
  },
  tags: { least: 120, share: 1.4, value: ({ tags }) => tags, cell: ({ tags }) => <Tags names={tags} /> },
  domain: { least: 140, share: 1, value: ({ domain }) => domain, cell: ({ domain }) => fine(domain) },
  deployed: {
    least: 150,
    value: ({ deployed_at: at }) => at,
    cell: ({ deployed_at: at }) => fine(at ? <Time at={at} /> : text.never),
  },
};
export const columnKeys = Object.keys(columns) as ColumnKey[];

/** The columns without a choice. */
export const usualColumns: readonly ColumnKey[] = ['status', 'health', 'version', 'backup', 'tags', 'domain'];

/** The columns that the user chose, in this browser. */
export const chosenColumns = browserStore<readonly ColumnKey[]>('tenantry.tenant-columns', (kept) =>
  Array.isArray(kept) ? columnKeys.filter((key) => kept.includes(key)) : usualColumns,
);

/** Those chosen before a saved view, which has columns of its own, was opened; null: none is open. */
export const columnsBeforeView = browserStore<readonly ColumnKey[] | null>(
  'tenantry.tenant-columns-before-view',
  (kept) => (Array.isArray(kept) ? columnKeys.filter((key) => kept.includes(key)) : null),
);

/** The widths of these columns in a CSS grid. */
export const widthsOf = (keys: readonly ColumnKey[]): string =>
  keys
    .map((key) => columns[key])
    .map(({ least, share }) => (share ? `minmax(${least}px, ${share}fr)` : `${least}px`))
    .join(' ');

/** A phone's window. */
export const narrow = matchMedia('(max-width: 720px)');

/** A tenant's name, the box before it and the menu after it, with the gaps between them. */
const fixedWidth = 320;

/** The chosen columns that fit. The last ones are left out; a phone shows status and health. */
export function fitting(chosen: readonly ColumnKey[], width: number): ColumnKey[] {
  if (narrow.matches) return chosen.filter((key) => key === 'status' || key === 'health');
  let left = width - fixedWidth;
  return chosen.filter((key) => {
    left -= columns[key].least + 16;
    return left >= 0;
  });
}
