import { useSearchParams } from 'react-router';
import { text } from '../../lib/messages.ts';
import { ButtonLink } from '../form/button.tsx';
import styles from './page-links.module.css';

/** The page of a list that the URL names (`?page=2`), from 1. */
export function usePage(): number {
  const [query] = useSearchParams();
  return Math.max(1, Math.trunc(Number(query.get('page'))) || 1);
}

/** Links to the newer and the older entries of a list; nothing if one page has all. */
export function PageLinks({ perPage, total }: { perPage: number; total: number }) {
  const [query] = useSearchParams();
  const page = usePage();
  const to = (next: number) => {
    const changed = new URLSearchParams(query);
    changed.set('page', String(next));
    return { search: `?${changed}` };
  };
  if (total <= perPage) return null;
  return (
    <nav className={styles.pages} aria-label={text.pages}>
      {page > 1 && <ButtonLink to={to(page - 1)}>{text.newer}</ButtonLink>}
      {page * perPage < total && <ButtonLink to={to(page + 1)}>{text.older}</ButtonLink>}
    </nav>
  );
}
