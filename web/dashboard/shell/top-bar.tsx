import { Link } from '@tanstack/react-router';
import { IconButton } from '../../ui/button.tsx';
import { BookIcon, HelpIcon, MenuIcon, SearchIcon, SignOutIcon, UserIcon } from '../../ui/icons.tsx';
import { Kbd } from '../../ui/kbd.tsx';
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../ui/menu.tsx';
import { Mark } from '../../ui/mark.tsx';
import { useSession } from './session.ts';
import { signOut } from './sign-out.ts';
import { overlay } from './state.ts';

const isApple = /Mac|iPhone|iPad/.test(navigator.platform);

export function TopBar() {
  return (
    <header className="sticky top-0 z-10 flex h-13 items-center gap-2 border-b border-line bg-page px-3 sm:px-6">
      <IconButton
        label="Menu"
        className="lg:hidden"
        aria-haspopup="dialog"
        onClick={() => overlay.set('menu')}
      >
        <MenuIcon />
      </IconButton>
      <Link to="/" aria-label="Posthorn, Start" className="rounded-md lg:hidden">
        <Mark />
      </Link>
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
    </header>
  );
}

function UserMenu() {
  const { user } = useSession();
  return (
    <Menu
      trigger={
        <button
          type="button"
          className="grid size-8 place-items-center rounded-full bg-quiet-soft text-xs font-semibold text-muted uppercase hover:text-text"
        >
          <span className="sr-only normal-case">Account of {user.name}</span>
          <span aria-hidden="true">{initials(user.name)}</span>
        </button>
      }
    >
      <MenuLabel>
        <span className="block text-base font-medium text-text">{user.name}</span>
        {user.email}
      </MenuLabel>
      <MenuSeparator />
      <MenuItem icon={<UserIcon />} render={<Link to="/account" />}>
        Account
      </MenuItem>
      <MenuItem icon={<BookIcon />} onClick={() => location.assign('/docs')}>
        Documentation
      </MenuItem>
      <MenuItem icon={<HelpIcon />} onClick={() => overlay.set('help')}>
        Keys
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<SignOutIcon />} onClick={() => void signOut()}>
        Sign out
      </MenuItem>
    </Menu>
  );
}

function initials(name: string): string {
  const words = name.split(/\s+/).filter(Boolean);
  return [words[0], words.length > 1 ? words.at(-1) : undefined]
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('');
}
