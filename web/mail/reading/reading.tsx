/** The parts of reading mail that all pages share: live changes, the title, the icon, and global keyboard shortcuts. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useState } from 'react';
import { lazyPart } from '../../shell/code.ts';
import { useCompose } from '../shell/compose.ts';
import { useAccounts, useMailbox } from '../shell/session.ts';
import { undoLast } from './actions.ts';
import { catchUp } from './catch-up.ts';
import { listen } from './events.ts';
import { slugOf, useFolders } from './folders.ts';
import { useKeys } from '../../shell/keys.ts';
import { choosing } from './move.ts';
import { TriageDialogs } from './triage-dialogs.tsx';
import { useWatched, watched } from '../../ui/watched.ts';

const MOST = 99;

const Help = lazyPart(() => import('./help.tsx'));
const FolderDialog = lazyPart(() => import('./folder-dialog.tsx'));

export function Reading() {
  const { mailbox, address, own } = useMailbox();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const compose = useCompose();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const choice = useWatched(choosing);
  const folders = useFolders();
  useEffect(() => {
    const update = (of: string) => () => void catchUp(queries, of).catch(() => undefined);
    // The mailboxes may have changed since they were last open. Another tab may be listening already, and then reports only later changes.
    for (const each of new Set([mailbox, own])) update(each)();
    const ends = [listen(mailbox, update(mailbox))];
    // The menu also shows the user's own folders.
    if (own !== mailbox) ends.push(listen(own, update(own), watched<boolean | null>(null)));
    return () => {
      for (const end of ends) end();
    };
  }, [queries, mailbox, own]);
  useUnreadIcon(folders?.find(({ role }) => role === 'inbox')?.unread ?? 0);
  const accounts = useAccounts();
  const go = (folder: string) => () =>
    void navigate({ to: '/$address/$folder', params: { address, folder } });
  useKeys({
    '?': () => setIsHelpOpen(true),
    c: () => compose({}),
    z: () => undoLast(),
    'g i': go('inbox'),
    'g t': go('sent'),
    'g d': go('drafts'),
    'g a': go('archive'),
    'g s': () =>
      void navigate({
        to: '/$address/$folder',
        params: { address, folder: 'search' },
        search: { q: 'is:starred' },
      }),
    ...Object.fromEntries(
      accounts.slice(0, 9).map((account, at) => [
        `g ${at + 1}`,
        () =>
          void navigate({
            to: '/$address/$folder',
            params: { address: account.address, folder: 'inbox' },
            search: { compose: '' },
          }),
      ]),
    ),
    'g l': () =>
      choosing.set({
        title: 'Go to folder',
        onChoose: (folder) => go(slugOf(folder))(),
      }),
  });
  return (
    <Suspense fallback={null}>
      <TriageDialogs />
      {isHelpOpen && <Help onClose={() => setIsHelpOpen(false)} />}
      {choice !== null && <FolderDialog choice={choice} onClose={() => choosing.set(null)} />}
    </Suspense>
  );
}

/** Shows the number of unread messages in the tab's icon, as in the title. */
function useUnreadIcon(unread: number): void {
  useEffect(() => {
    // The icon of the installed web client.
    void navigator.setAppBadge?.(unread).catch(() => undefined);
    const link = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (link === null) return;
    link.dataset['plain'] ??= link.href;
    link.href =
      unread === 0 ? link.dataset['plain'] : `data:image/svg+xml,${encodeURIComponent(icon(unread))}`;
  }, [unread]);
}

function icon(unread: number): string {
  const text = unread > MOST ? `${MOST}+` : String(unread);
  const size = { 1: 12, 2: 10, 3: 8 }[text.length] ?? 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="4" fill="#1d5bd6"/><text x="8" y="${8 + size * 0.36}" font-family="sans-serif" font-size="${size}" font-weight="700" text-anchor="middle" fill="#fff">${text}</text></svg>`;
}
