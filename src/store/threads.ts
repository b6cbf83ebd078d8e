/** Which messages of a mailbox are one conversation. */
import { hash } from 'node:crypto';
import { newUuid } from '../model/ids.ts';
import type { MessageFacts } from './facts/message-facts.ts';

/** What says to which conversation a message belongs. */
type ThreadFacts = Pick<MessageFacts, 'messageId' | 'references' | 'subject' | 'baseSubject' | 'from' | 'to'>;

/** Of the references, the first and the last so many count. A long conversation names all its messages in each of them. */
const MAX_REFERENCES = 10;
/** Recipients whose subjects an answer without references is looked for among. */
const MAX_RECIPIENTS = 5;

export interface ThreadLinks {
  /** Whoever has one of these is of the same thread; the first one that is found counts. */
  looksFor: string[];
  /** By these the message is found. */
  isFoundBy: string[];
}

/**
 * The links are hashes, so a mailbox keeps few bytes for each, however long a Message-ID is. They are cryptographic: whoever
 * sends mail cannot make two that are the same.
 */
export function threadLinksOf(facts: ThreadFacts): ThreadLinks {
  const { messageId, references, subject, baseSubject, from, to } = facts;
  const near =
    references.length > MAX_REFERENCES
      ? [...references.slice(0, 1), ...references.slice(1 - MAX_REFERENCES)]
      : references;
  // The nearest ones first: what it answers.
  const named = [...near.toReversed(), ...(messageId === null ? [] : [messageId])].map((id) =>
    linkOf('id', id),
  );
  const author = from[0]?.address.toLowerCase();
  const subjectOf = (address: string): string => linkOf('subject', `${address.toLowerCase()} ${baseSubject}`);
  const isFoundBy = author === undefined || baseSubject === '' ? named : [...named, subjectOf(author)];
  // Mail apps that name no message answer with the subject alone.
  const isAnswer = references.length === 0 && baseSubject !== '' && isPrefixed(subject, baseSubject);
  const others = [author, ...to.slice(0, MAX_RECIPIENTS).map(({ address }) => address)];
  const answered = isAnswer
    ? others.flatMap((address) => (address === undefined ? [] : [subjectOf(address)]))
    : [];
  return { looksFor: [...new Set([...named, ...answered])], isFoundBy: [...new Set(isFoundBy)] };
}

/** `Re: order` of `order`: the subject is longer by a mark that ends in a colon. */
function isPrefixed(subject: string, baseSubject: string): boolean {
  return subject.length > baseSubject.length && /^\s*\p{L}{1,5}(\[\d+\])?\s*:/u.test(subject);
}

function linkOf(kind: 'id' | 'subject', text: string): string {
  const hex = hash('sha256', `${kind} ${text}`).slice(0, 32);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/**
 * Finds the thread of a message, and lets later ones be found by it.
 * @param known the thread of each link, which is added to
 */
export function joinThread({ looksFor, isFoundBy }: ThreadLinks, known: Map<string, string>): string {
  const found = looksFor.find((link) => known.has(link));
  const threadId = (found === undefined ? undefined : known.get(found)) ?? newUuid();
  for (const link of isFoundBy) if (!known.has(link)) known.set(link, threadId);
  return threadId;
}
