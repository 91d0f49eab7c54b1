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
  /** Of the grid, and the least width in px. */
  width: string;
  least: number;
  /** What the list is sorted by. */
  value(tenant: Tenant): string | number;
  cell(tenant: Tenant): ReactNode;
}

const healthRank = { unhealthy: 0, degraded: 1, unknown: 2, healthy: 3 } as const;
const statusRank = { error: 0, stopped: 1, pending: 2, running: 3 } as const;

const fine = (content: ReactNode) => <div className={styles.fine}>{content}</div>;
const relative = (at: string | null) => fine(at ? <RelativeTime at={at} /> : text.never);

/** The columns that users can choose, in their order. */
export const columns: Record<ColumnKey, Column> = {
  status: {
    width: '132px',
    least: 132,
    value: ({ status }) => statusRank[status],
    cell: ({ status }) => <StatusBadge status={status} />,
  },
  health: {
    width: '120px',
    least: 120,
    value: (tenant) => healthRank[healthOf(tenant)],
    cell: (tenant) => <HealthBadge tenant={tenant} />,
  },
  version: {
    width: '100px',
    least: 100,
    value: ({ version }) => version ?? '',
    cell: ({ version }) => fine(version ?? '–'),
  },
  update: {
    width: '100px',
    least: 100,
    value: ({ update_available: update }) => update ?? '',
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
    width: '90px',
    least: 90,
    value: ({ response_ms: ms }) => ms ?? -1,
    cell: ({ response_ms: ms }) => fine(ms === null ? '–' : `${number(ms)} ms`),
  },
  backup: {
    width: '110px',
    least: 110,
    value: ({ last_backup_at: at }) => at ?? '',
    cell: ({ last_backup_at: at }) => relative(at),
  },
  tags: {
    width: 'minmax(120px, 1fr)',
    least: 120,
    value: ({ tags }) => tags.join(),
    cell: ({ tags }) => <Tags names={tags} />,
  },
  domain: {
    width: 'minmax(140px, 1.4fr)',
    least: 140,
    value: ({ domain }) => domain,
    cell: ({ domain }) => fine(domain),
  },
  deployed: {
    width: '150px',
    least: 150,
    value: ({ deployed_at: at }) => at ?? '',
    cell: ({ deployed_at: at }) => fine(at ? <Time at={at} /> : text.never),
  },
};
export const columnKeys = Object.keys(columns) as ColumnKey[];

const usual: readonly ColumnKey[] = ['status', 'health', 'version', 'backup', 'tags', 'domain'];

/** The columns that the user chose, in this browser. */
export const chosenColumns = browserStore<readonly ColumnKey[]>('tenantry.tenant-columns', (kept) =>
  Array.isArray(kept) ? columnKeys.filter((key) => kept.includes(key)) : usual,
);

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
