import { useState } from 'react';
import { useNavigate } from 'react-router';
import { api, dataOf } from '../../../api/client.ts';
import { Confirm } from '../../../components/feedback/confirm.tsx';
import { notify, notifyError } from '../../../components/feedback/toasts.tsx';
import { Icon } from '../../../components/layout/icon.tsx';
import { Menu, type MenuEntry } from '../../../components/layout/menu.tsx';
import { ChangeUser } from './change-user.tsx';
import type { HandedOver } from './hand-over.tsx';
import { usersText } from './messages.ts';
import { NewPassword } from './new-password.tsx';
import { changeUser, refreshUsers, type User } from './queries.ts';
import { UserTokens } from './user-tokens.tsx';

interface UserMenuProps {
  user: User;
  /** Users can't lock themselves out; another administrator can. */
  isSelf: boolean;
  onNewPassword(given: HandedOver): void;
}

/** A user's actions. */
export function UserMenu({ user, isSelf, onNewPassword }: UserMenuProps) {
  const [open, setOpen] = useState<'change' | 'password' | 'tokens' | 'disable' | 'delete'>();
  const navigate = useNavigate();
  const close = (): void => setOpen(undefined);
  const { id, username, disabled } = user;
  const { actions } = usersText;
  const enable = (): void =>
    void changeUser(id, { disabled: false }).then(() => notify(usersText.disable.enabled(username)), notifyError);
  const ofOthers: MenuEntry[] = [
    { label: actions.password, act: () => setOpen('password') },
    { label: actions.tokens, act: () => setOpen('tokens') },
    disabled ? { label: actions.enable, act: enable } : { label: actions.disable, act: () => setOpen('disable') },
    { label: actions.delete, act: () => setOpen('delete'), bad: true },
  ];
  const entries: MenuEntry[] = [
    { label: actions.change, act: () => setOpen('change') },
    ...(isSelf
      ? [
          {
            label: actions.ownPassword,
            act: () => void navigate('/password', { state: { from: '/system/users' } }),
          },
        ]
      : ofOthers),
  ];
  return (
    <>
      <Menu label={usersText.actionsOf(username)} trigger={<Icon name="more" />} entries={entries} />
      {open === 'change' && <ChangeUser user={user} isSelf={isSelf} onClose={close} />}
      {open === 'password' && <NewPassword user={user} onClose={close} onDone={onNewPassword} />}
      {open === 'tokens' && <UserTokens user={user} onClose={close} />}
      {open === 'disable' && (
        <Confirm
          title={usersText.disable.title(username)}
          hint={usersText.disable.hint}
          submit={usersText.disable.submit}
          act={() => changeUser(id, { disabled: true })}
          onDone={() => notify(usersText.disable.done(username))}
          onClose={close}
        />
      )}
      {open === 'delete' && (
        <Confirm
          bad
          title={usersText.remove.title(username)}
          hint={usersText.remove.hint}
          submit={usersText.remove.submit}
          typed={username}
          act={() => dataOf(api.DELETE('/api/users/{id}', { params: { path: { id } } }))}
          onDone={() => {
            refreshUsers();
            notify(usersText.remove.done(username));
          }}
          onClose={close}
        />
      )}
    </>
  );
}
