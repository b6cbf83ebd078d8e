import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import type { ConversationRow } from '../../api/mail-schema.ts';
import { useMailbox } from '../shell/session.ts';

/** Of more there is one that counts them. */
const MOST = 3;
const LOOK_MS = 60_000;

interface NotifierProps {
  mailbox: string;
  /** Whether who writes, and the subject, may be shown. */
  withContent: boolean;
}

/** Tells of new mail in the Inbox whoever looks at something else. What was there when the page was opened is not new. */
export default function Notifier({ mailbox, withContent }: NotifierProps) {
  const { address } = useMailbox();
  const navigate = useNavigate();
  const newest = useRef<string | null>(null);
  const known = useRef<number | undefined>(undefined);
  const { data: folders } = useQuery({
    queryKey: ['folders', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/folders', { params: { path: { mailbox } }, signal })),
    staleTime: LOOK_MS,
  });
  const inbox = folders?.data.find(({ role }) => role === 'inbox');
  const { id: folder, unread } = inbox ?? {};
  useEffect(() => {
    // Mail that comes changes the number.
    if (folder === undefined || unread === known.current) return;
    known.current = unread;
    const end = new AbortController();
    const look = async () => {
      const { data } = await dataOf(
        api.GET('/mailboxes/{mailbox}/conversations', {
          params: { path: { mailbox }, query: { folder, limit: 10 } },
          signal: end.signal,
        }),
      );
      const since = newest.current;
      newest.current = data[0]?.newest_at ?? '';
      if (since === null || document.hasFocus()) return;
      const fresh = data.filter((row) => row.unread > 0 && row.newest_at > since);
      notify(fresh, withContent, address, (row) => {
        window.focus();
        void navigate({
          to: '/$address/$folder/$conversation',
          params: { address, folder: 'inbox', conversation: row.id },
        });
      });
    };
    look().catch(() => undefined);
    return () => end.abort();
  }, [mailbox, folder, unread, withContent, address, navigate]);
  return null;
}

function notify(
  fresh: readonly ConversationRow[],
  withContent: boolean,
  address: string,
  open: (row: ConversationRow) => void,
): void {
  const [first] = fresh;
  if (first === undefined) return;
  if (!withContent || fresh.length > MOST) {
    const words = fresh.length === 1 ? 'New mail' : `New mail in ${fresh.length} conversations`;
    show(words, address, address, () => open(first));
    return;
  }
  for (const row of fresh) {
    const from = row.from.at(-1);
    show(from?.name ?? from?.address ?? 'New mail', row.subject, row.id, () => open(row));
  }
}

/** @param tag of several tabs that say the same, one is shown */
function show(title: string, body: string, tag: string, onOpen: () => void): void {
  const shown = new Notification(title, { body, tag, icon: '/docs/icon.svg' });
  shown.addEventListener('click', () => {
    onOpen();
    shown.close();
  });
}
