import { useNavigate } from 'react-router';
import { Time } from '../components/data/time.tsx';
import { notifyError } from '../components/feedback/toasts.tsx';
import { Icon } from '../components/layout/icon.tsx';
import { Menu, MenuChoice } from '../components/layout/menu.tsx';
import { preferencesText } from '../features/accounts/preferences/messages.ts';
import { type Self, useSession } from '../features/accounts/session/session.tsx';
import { timeZone } from '../lib/language.ts';
import { text } from '../lib/messages.ts';
import { useAppearance } from '../theme/appearance.ts';
import { openShortcuts } from './help/use-shortcuts.ts';
import { shellText } from './messages.ts';
import styles from './shell.module.css';

/** Who is signed in, and what belongs to the account. */
export function AccountMenu() {
  const { self, signOut } = useSession();
  const { theme, density, setTheme, setDensity } = useAppearance();
  const navigate = useNavigate();
  if (!self) return null;
  return (
    <Menu
      fixed
      label={shellText.account(self.username)}
      trigger={
        <>
          <Icon name="user" />
          <span className={styles.self}>{self.username}</span>
        </>
      }
      entries={[
        { label: preferencesText.title, icon: 'language', act: () => void navigate('/account/preferences') },
        { label: text.sessions, icon: 'sessions', act: () => void navigate('/account/sessions') },
        { label: text.tokens, icon: 'tokens', act: () => void navigate('/account/tokens') },
        { label: text.changePassword, icon: 'password', act: () => void navigate('/password') },
        { label: shellText.shortcuts.title, icon: 'keyboard', act: openShortcuts },
        { label: shellText.signOut, icon: 'signOut', act: () => void signOut().catch(notifyError) },
      ]}
    >
      <Account self={self} />
      <MenuChoice label={shellText.appearance} value={theme} options={shellText.themes} onChange={setTheme} />
      <MenuChoice label={shellText.density} value={density} options={shellText.densities} onChange={setDensity} />
    </Menu>
  );
}

/** Who is signed in. In a closed menu it is not rendered: the name of the time zone takes a while. */
const Account = ({ self }: { self: Self }) => (
  <div className={styles.who}>
    <strong>{self.username}</strong>
    {text.roles[self.role]}
    {self.password_changed_at && (
      <div>
        {shellText.passwordChanged} <Time at={self.password_changed_at} />
      </div>
    )}
    <div>{shellText.timesIn(timeZone().replaceAll('_', ' '))}</div>
  </div>
);
