import { type QueryClient, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ConversationRow } from '../../../../src/contract/mail/conversations.ts';
import { conversationQuery, messageQuery } from '../../reading/queries.ts';
import type { Rows } from '../../reading/rows.ts';
import { useMailbox } from '../../shell/session.ts';

/** A user who stays at a row for this long may open the row or a row near it. */
const REST_MS = 120;
const AROUND = [0, 1, -1, 2];

/** Prefetches the conversations around a row, so that they open without delay. */
export function usePrefetch(rows: Rows<ConversationRow>, index: number): void {
  const queries = useQueryClient();
  const { mailbox } = useMailbox();
  const row = rows.at(index)?.id;
  useEffect(() => {
    if (row === undefined) return undefined;
    const timer = setTimeout(() => {
      for (const each of AROUND.flatMap((step) => rows.at(index + step) ?? []))
        prefetch(queries, mailbox, each);
    }, REST_MS);
    return () => clearTimeout(timer);
  }, [queries, mailbox, rows, index, row]);
}

/** Prefetches a conversation and its newest message if they are not cached. */
export function prefetch(queries: QueryClient, mailbox: string, { id, message_ids }: ConversationRow): void {
  void queries.prefetchInfiniteQuery(conversationQuery(mailbox, id));
  const [newest] = message_ids;
  if (newest !== undefined) void queries.prefetchQuery(messageQuery(mailbox, newest));
}
