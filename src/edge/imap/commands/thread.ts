import {
  formatThread,
  threadByReferences,
  threadBySubject,
  type ThreadMessage,
} from '../../../rfc/imap/thread.ts';
import { isAnswerSubject } from '../../../rfc/message/base-subject.ts';
import type { UidRange } from '../../../store/uid-ranges.ts';
import { type Answer, bad, no, ok } from '../responses.ts';
import { type Search, searching, uidRangesOf } from '../searching.ts';
import type { FolderSession } from '../session.ts';
import type { Named } from './entry.ts';

/** Of one command: each is some 500 bytes while the threads are made. */
const MAX_MESSAGES = 100_000;
const SLICE = 2_000;
/** Pieces that are written at a time. */
const WRITTEN_AT_A_TIME = 5_000;

/** THREAD and UID THREAD (RFC 5256). */
export async function thread(session: FolderSession, command: Named<'THREAD'>): Promise<Answer> {
  const { algorithm } = command;
  if (algorithm !== 'REFERENCES' && algorithm !== 'ORDEREDSUBJECT')
    return bad('There are REFERENCES and ORDEREDSUBJECT');
  return searching(session, command, async (found) => {
    if (found.numbers.length > MAX_MESSAGES)
      return no('LIMIT', 'These are too many; ask for threads of fewer messages');
    const ranges = uidRangesOf(session, found.numbers);
    const messages = await found.inTurn(() => readMessages(session, ranges, command.uid, found));
    const rest = () => new Promise<void>(setImmediate);
    const threads =
      algorithm === 'REFERENCES' ? await threadByReferences(messages, rest) : threadBySubject(messages);
    session.output.raw(threads.length > 0 ? '* THREAD ' : '* THREAD');
    let text = '';
    let pieces = 0;
    for (const one of threads) {
      for (const piece of formatThread(one)) {
        text += piece;
        if (++pieces % WRITTEN_AT_A_TIME !== 0) continue;
        session.output.raw(text);
        text = '';
        if (!(await session.output.room())) return ok('Nobody hears it');
      }
    }
    session.output.line(text);
    return ok('Threaded');
  });
}

async function readMessages(
  { selected, services }: FolderSession,
  ranges: readonly UidRange[],
  uid: boolean,
  { tick }: Search,
): Promise<ThreadMessage[]> {
  const messages: ThreadMessage[] = [];
  for (const slice of selected.slices(ranges, SLICE)) {
    tick();
    for (const message of await services.store.answers(selected.key, slice)) {
      const number = uid ? message.uid : selected.numberOf(message.uid);
      messages.push({ ...message, number, isAnswer: isAnswerSubject(message.subject) });
    }
  }
  return messages;
}
