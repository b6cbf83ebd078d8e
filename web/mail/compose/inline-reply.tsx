import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useRef, useSyncExternalStore } from 'react';
import type { MailMessageSummary } from '../../../src/contract/mail/conversations.ts';
import { useMailbox } from '../shell/session.ts';
import { inlineSlot } from './open-drafts.ts';

const WIDE = matchMedia('(width >= 700px)');

/** The foot of a conversation, where its replies are written. A draft of the conversation is opened here, so that writing continues. */
export function InlineReply({ messages }: { messages: readonly MailMessageSummary[] }) {
  const { access } = useMailbox();
  const navigate = useNavigate();
  const { inline = '', compose = '' } = useSearch({ strict: false });
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

  const begin = useEffectEvent(() => {
    const draft = messages.findLast((message) => message.draft)?.id;
    if (draft === undefined || access !== 'owner' || !isWide || inline !== '' || compose.includes(draft))
      return;
    void navigate({
      to: '.',
      replace: true,
      search: (before: Readonly<Record<string, string>>) => ({ ...before, inline: draft }),
    });
  });
  useEffect(() => begin(), []);
  return <div ref={place} />;
}
