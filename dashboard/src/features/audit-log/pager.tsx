import { Button } from '../../components/form/button.tsx';
import styles from './audit-log.module.css';
import { journalText } from './messages.ts';

interface PagerProps {
  /** From 1. */
  page: number;
  pageSize: number;
  total: number;
  turn(page: number): void;
}

/** Where one is in a long list, and the way on; nothing where all is on one page. */
export function Pager({ page, pageSize, total, turn }: PagerProps) {
  if (total <= pageSize && page === 1) return null;
  const before = (page - 1) * pageSize;
  const last = Math.min(before + pageSize, total);
  return (
    <nav className={styles.pager} aria-label={journalText.pages}>
      <Button disabled={page === 1} onClick={() => turn(page - 1)}>
        {journalText.newer}
      </Button>
      <span>{last > before ? journalText.span(before + 1, last, total) : ''}</span>
      <Button disabled={last >= total} onClick={() => turn(page + 1)}>
        {journalText.older}
      </Button>
    </nav>
  );
}
