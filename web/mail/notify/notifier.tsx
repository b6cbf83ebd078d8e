import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useCallback, useEffect, useRef } from 'react';
import { dataOf } from '../../api/client.ts';
import { api } from '../../api/mail.ts';
import type { ConversationRow } from '../../../src/contract/mail/conversations.ts';
import { toastFailure } from '../../ui/toast.tsx';
import { useMailbox } from '../shell/session.ts';
import type { OpenConversation } from '../push/names.ts';
import { renew } from '../push/push.ts';
import { NEEDS_COPY, notify, type BackgroundNotice } from './notify.ts';

/** The maximum number of notifications. Mail in more conversations causes a single notification with the number of conversations. */
const MAX_NOTIFICATIONS = 3;
const CHECK_MS = 60_000;

interface NotifierProps {
  mailbox: string;
  /** Whether notifications may show the sender and subject. */
  withContent: boolean;
  /** Whether this browser is subscribed to notifications, which its service worker shows. */
  isPushed: boolean;
}

/**
 * Notifies the user of new mail in the Inbox while another tab or window is in front. Mail received before the page was
 * opened is not new.
 */
export default function Notifier({ mailbox, withContent, isPushed }: NotifierProps) {
  const { address } = useMailbox();
  const navigate = useNavigate();
  const newest = useRef<string | null>(null);
  /** The number of unread messages at the last completed check. */
  const checkedAt = useRef<number | undefined>(undefined);
  const hasFailed = useRef(false);
  const open = useCallback(
    (conversation: string) =>
      void navigate({
        to: '/$address/$folder/$conversation',
        params: { address, folder: 'inbox', conversation },
      }),
    [address, navigate],
  );
  const { data: folders } = useQuery({
    queryKey: ['folders', mailbox],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/mailboxes/{mailbox}/folders', { params: { path: { mailbox } }, signal })),
    staleTime: CHECK_MS,
  });
  const inbox = folders?.data.find(({ role }) => role === 'inbox');
  const { id: folder, unread } = inbox ?? {};
  useEffect(() => {
    // New mail changes the number of unread messages, so an unchanged number needs no check.
    if (isPushed || folder === undefined || unread === checkedAt.current) return;
    checkedAt.current = undefined;
    const end = new AbortController();
    const check = async () => {
      const { data } = await dataOf(
        api.GET('/mailboxes/{mailbox}/conversations', {
          params: { path: { mailbox }, query: { folder, limit: 10 } },
          signal: end.signal,
        }),
      );
      end.signal.throwIfAborted();
      checkedAt.current = unread;
      const since = newest.current;
      newest.current = data[0]?.newest_at ?? '';
      if (since === null || document.hasFocus()) return;
      const fresh = data.filter((row) => row.unread > 0 && row.newest_at > since);
      for (const { conversation, ...notice } of noticesOf(fresh, withContent, address)) {
        const path = `/mail/${encodeURIComponent(address)}/inbox/${conversation}`;
        const isShown = await notify({ ...notice, data: { path, conversation } }, () => {
          window.focus();
          open(conversation);
        });
        if (isShown || hasFailed.current) continue;
        hasFailed.current = true;
        toastFailure(NEEDS_COPY);
      }
    };
    check().catch(() => undefined);
    return () => end.abort();
  }, [mailbox, folder, unread, withContent, isPushed, address, open]);
  useEffect(() => {
    if (isPushed) renew(mailbox, withContent ? 'content' : 'bare').catch(() => undefined);
  }, [mailbox, withContent, isPushed]);
  useEffect(() => {
    if (!('serviceWorker' in navigator)) return undefined;
    // The worker reports a click on a notification that the worker has shown.
    const onMessage = ({ data }: MessageEvent<Partial<OpenConversation>>) => {
      if (data.conversation !== undefined && data.conversation !== '') open(data.conversation);
    };
    navigator.serviceWorker.addEventListener('message', onMessage);
    return () => navigator.serviceWorker.removeEventListener('message', onMessage);
  }, [open]);
  return null;
}

/** The notifications to show: one per conversation, or one for all if there are many conversations. */
function noticesOf(
  fresh: readonly ConversationRow[],
  withContent: boolean,
  address: string,
): (Omit<BackgroundNotice, 'data'> & { conversation: string })[] {
  const [first] = fresh;
  if (first === undefined) return [];
  if (!withContent || fresh.length > MAX_NOTIFICATIONS) {
    const title = fresh.length === 1 ? 'New mail' : `New mail in ${fresh.length} conversations`;
    return [{ title, body: address, tag: address, conversation: first.id }];
  }
  return fresh.map(({ id, from: writers, subject }) => {
    const from = writers.at(-1);
    return { title: from?.name ?? from?.address ?? 'New mail', body: subject, tag: id, conversation: id };
  });
}
