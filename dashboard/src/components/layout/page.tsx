import { type ReactNode, useEffect, useRef } from 'react';
import { Link, NavLink, useLocation } from 'react-router';
import { text } from '../../lib/messages.ts';
import { Icon, type IconName } from './icon.tsx';
import styles from './page.module.css';

interface PageHeadProps {
  title: string;
  hint?: ReactNode;
  /** The page's actions, on the right. */
  children?: ReactNode;
}

/** A page's title, also set as the document's title, and its actions. */
export const PageHead = ({ title, hint, children }: PageHeadProps) => (
  <>
    <title>{`${title} · ${text.product}`}</title>
    <div className={styles.head}>
      <div>
        <h1>{title}</h1>
        {hint && <p className={styles.hint}>{hint}</p>}
      </div>
      {children && <div className={styles.actions}>{children}</div>}
    </div>
  </>
);

/** A section of a page: its title, actions and content. */
export const PagePart = ({ title, hint, children }: PageHeadProps) => (
  <div className={styles.part}>
    <div>
      <h2>{title}</h2>
      {hint && <p className={styles.hint}>{hint}</p>}
    </div>
    {children && <div className={styles.actions}>{children}</div>}
  </div>
);

/** A link to the parent page. */
export const BackLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Link to={to} className={styles.back}>
    <Icon name="back" />
    {children}
  </Link>
);

export interface SectionLink {
  to: string;
  name: string;
  icon?: IconName;
  end?: boolean;
}

interface SectionsProps {
  label: string;
  entries: readonly SectionLink[];
}

/** Links to a page's sections; the current one is marked and scrolled into view. */
export function Sections({ label, entries }: SectionsProps) {
  const nav = useRef<HTMLElement>(null);
  const { pathname } = useLocation();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another page has another present section
  useEffect(() => {
    const bringIntoSight = (): void => {
      const present = nav.current?.querySelector('[aria-current="page"]');
      if (!nav.current || !present) return;
      const { left, right } = nav.current.getBoundingClientRect();
      const link = present.getBoundingClientRect();
      nav.current.scrollLeft += (link.left + link.right - left - right) / 2;
    };
    bringIntoSight();
    // The screen orientation changes.
    addEventListener('resize', bringIntoSight);
    return () => removeEventListener('resize', bringIntoSight);
  }, [pathname]);
  return (
    <nav ref={nav} className={styles.sections} aria-label={label}>
      {entries.map(({ to, name, icon, end = false }) => (
        <NavLink key={to} to={to} end={end}>
          {icon && <Icon name={icon} />}
          {name}
        </NavLink>
      ))}
    </nav>
  );
}
