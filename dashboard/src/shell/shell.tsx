import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Link, Outlet, useLocation } from 'react-router';
import { connectLive, useLiveState } from '../api/live.ts';
import { useLiveUpdates } from '../api/live-updates.ts';
import { attentionQuery, tenantsQuery, unhealthyQuery } from '../api/queries.ts';
import parts from '../components/components.module.css';
import { Dialogs } from '../components/feedback/dialogs.tsx';
import { Icon, type IconName } from '../components/layout/icon.tsx';
import { useAccountPreferences } from '../features/accounts/preferences/preferences.ts';
import { isAtLeast, type Role, useSession } from '../features/accounts/session/session.tsx';
import { homeText } from '../features/home/messages.ts';
import { countOf, withIncidents } from '../features/home/with-incidents.ts';
import { incidentsText } from '../features/incidents/messages.ts';
import { openIncidentsQuery } from '../features/incidents/queries.ts';
import { PaletteButton } from '../features/palette/palette-button.tsx';
import { healthOf } from '../features/tenants/filter.ts';
import { browserStore } from '../lib/browser-store.ts';
import { number } from '../lib/figures.ts';
import { text } from '../lib/messages.ts';
import { whenIdle } from '../lib/when-idle.ts';
import { loadUsualPages } from '../usual-pages.ts';
import { helpOf } from './help/help-links.ts';
import { useShortcuts } from './help/use-shortcuts.ts';
import { shellText } from './messages.ts';
import styles from './shell.module.css';

/** The pages of the navigation, each with its minimum role. */
const places: readonly { to: string; name: string; icon: IconName; role?: Role }[] = [
  { to: '/', name: text.home, icon: 'home' },
  { to: '/tenants', name: text.tenants, icon: 'tenants' },
  { to: '/upgrades', name: text.upgrades, icon: 'upgrade' },
  { to: '/incidents', name: text.incidents, icon: 'incident' },
  { to: '/timeline', name: text.timeline, icon: 'timeline' },
  { to: '/journal', name: text.journal, icon: 'auditLog', role: 'operator' },
  { to: '/system', name: text.system, icon: 'system', role: 'operator' },
];

const collapsed = browserStore('tenantry.sidebar-collapsed', (kept) =>
  typeof kept === 'boolean' ? kept : matchMedia('(max-width: 1100px)').matches,
);

const AccountMenu = lazy(async () => ({ default: (await import('./account-menu.tsx')).AccountMenu }));
const Bell = lazy(async () => ({ default: (await import('../features/notifications/inbox/bell.tsx')).Bell }));
const RunNote = lazy(async () => ({ default: (await import('../features/tenants/bulk/run-card.tsx')).RunNote }));

/** The layout of every page of a signed-in user. */
export function Shell() {
  useEffect(() => connectLive(), []);
  useAccountPreferences();
  useLiveUpdates();
  useShortcuts();
  const live = useLiveState();
  useEffect(() => {
    // Again after each lost connection, for the pages that could not be loaded during it.
    if (live === 'online') whenIdle(() => void loadUsualPages());
  }, [live]);
  const { self } = useSession();
  const { pathname } = useLocation();
  const content = useContentFocus(pathname);
  const open = places.filter(({ role = 'viewer' }) => isAtLeast(self, role));
  const isCollapsed = collapsed.use();
  return (
    <div className={styles.app} data-collapsed={isCollapsed || undefined}>
      <a className={styles.skip} href="#content">
        {shellText.skipToContent}
      </a>
      <header className={styles.sidebar}>
        <div className={styles.top}>
          <Link to="/" className={styles.brand} aria-label={text.product}>
            <img src="/icon.svg" alt="" width={20} height={20} />
            <span>{text.product}</span>
          </Link>
          <Suspense>
            <Bell />
          </Suspense>
          <button
            type="button"
            className={`${parts.close} ${styles.toggle}`}
            aria-label={shellText.sidebar}
            aria-expanded={!isCollapsed}
            onClick={() => collapsed.set(!isCollapsed)}
          >
            <Icon name="sidebar" />
          </button>
        </div>
        <PaletteButton places={open} small={isCollapsed} />
        <nav className={styles.nav} aria-label={shellText.navigation}>
          {open.map(({ to, name, icon }) => (
            <Link
              key={to}
              to={to}
              aria-current={isWithin(pathname, to) ? 'page' : undefined}
              {...(isCollapsed ? { title: name } : {})}
            >
              <Icon name={icon} />
              <span className={styles.name}>{name}</span>
              {to === '/' && <AttentionCount />}
              {to === '/tenants' && <UnhealthyCount />}
              {to === '/incidents' && <IncidentCount />}
            </Link>
          ))}
        </nav>
        <div className={styles.end}>
          {live !== 'offline' && (
            <span className={styles.live} data-state={live}>
              <span>{shellText.live[live]}</span>
            </span>
          )}
          <a
            className={styles.help}
            aria-label={shellText.help}
            href={helpOf(pathname)}
            target="_blank"
            rel="noreferrer"
          >
            <Icon name="help" />
            <span className={styles.name}>{shellText.help}</span>
          </a>
          <Suspense>
            <AccountMenu />
          </Suspense>
        </div>
      </header>
      <div>
        <Dialogs />
        <Suspense>{pathname !== '/tenants' && <RunNote />}</Suspense>
        <div role="status">{live === 'offline' && <div className={styles.offline}>{shellText.live.offline}</div>}</div>
        <main id="content" ref={content} className={styles.main} tabIndex={-1}>
          <Outlet />
        </main>
      </div>
    </div>
  );
}

/** Whether a page belongs to a navigation entry: a tenant's pages belong to the list of tenants. */
const isWithin = (pathname: string, to: string): boolean => pathname === to || pathname.startsWith(`${to}/`);

/** How much needs attention, if anything does. */
function AttentionCount() {
  const { data } = useQuery(attentionQuery);
  const { data: open } = useQuery(openIncidentsQuery);
  const count = data ? countOf(withIncidents(data, open?.incidents ?? [])) : 0;
  if (count === 0) return null;
  return (
    <span className={styles.alarm} title={homeText.count(count)}>
      <span aria-hidden="true">{number(count)}</span>
      <span className={parts.spoken}>{homeText.count(count)}</span>
    </span>
  );
}

/** The number of unhealthy tenants, if any. */
function UnhealthyCount() {
  // The manager's events keep a loaded list up to date.
  const { data: listed } = useQuery({ ...tenantsQuery, enabled: false });
  const { data: asked = 0 } = useQuery({ ...unhealthyQuery, enabled: listed === undefined });
  const count = listed ? listed.filter((tenant) => healthOf(tenant) === 'unhealthy').length : asked;
  if (count === 0) return null;
  return (
    <span className={styles.alarm} title={shellText.unhealthyTenants(count)}>
      <span aria-hidden="true">{number(count)}</span>
      <span className={parts.spoken}>{shellText.unhealthyTenants(count)}</span>
    </span>
  );
}

/** The number of incidents that are not resolved, if any. */
function IncidentCount() {
  const { data } = useQuery(openIncidentsQuery);
  const count = data?.open_count ?? 0;
  if (count === 0) return null;
  return (
    <span className={styles.alarm} title={incidentsText.openCount(count)}>
      <span aria-hidden="true">{number(count)}</span>
      <span className={parts.spoken}>{incidentsText.openCount(count)}</span>
    </span>
  );
}

/** Moves the focus to the page's content if the focused element went away with the previous page. */
function useContentFocus(pathname: string) {
  const content = useRef<HTMLElement>(null);
  const shown = useRef(pathname);
  useEffect(() => {
    if (shown.current === pathname) return;
    shown.current = pathname;
    if (document.activeElement === document.body) content.current?.focus({ preventScroll: true });
  }, [pathname]);
  return content;
}
