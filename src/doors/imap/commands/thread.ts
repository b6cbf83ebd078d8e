import {
  formatThread,
  threadByReferences,
  threadBySubject,
  type ThreadedMessage,
  type ThreadNode,
} from '../../../rfc/imap/thread.ts';
import { isReplySubject } from '../../../rfc/message/base-subject.ts';
import type { UidRange } from '../../../store/uid-ranges.ts';
import { type TaggedResponse, bad, no, ok } from '../responses.ts';
import { type Search, searching, uidRangesOf } from '../searching.ts';
import type { FolderSession } from '../session.ts';
import type { Named } from './entry.ts';

/** The limit on messages in one THREAD command. A message takes about 500 bytes while threads are built. */
const MAX_MESSAGES = 100_000;
/**
 * The limit on the total length, in characters, of the message ids that the messages in one THREAD command reference. Attack: each message
 * references a hundred ids of 998 octets.
 */
const MAX_CHARACTERS = 50_000_000;
const SLICE = 500;
/** Number of pieces of the response that are joined into one text. */
const WRITTEN_AT_A_TIME = 5_000;

const yieldToEventLoop = () => new Promise<void>(setImmediate);
const TOO_MANY = no('LIMIT', 'Too many messages; narrow the search');

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
      return messages === null ? null : textsOf(await make(messages, yieldToOthers), yieldToOthers);
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

async function textsOf(
  threads: readonly ThreadNode[],
  yieldToOthers: () => Promise<void>,
): Promise<string[]> {
  const texts: string[] = [];
  let pieces: string[] = [];
  const add = (): void => {
    if (pieces.length > 0) texts.push(pieces.join(''));
    pieces = [];
  };
  for (const thread of threads)
    for (const piece of formatThread(thread)) {
      pieces.push(piece);
      if (pieces.length < WRITTEN_AT_A_TIME) continue;
      add();
      await yieldToOthers();
    }
  add();
  return texts;
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
    for (const message of await services.store.answers(selected.key, slice)) {
      for (const id of message.ancestors) characters += id.length;
      if (characters > MAX_CHARACTERS) return null;
      const number = uid ? message.uid : selected.numberOf(message.uid);
      messages.push({ ...message, number, isAnswer: isReplySubject(message.subject) });
    }
  }
  return messages;
}
