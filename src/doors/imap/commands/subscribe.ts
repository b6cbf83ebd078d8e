import { type TaggedResponse, RESPONSES, ok } from '../responses.ts';
import type { SignedInSession } from '../session.ts';
import type { Named } from './entry.ts';

/** SUBSCRIBE and UNSUBSCRIBE (RFC 9051, sections 6.3.7 and 6.3.8). SUBSCRIBE rejects names without a mailbox, unless already subscribed. */
export async function subscribe(
  session: SignedInSession,
  { name, mailbox }: Named<'SUBSCRIBE' | 'UNSUBSCRIBE'>,
): Promise<TaggedResponse> {
  const isSubscribing = name === 'SUBSCRIBE';
  const { store } = session.services;
  const folder = await session.findFolder(mailbox);
  // Each member has their own subscriptions. The flag of a shared folder is that of the owner.
  const isDone =
    folder !== null && folder.account.grant !== null
      ? await store.subscribeShared(session.mailbox, folder.account.prefix + folder.name, isSubscribing)
      : await store.subscribe(session.mailbox, mailbox, isSubscribing);
  return isDone ? ok(isSubscribing ? 'Subscribed' : 'Unsubscribed') : RESPONSES.noMailbox;
}
