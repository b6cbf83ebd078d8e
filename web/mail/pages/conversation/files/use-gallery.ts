import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { MailMessage } from '../../../../../src/contract/mail/messages.ts';
import { conversationQuery, messageQuery } from '../../../reading/queries.ts';
import { useMailbox } from '../../../shell/session.ts';

export interface GalleryItem {
  /** The id of the message. */
  message: string;
  file: MailMessage['attachments'][number];
}

/** At most this many messages of the conversation are loaded for the gallery. */
const MAX_MESSAGES = 50;

/**
 * The images and PDFs of the conversation, in its order. The files of other messages are added as the messages are loaded, one after the
 * other.
 * @param message the message from which the gallery is opened. The gallery of an attached message has only its own files
 */
export function useGallery(message: MailMessage): GalleryItem[] {
  const { mailbox } = useMailbox();
  const queries = useQueryClient();
  const { id, part, conversation } = message;
  const [messages, setMessages] = useState<readonly MailMessage[]>([message]);
  useEffect(() => {
    if (part != null) return;
    let isOver = false;
    const all =
      queries
        .getQueryData(conversationQuery(mailbox, conversation).queryKey)
        ?.pages.flatMap((page) => page.messages)
        .filter((each) => each.files > 0 || each.id === id) ?? [];
    const from = Math.max(0, all.findIndex((each) => each.id === id) - MAX_MESSAGES / 2);
    const near = all.slice(from, from + MAX_MESSAGES);
    const load = async (): Promise<void> => {
      const found = new Map<string, MailMessage>();
      for (const each of near) {
        const loaded = await queries.ensureQueryData(messageQuery(mailbox, each.id)).catch(() => null);
        if (isOver) return;
        if (loaded !== null) found.set(each.id, loaded);
        // The order stays that of the conversation, also before the message of the gallery is reached.
        setMessages(near.flatMap((one) => found.get(one.id) ?? (one.id === id ? [message] : [])));
      }
    };
    void load();
    return () => {
      isOver = true;
    };
  }, [queries, mailbox, conversation, id, part, message]);
  return messages.flatMap((each) =>
    each.attachments
      .filter(({ preview, is_inline }) => !is_inline && (preview === 'image' || preview === 'pdf'))
      .map((file) => ({ message: each.id, file })),
  );
}
