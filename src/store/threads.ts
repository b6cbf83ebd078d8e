/** Groups the messages in a mailbox into conversations. */
import { hash } from 'node:crypto';
import { newUuid } from '../model/ids.ts';
import type { MessageFacts } from './facts/message-facts.ts';

/** The facts that determine the conversation of a message. */
type ThreadFacts = Pick<
  MessageFacts,
  'messageId' | 'references' | 'subject' | 'baseSubject' | 'from' | 'to' | 'event'
>;

/**
 * How many references of a message are used: the first and the most recent ones. There is a limit because in a long conversation, each
 * message refers to all earlier messages.
 */
const MAX_REFERENCES = 10;
/** The number of recipients considered when the original of a reply without references is found by its subject. */
const MAX_RECIPIENTS = 5;

export interface ThreadLinks {
  /** A message found by one of these links is in the same thread. The first match wins. */
  looksFor: string[];
  /** The links by which other messages find this message. */
  isFoundBy: string[];
}

/**
 * Links are hashes, so that a mailbox stores only a few bytes for each link, however long a Message-ID is. The hashes are cryptographic, so
 * that senders cannot create collisions.
 */
export function threadLinksOf(facts: ThreadFacts): ThreadLinks {
  const { messageId, references, subject, baseSubject, from, to, event } = facts;
  const near =
    references.length > MAX_REFERENCES
      ? [...references.slice(0, 1), ...references.slice(1 - MAX_REFERENCES)]
      : references;
  // The most recent reference comes first: it names the message that is replied to.
  const named = [...near.toReversed(), ...(messageId === null ? [] : [messageId])].map((id) =>
    linkOf('id', id),
  );
  // The invitation to an event, its updates and its cancellation do not refer to each other.
  const ofEvent = event === null ? [] : [linkOf('event', event.uid)];
  const author = from[0]?.address.toLowerCase();
  const subjectOf = (address: string): string => linkOf('subject', `${address.toLowerCase()} ${baseSubject}`);
  const isFoundBy = [
    ...named,
    ...ofEvent,
    ...(author === undefined || baseSubject === '' ? [] : [subjectOf(author)]),
  ];
  // Some mail apps send replies without references: only the subject links them.
  const isAnswer = references.length === 0 && baseSubject !== '' && isPrefixed(subject, baseSubject);
  const others = [author, ...to.slice(0, MAX_RECIPIENTS).map(({ address }) => address)];
  const answered = isAnswer
    ? others.flatMap((address) => (address === undefined ? [] : [subjectOf(address)]))
    : [];
  return { looksFor: [...new Set([...named, ...ofEvent, ...answered])], isFoundBy: [...new Set(isFoundBy)] };
}

/** Whether the subject has a prefix that ends with a colon: `Re: order` for the base subject `order`. */
function isPrefixed(subject: string, baseSubject: string): boolean {
  return subject.length > baseSubject.length && /^\s*\p{L}{1,5}(\[\d+\])?\s*:/u.test(subject);
}

function linkOf(kind: 'id' | 'subject' | 'event', text: string): string {
  const hex = hash('sha256', `${kind} ${text}`).slice(0, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The thread that a message continues. @param known the thread of each link */
export function threadOf({ looksFor }: ThreadLinks, known: ReadonlyMap<string, string>): string | undefined {
  const found = looksFor.find((link) => known.has(link));
  return found === undefined ? undefined : known.get(found);
}

/**
 * Finds the thread of a message and adds its links so that later messages find it.
 * @param known the thread of each link; updated by this function
 */
export function joinThread(links: ThreadLinks, known: Map<string, string>): string {
  const threadId = threadOf(links, known) ?? newUuid();
  for (const link of links.isFoundBy) if (!known.has(link)) known.set(link, threadId);
  return threadId;
}
