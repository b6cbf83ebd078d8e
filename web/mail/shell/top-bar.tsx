import { Button, IconButton } from '../../ui/button.tsx';
import { MenuIcon, PenIcon } from '../../ui/icons.tsx';
import { SearchBox } from '../reading/search-box.tsx';
import { AccountMenu } from './account-menu.tsx';
import { useCompose } from './compose.ts';
import { isMenuOpen } from './state.ts';

export function TopBar() {
  const compose = useCompose();
  return (
    <header className="flex h-13 items-center gap-2 border-b border-line bg-page px-3 sm:px-4">
      <IconButton
        label="Folders"
        className="lg:hidden"
        aria-haspopup="dialog"
        onClick={() => isMenuOpen.set(true)}
      >
        <MenuIcon />
      </IconButton>
      <div className="min-w-0 flex-1">
        <SearchBox />
      </div>
      {/* Where there is room it stands above the folders. */}
      <Button kind="primary" icon={<PenIcon />} className="lg:hidden" onClick={() => compose()}>
        <span className="max-sm:sr-only">Compose</span>
      </Button>
      <AccountMenu />
    </header>
  );
}
