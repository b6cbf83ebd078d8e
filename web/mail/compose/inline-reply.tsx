import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import type { MailMessageSummary } from '../../../src/contract/mail/conversations.ts';
import { useMailbox } from '../shell/session.ts';
import { inlineSlot, openDrafts } from './open-drafts.ts';

const WIDE = matchMedia('(width >= 700px)');

/** The foot of a conversation, where its replies are written. A draft of the conversation is opened here, so that writing continues. */
export function InlineReply({ messages }: { messages: readonly MailMessageSummary[] }) {
  const { access } = useMailbox();
  const navigate = useNavigate();
  const { inline = '' } = useSearch({ strict: false });
  const place = useRef<HTMLDivElement>(null);
  const isWide = useSyncExternalStore(
    (changed) => {
      WIDE.addEventListener('change', changed);
      return () => WIDE.removeEventListener('change', changed);
    },
    () => WIDE.matches,
  );
  const ids = messages.map(({ id }) => id).join();
  useEffect(() => {
    const element = place.current;
    if (element === null || !isWide) return undefined;
    inlineSlot.set({ element, messages: new Set(ids.split(',')) });
    return () => inlineSlot.set(null);
  }, [ids, isWide]);

  // At most one draft is opened, and none once a reply was begun, so that a draft that the user closes stays closed. The draft of a reply
  // that was left a moment ago appears only when it is saved.
  const isDone = useRef(false);
  const newest = messages.findLast(({ draft }) => draft)?.id;
  const begin = useEffectEvent((draft: string) => {
    const isOpen = openDrafts.get().some(({ ids: known }) => known.includes(draft));
    if (isDone.current || isOpen || access !== 'owner' || !isWide) return;
    isDone.current = true;
    void navigate({
      to: '.',
      replace: true,
      search: (before: Readonly<Record<string, string>>) => ({ ...before, inline: draft }),
    });
  });
  useEffect(() => {
    if (inline !== '') isDone.current = true;
    else if (newest !== undefined) begin(newest);
  }, [inline, newest]);
  return <div ref={place} />;
}
