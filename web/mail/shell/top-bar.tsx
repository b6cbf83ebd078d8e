import { Link } from '@tanstack/react-router';
import { api } from '../../api/mail.ts';
import { AccountMenu } from '../../shell/account-menu.tsx';
import { TopBar as Bar } from '../../shell/frame.tsx';
import { endSession } from '../../shell/sign-out.ts';
import { Button } from '../../ui/button.tsx';
import { PenIcon, PlusIcon, SettingsIcon, SignOutIcon, UserIcon } from '../../ui/icons.tsx';
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { SearchBox } from '../reading/search-box.tsx';
import { useCompose } from './compose.ts';
import { forgetDevice } from './device-settings.ts';
import { useAccounts, useMailbox } from './session.ts';

export const MENU_NAME = 'Folders';
/** The mailboxes after these have no keyboard shortcut. */
const MOST_KEYS = 9;

export function TopBar() {
  const compose = useCompose();
  return (
    <Bar menuName={MENU_NAME} className="sm:px-4">
      <div className="min-w-0 flex-1">
        <SearchBox />
      </div>
      {/* In wide windows the Compose button is above the folders instead. */}
      <Button kind="primary" icon={<PenIcon />} className="lg:hidden" onClick={() => compose()}>
        <span className="max-sm:sr-only">Compose</span>
      </Button>
      <Accounts />
    </Bar>
  );
}

/** The mailboxes that this browser is signed in to, and the menu of the current mailbox. */
function Accounts() {
  const { mailbox, address, displayName, access } = useMailbox();
  const accounts = useAccounts();
  const others = accounts.filter((each) => each.mailbox !== mailbox);
  return (
    <AccountMenu
      label={`Mailbox ${address}`}
      initials={Array.from(displayName ?? address)[0] ?? ''}
      name={displayName}
      address={address}
    >
      {access === 'owner' && (
        <>
          <MenuItem
            icon={<SettingsIcon />}
            render={<Link to="/$address/settings/account" params={{ address }} />}
          >
            Settings
          </MenuItem>
          <MenuSeparator />
        </>
      )}
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
            {other.shared !== null && <span className="shrink-0 text-xs text-muted">shared</span>}
            {accounts.indexOf(other) < MOST_KEYS && (
              <span aria-hidden="true" className="shrink-0 text-xs text-muted">
                g {accounts.indexOf(other) + 1}
              </span>
            )}
          </span>
        </MenuItem>
      ))}
      <MenuItem icon={<PlusIcon />} render={<Link to="/sign-in" search={{ compose: '' }} />}>
        Add mailbox
      </MenuItem>
      {access === 'owner' && (
        <>
          <MenuSeparator />
          <MenuItem icon={<SignOutIcon />} onClick={() => void signOut(mailbox)}>
            Sign out
          </MenuItem>
        </>
      )}
    </AccountMenu>
  );
}

/** Signs out of one mailbox. Other mailboxes stay signed in. */
async function signOut(mailbox: string): Promise<void> {
  // Delete the data on this device first, so that no data stays even if the request fails.
  await forgetDevice(mailbox).catch(() => undefined);
  await endSession(
    () => api.DELETE('/mailboxes/{mailbox}/session', { params: { path: { mailbox } } }),
    '/mail',
  );
}
