import { Link } from '@tanstack/react-router';
import { AccountMenu } from '../../shell/account-menu.tsx';
import { TopBar as Bar } from '../../shell/frame.tsx';
import { BookIcon, HelpIcon, SearchIcon, SignOutIcon, UserIcon } from '../../ui/icons.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { MenuItem, MenuSeparator } from '../../ui/menu.tsx';
import { Mark } from '../../ui/mark.tsx';
import { signOut } from './enter.ts';
import { FaultInTopBar } from './health.tsx';
import { useSession } from './session.ts';
import { overlay } from './state.ts';

export const MENU_NAME = 'Menu';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

export function TopBar() {
  return (
    <Bar menuName={MENU_NAME} className="sticky top-0 z-10 sm:px-6">
      <Link to="/" aria-label="Posthorn, Start" className="rounded-md lg:hidden">
        <Mark />
      </Link>
      <FaultInTopBar className="lg:hidden" />
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K"
        onClick={() => overlay.set('palette')}
        className="ml-auto flex h-9 items-center gap-2 rounded-md px-2.5 text-muted transition-colors duration-100 hover:bg-hover hover:text-text sm:h-8 sm:w-72 sm:border sm:border-line sm:bg-panel lg:ml-0"
      >
        <SearchIcon />
        <span className="max-sm:sr-only">Go to…</span>
        <span aria-hidden="true" className="ml-auto hidden gap-1 sm:flex">
          <Kbd>{isApple ? '⌘' : 'Ctrl'}</Kbd>
          <Kbd>K</Kbd>
        </span>
      </button>
      <div className="flex items-center gap-1 lg:ml-auto">
        <UserMenu />
      </div>
    </Bar>
  );
}

function UserMenu() {
  const { user } = useSession();
  return (
    <AccountMenu
      label={`Account of ${user.name}`}
      initials={initials(user.name)}
      name={user.name}
      address={user.email}
    >
      <MenuSeparator />
      <MenuItem icon={<UserIcon />} render={<Link to="/account" />}>
        Account
      </MenuItem>
      <MenuItem icon={<BookIcon />} onClick={() => location.assign('/docs')}>
        Documentation
      </MenuItem>
      <MenuItem icon={<HelpIcon />} onClick={() => overlay.set('help')}>
        Keyboard shortcuts
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<SignOutIcon />} onClick={() => void signOut()}>
        Sign out
      </MenuItem>
    </AccountMenu>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('');
}
