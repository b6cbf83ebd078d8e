/** The frame around the pages of an application: a top bar, and a menu beside the pages (above the pages on narrow screens). */
import type { ComponentType, ReactNode } from 'react';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { MenuIcon } from '../ui/icons.tsx';
import { Modal } from '../ui/modal.tsx';
import { Skeleton } from '../ui/skeleton.tsx';
import { useWatched, watched } from '../ui/watched.ts';
import { ConnectionBanner } from './banner.tsx';

/** Whether the menu is open above the page, on screens too narrow for both the menu and the page. */
const isMenuOpen = watched(false);

const COLUMNS = 'lg:grid lg:grid-cols-[15rem_minmax(0,1fr)]';

/** The class names of the frame and its parts. */
interface FrameLayout {
  frame: string;
  menu: string;
  column: string;
  page: string;
}

/** A layout in which the whole document scrolls. */
export const DOCUMENT_SCROLLS: FrameLayout = {
  frame: '',
  menu: 'sticky top-0',
  column: 'min-w-0',
  page: '',
};
/** A layout in which only the page scrolls, within a fixed frame. */
export const PAGE_SCROLLS: FrameLayout = {
  frame: 'h-dvh',
  menu: '',
  column: 'grid h-dvh min-w-0 grid-rows-[auto_auto_minmax(0,1fr)]',
  page: 'min-h-0 overflow-y-auto',
};

interface FrameProps {
  layout: FrameLayout;
  /** The menu. The component gets `onChoose` if the menu is open above the page and must close once the user has chosen a page. */
  menu: ComponentType<{ onChoose?: () => void }>;
  /** The label of the menu when it is open above the page. */
  menuName: string;
  /** The label of the menu beside the page. */
  asideName?: string;
  topBar: ReactNode;
  banners: ReactNode;
  /** The class name of the page. */
  className?: string;
  children: ReactNode;
}

export function Frame({
  layout,
  menu: Menu,
  menuName,
  asideName = menuName,
  topBar,
  banners,
  className,
  children,
}: FrameProps) {
  const isOpen = useWatched(isMenuOpen);
  const close = () => isMenuOpen.set(false);
  return (
    <>
      <a
        href="#content"
        className="fixed top-2 left-2 z-30 -translate-y-20 rounded-md bg-raised px-3 py-2 shadow-high focus:translate-y-0"
      >
        Skip to the content
      </a>
      <div className={classes(layout.frame, COLUMNS)}>
        <aside
          aria-label={asideName}
          className={classes(layout.menu, 'hidden h-dvh border-r border-line bg-panel lg:block')}
        >
          <Menu />
        </aside>
        <div className={layout.column}>
          {topBar}
          <div>{banners}</div>
          <main id="content" tabIndex={-1} className={classes(layout.page, className)}>
            {children}
          </main>
        </div>
      </div>
      {isOpen && (
        <Modal
          aria-label={menuName}
          onClose={close}
          className="fixed inset-y-0 right-auto left-0 h-dvh w-72 max-w-[85vw] overflow-y-auto bg-panel starting:-translate-x-full"
        >
          <Menu onChoose={close} />
        </Modal>
      )}
    </>
  );
}

interface TopBarProps {
  /** The label of the button that opens the menu on narrow screens. */
  menuName: string;
  className: string;
  children: ReactNode;
}

export function TopBar({ menuName, className, children }: TopBarProps) {
  return (
    <header className={classes('flex h-13 items-center gap-2 border-b border-line bg-page px-3', className)}>
      <IconButton
        label={menuName}
        className="lg:hidden"
        aria-haspopup="dialog"
        onClick={() => isMenuOpen.set(true)}
      >
        <MenuIcon />
      </IconButton>
      {children}
    </header>
  );
}

interface WaitingProps {
  /** The element above the placeholder lines of the menu. */
  head: ReactNode;
  menuLines: number;
  topBar?: ReactNode;
  /** The class name of the page. */
  className: string;
  children: ReactNode;
}

/** The frame before the session is loaded, with every part in its final position, so that nothing moves later. */
export function Waiting({ head, menuLines, topBar, className, children }: WaitingProps) {
  return (
    <div className={COLUMNS}>
      <div className="hidden h-dvh border-r border-line bg-panel px-3 lg:block">
        {head}
        <div className="grid gap-3.5 px-2 pt-3">
          {Array.from({ length: menuLines }, (_, at) => (
            <Skeleton key={at} className="h-4.5 w-24" />
          ))}
        </div>
      </div>
      <div>
        <div className="h-13 border-b border-line">{topBar}</div>
        <ConnectionBanner />
        <main className={className}>{children}</main>
      </div>
    </div>
  );
}
