import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useWatched } from '../../ui/watched.ts';
import { isLive } from '../reading/events.ts';
import { replay } from './replay.ts';

const AGAIN_MS = 15_000;

/** Sends what is queued for the mailbox when the connection is back, and from time to time, because browsers notice late. */
export default function Outbox({ mailbox }: { mailbox: string }) {
  const queries = useQueryClient();
  const live = useWatched(isLive);
  useEffect(() => {
    const send = () => {
      if (navigator.onLine) void replay(queries, mailbox).catch(() => undefined);
    };
    // Also when the events of the mailbox are received again.
    if (live !== false) send();
    const timer = setInterval(send, AGAIN_MS);
    window.addEventListener('online', send);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', send);
    };
  }, [queries, mailbox, live]);
  return null;
}
