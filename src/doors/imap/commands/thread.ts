import { threadByReferences, threadBySubject, type ThreadedMessage } from '../../../rfc/imap/thread.ts';
import { isReplySubject } from '../../../rfc/message/base-subject.ts';
import type { UidRange } from '../../../store/uid-ranges.ts';
import { type TaggedResponse, bad, no, ok } from '../responses.ts';
import { type Search, searching, uidRangesOf } from '../searching.ts';
import type { FolderSession } from '../session.ts';
import type { Named } from './entry.ts';

/** The limit on messages in one THREAD command. A message takes about 500 bytes while threads are built. */
const MAX_MESSAGES = 100_000;
/**
 * How many characters the references of all messages in one THREAD command may have together. Attack: each message references a hundred
 * message ids of 998 octets.
 */
const MAX_CHARACTERS = 50_000_000;
const SLICE = 500;
const NO_IDS: readonly string[] = [];

const yieldToEventLoop = () => new Promise<void>(setImmediate);
const TOO_MANY = no('LIMIT', `THREAD can sort at most ${MAX_MESSAGES} messages; narrow the search`);

/** THREAD and UID THREAD (RFC 5256). */
export async function thread(session: FolderSession, command: Named<'THREAD'>): Promise<TaggedResponse> {
  const { algorithm } = command;
  if (algorithm !== 'REFERENCES' && algorithm !== 'ORDEREDSUBJECT')
    return bad('Unsupported algorithm; use REFERENCES or ORDEREDSUBJECT');
  return searching(session, command, async (found) => {
    if (found.numbers.length > MAX_MESSAGES) return TOO_MANY;
    const ranges = uidRangesOf(session, found.numbers);
    const make = algorithm === 'REFERENCES' ? threadByReferences : threadBySubject;
    const yieldToOthers = (): Promise<void> => {
      found.throwIfEnded();
      return yieldToEventLoop();
    };
    // Only the texts stay in memory while a slow client reads the response.
    const texts = await found.inSlot(async () => {
      const messages = await readMessages(session, ranges, command.uid, found);
      return messages === null ? null : make(messages, yieldToOthers);
    });
    if (texts === null) return TOO_MANY;
    session.output.raw(texts.length > 0 ? '* THREAD ' : '* THREAD');
    for (const text of texts) {
      session.output.raw(text);
      if (!(await session.output.drained())) return ok('The connection is closed');
    }
    session.output.line('');
    return ok('Threaded');
  });
}

/** @returns null if the messages reference too many ids */
async function readMessages(
  { selected, services }: FolderSession,
  ranges: readonly UidRange[],
  uid: boolean,
  { throwIfEnded }: Search,
): Promise<ThreadedMessage[] | null> {
  const messages: ThreadedMessage[] = [];
  let characters = 0;
  for (const slice of selected.slices(ranges, SLICE)) {
    throwIfEnded();
    const replies = await services.store.answers(selected.key, slice);
    for (const [at, messageUid] of replies.uids.entries()) {
      const ancestors = replies.ancestors[at] ?? '';
      characters += ancestors.length;
      if (characters > MAX_CHARACTERS) return null;
      messages.push({
        number: uid ? messageUid : selected.numberOf(messageUid),
        messageId: replies.messageIds[at] || null,
        ancestors: ancestors === '' ? NO_IDS : ancestors.split(' '),
        baseSubject: replies.baseSubjects[at] ?? '',
        isAnswer: isReplySubject(replies.subjects[at] ?? ''),
        sentAtMs: (replies.sentAt[at] ?? 0) * 1_000,
      });
    }
  }
  return messages;
}
