import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { Link, Outlet, useLocation, useNavigate } from 'react-router';
import { connectLive, useLiveState } from '../api/live.ts';
import { useLiveUpdates } from '../api/live-updates.ts';
import { tenantsQuery, unhealthyQuery } from '../api/queries.ts';
import parts from '../components/components.module.css';
import { Time } from '../components/data/time.tsx';
import { Dialogs } from '../components/feedback/dialogs.tsx';
import { notifyError } from '../components/feedback/toasts.tsx';
import { Icon } from '../components/layout/icon.tsx';
import { Menu, MenuChoice } from '../components/layout/menu.tsx';
import { isAtLeast, type Role, useSession } from '../features/accounts/session/session.tsx';
import { PaletteButton } from '../features/palette/palette-button.tsx';
import { RunNote } from '../features/tenants/bulk/run-card.tsx';
import { healthOf } from '../features/tenants/filter.ts';
import { text } from '../lib/messages.ts';
import { shellText } from './messages.ts';
import styles from './shell.module.css';
import { useTheme } from './theme.ts';

/** The pages of the navigation, each with its minimum role. */
const places: readonly { to: string; name: string; role?: Role }[] = [
  { to: '/', name: text.tenants },
  { to: '/upgrades', name: text.upgrades },
  { to: '/journal', name: text.journal, role: 'operator' },
  { to: '/system', name: text.system, role: 'operator' },
];

/** The layout of every page of a signed-in user. */
export function Shell() {
  useEffect(() => connectLive(), []);
  useLiveUpdates();
  const live = useLiveState();
  const { self } = useSession();
  const { pathname } = useLocation();
  const content = useContentFocus(pathname);
  const open = places.filter(({ role = 'viewer' }) => isAtLeast(self, role));
  return (
    <>
      <a className={styles.skip} href="#content">
        {shellText.skipToContent}
      </a>
      <header className={styles.bar}>
        <Link to="/" className={styles.brand} aria-label={text.product}>
          <img src="/icon.svg" alt="" width={28} height={28} />
          <span>{text.product}</span>
        </Link>
        <nav className={styles.nav} aria-label={shellText.navigation}>
          {open.map(({ to, name }) => (
            <Link key={to} to={to} aria-current={isWithin(pathname, to) ? 'page' : undefined}>
              {name}
              {to === '/' && <UnhealthyCount />}
            </Link>
          ))}
        </nav>
        {live !== 'offline' && (
          <span className={styles.live} data-state={live}>
            {shellText.live[live]}
          </span>
        )}
        <PaletteButton places={open} />
        <AccountMenu />
      </header>
      <Dialogs />
      {pathname !== '/' && <RunNote />}
      <div role="status">{live === 'offline' && <div className={styles.offline}>{shellText.live.offline}</div>}</div>
      <main id="content" ref={content} className={styles.main} tabIndex={-1}>
        <Outlet />
      </main>
    </>
  );
}

/** Whether a page belongs to a navigation entry: a tenant's pages belong to the list of tenants. */
const isWithin = (pathname: string, to: string): boolean =>
  to === '/' ? pathname === '/' || pathname.startsWith('/tenants/') : pathname === to || pathname.startsWith(`${to}/`);

/** The number of unhealthy tenants, if any. */
function UnhealthyCount() {
  // The manager's events keep a loaded list up to date.
  const { data: listed } = useQuery({ ...tenantsQuery, enabled: false });
  const { data: asked = 0 } = useQuery({ ...unhealthyQuery, enabled: listed === undefined });
  const count = listed ? listed.filter((tenant) => healthOf(tenant) === 'unhealthy').length : asked;
  if (count === 0) return null;
  return (
    <span className={styles.alarm} title={shellText.unhealthyTenants(count)}>
      <span aria-hidden="true">{count}</span>
      <span className={parts.spoken}>{shellText.unhealthyTenants(count)}</span>
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

function AccountMenu() {
  const { self, signOut } = useSession();
  const [theme, setTheme] = useTheme();
  const navigate = useNavigate();
  if (!self) return null;
  return (
    <Menu
      label={shellText.account}
      trigger={<Icon name="user" />}
      entries={[
        { label: text.sessions, act: () => void navigate('/account/sessions') },
        { label: text.tokens, act: () => void navigate('/account/tokens') },
        { label: text.changePassword, act: () => void navigate('/password') },
        { label: shellText.signOut, act: () => void signOut().catch(notifyError) },
      ]}
    >
      <div className={styles.who}>
        <strong>{self.username}</strong>
        {text.roles[self.role]}
        {self.password_changed_at && (
          <div>
            {shellText.passwordChanged} <Time at={self.password_changed_at} />
          </div>
        )}
      </div>
      <MenuChoice label={shellText.appearance} value={theme} options={shellText.themes} onChange={setTheme} />
    </Menu>
  );
}
