import { Link, Outlet } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { classes } from '../../../ui/classes.ts';
import { useMailbox } from '../../shell/session.ts';

/** The settings of the mailbox, each on its own page. */
export default function SettingsPage() {
  return (
    <div className="mx-auto max-w-4xl gap-8 px-4 pt-6 pb-16 sm:px-6 md:grid md:grid-cols-[11rem_minmax(0,1fr)]">
      <SettingsMenu />
      <div className="min-w-0">
        <Outlet />
      </div>
    </div>
  );
}

/** The names of the settings pages, by their path below `/<address>/settings`. */
const PAGES = [
  ['account', 'Account'],
  ['sharing', 'Sharing'],
  ['rules', 'Rules'],
  ['vacation', 'Vacation'],
  ['forwarding', 'Forwarding'],
  ['blocked', 'Blocked senders'],
  ['safe', 'Safe senders'],
  ['folders', 'Folders'],
  ['labels', 'Labels'],
  ['file-links', 'File links'],
  ['writing', 'Writing'],
  ['reading', 'Reading'],
  ['notifications', 'Notifications'],
] as const;

function SettingsMenu() {
  const { address } = useMailbox();
  const list = useRef<HTMLUListElement>(null);
  // In narrow windows the menu is a line wider than the window, so it is scrolled to the current page.
  useEffect(() => {
    list.current
      ?.querySelector('[aria-current=page]')
      ?.scrollIntoView({ block: 'nearest', inline: 'center' });
  });
  return (
    <nav aria-label="Settings" className="mb-6 md:sticky md:top-6 md:self-start">
      {/* The line extends to the edges of the window and fades out there, which shows that it scrolls. */}
      <ul
        ref={list}
        className="flex gap-0.5 overflow-x-auto max-md:-mx-4 max-md:scroll-px-4 max-md:mask-x-from-[calc(100%-1rem)] max-md:px-4 max-md:[scrollbar-width:none] sm:max-md:-mx-6 sm:max-md:px-6 md:grid"
      >
        {PAGES.map(([path, name]) => (
          <li key={path}>
            <Link
              to={`/$address/settings/${path}`}
              params={{ address }}
              className={classes(
                'flex h-10 items-center rounded-md px-2.5 font-medium whitespace-nowrap text-muted transition-colors duration-75 sm:h-8',
                'hover:bg-hover hover:text-text aria-[current=page]:bg-selected aria-[current=page]:text-accent',
              )}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
