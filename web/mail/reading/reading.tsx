/** What belongs to reading beside the pages: changes as they come, the title, the icon, keys that work everywhere. */
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { useCompose } from '../shell/compose.ts';
import { useAccounts, useMailbox } from '../shell/session.ts';
import { undoLast } from './actions.ts';
import { catchUp } from './catch-up.ts';
import { listen } from './events.ts';
import { useFolders } from './folders.ts';
import { useKeys } from './keys.ts';
import { choosing } from './move.ts';
import { useUnreadIcon } from './unread-icon.ts';
import { useWatched } from '../../ui/watched.ts';

const Help = lazy(() => import('./help.tsx'));
const FolderDialog = lazy(() => import('./folder-dialog.tsx'));

export function Reading() {
  const { mailbox, address } = useMailbox();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const compose = useCompose();
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  const choice = useWatched(choosing);
  const folders = useFolders();
  useEffect(
    () => listen(mailbox, () => void catchUp(queries, mailbox).catch(() => undefined)),
    [queries, mailbox],
  );
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
        title: 'Go to a folder',
        onChoose: (slug) => go(slug)(),
      }),
  });
  return (
    <Suspense fallback={null}>
      {isHelpOpen && <Help onClose={() => setIsHelpOpen(false)} />}
      {choice !== null && <FolderDialog choice={choice} onClose={() => choosing.set(null)} />}
    </Suspense>
  );
}
