import { type TaggedResponse, RESPONSES, ok } from '../responses.ts';
import type { OwnSession } from '../session.ts';
import type { Named } from './entry.ts';

/** SUBSCRIBE and UNSUBSCRIBE (RFC 9051, sections 6.3.7 and 6.3.8). Nothing is subscribed that there is not and was not. */
export async function subscribe(
  session: OwnSession,
  { name, mailbox }: Named<'SUBSCRIBE' | 'UNSUBSCRIBE'>,
): Promise<TaggedResponse> {
  const isSubscribing = name === 'SUBSCRIBE';
  const isDone = await session.services.store.subscribe(session.mailbox, mailbox, isSubscribing);
  return isDone ? ok(isSubscribing ? 'Subscribed' : 'Unsubscribed') : RESPONSES.noMailbox;
}
