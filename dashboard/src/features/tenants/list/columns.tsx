import type { ReactNode } from 'react';
import type { Tenant } from '../../../api/client.ts';
import { HealthBadge, StatusBadge } from '../../../components/data/badge.tsx';
import { RelativeTime, Time } from '../../../components/data/time.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { browserStore } from '../../../lib/browser-store.ts';
import { number } from '../../../lib/figures.ts';
import { text } from '../../../lib/messages.ts';
import type { SortKey } from '../filter.ts';
import styles from '../tenants.module.css';
import { Tags } from './tags.tsx';

export type ColumnKey = Exclude<SortKey, 'name' | 'trouble'>;

interface Column {
  /** Of the grid, and the least width in px. */
  width: string;
  least: number;
  cell(tenant: Tenant): ReactNode;
}

const fine = (content: ReactNode) => <div className={styles.fine}>{content}</div>;
const relative = (at: string | null) => fine(at ? <RelativeTime at={at} /> : text.never);

/** The columns that users can choose, in their order. */
export const columns: Record<ColumnKey, Column> = {
  status: { width: '132px', least: 132, cell: ({ status }) => <StatusBadge status={status} /> },
  health: { width: '120px', least: 120, cell: (tenant) => <HealthBadge tenant={tenant} /> },
  version: { width: '100px', least: 100, cell: ({ version }) => fine(version ?? '–') },
  update: {
    width: '100px',
    least: 100,
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
    cell: ({ response_ms: ms }) => fine(ms === null ? '–' : `${number(ms)} ms`),
  },
  backup: { width: '110px', least: 110, cell: ({ last_backup_at: at }) => relative(at) },
  tags: { width: 'minmax(120px, 1fr)', least: 120, cell: ({ tags }) => <Tags names={tags} /> },
  domain: { width: 'minmax(140px, 1.4fr)', least: 140, cell: ({ domain }) => fine(domain) },
  deployed: { width: '150px', least: 150, cell: ({ deployed_at: at }) => fine(at ? <Time at={at} /> : text.never) },
};
export const columnKeys = Object.keys(columns) as ColumnKey[];

const usual: readonly ColumnKey[] = ['status', 'health', 'version', 'backup', 'tags', 'domain'];

/** The columns that the user chose, in this browser. */
export const chosenColumns = browserStore<readonly ColumnKey[]>('tenantry.tenant-columns', (kept) =>
  Array.isArray(kept) ? columnKeys.filter((key) => kept.includes(key)) : usual,
);

/** A tenant's name, the box before it and the menu after it, with the gaps between them. */
const fixedWidth = 320;

/** The chosen columns that fit. The last ones are left out; a phone shows status and health. */
export function fitting(chosen: readonly ColumnKey[], width: number, isNarrow: boolean): ColumnKey[] {
  if (isNarrow) return chosen.filter((key) => key === 'status' || key === 'health');
  let left = width - fixedWidth;
  return chosen.filter((key) => {
    left -= columns[key].least + 16;
    return left >= 0;
  });
}
