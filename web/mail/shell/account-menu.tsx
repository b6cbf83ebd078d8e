import { Link } from '@tanstack/react-router';
import { PlusIcon, SettingsIcon, SignOutIcon, UserIcon } from '../../ui/icons.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/menu.tsx';
import { useAccounts, useMailbox } from './session.ts';
import { signOut } from './sign-out.ts';

/** The mailboxes of this browser, and what belongs to the one that is shown. */
export function AccountMenu() {
  const { mailbox, address, displayName } = useMailbox();
  const accounts = useAccounts();
  const others = accounts.filter((each) => each.mailbox !== mailbox);
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="grid size-8 shrink-0 place-items-center rounded-full bg-quiet-soft text-xs font-semibold text-muted uppercase hover:text-text"
        >
          <span className="sr-only normal-case">Mailbox {address}</span>
          <span aria-hidden="true">{Array.from(displayName ?? address)[0]}</span>
        </button>
      }
    >
      <MenuLabel>
        {displayName !== null && <span className="block text-base font-medium text-text">{displayName}</span>}
        {address}
      </MenuLabel>
      <MenuItem
        icon={<SettingsIcon />}
        render={<Link to="/$address/settings/account" params={{ address }} />}
      >
        Settings
      </MenuItem>
      <MenuSeparator />
      {others.map((other) => (
        <MenuItem
          key={other.mailbox}
          icon={<UserIcon />}
          render={
            <Link
              to="/$address/$folder"
              params={{ address: other.address, folder: 'inbox' }}
              search={{ compose: '' }}
            />
          }
        >
          <span className="flex items-center gap-2">
            <span className="min-w-0 flex-1 truncate">{other.address}</span>
            <span aria-hidden="true" className="shrink-0 text-xs text-muted">
              g {accounts.indexOf(other) + 1}
            </span>
          </span>
        </MenuItem>
      ))}
      <MenuItem icon={<PlusIcon />} render={<Link to="/sign-in" search={{ compose: '' }} />}>
        Add another mailbox
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<SignOutIcon />} onClick={() => void signOut(mailbox)}>
        Sign out
      </MenuItem>
    </Menu>
  );
}
