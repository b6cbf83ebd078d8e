import { formatSet } from '../../../rfc/imap/format-numbers.ts';
import type { FileResult } from '../../../store/file-messages.ts';
import { type Answer, ANSWERS, no, ok } from '../responses.ts';
import type { OwnFolder } from '../selected-folder.ts';
import type { FolderSession } from '../session.ts';
import type { Named } from './entry.ts';
import { tellExpunged } from './expunge.ts';

/** Moved and told at a time. */
const SLICE = 10_000;

type Failure = Exclude<FileResult, { outcome: 'filed' }>['outcome'];

const FAILURES: Readonly<Record<Failure, Answer>> = {
  'no-folder': ANSWERS.noMailbox,
  'no-target': no('TRYCREATE', 'There is no such mailbox'),
  'over-quota': no('OVERQUOTA', 'The mailbox has no room for them'),
  'over-storage': no('OVERQUOTA', 'The plan has no room for them'),
  'too-many': no('LIMIT', 'These are too many for one command'),
  'bad-keywords': no('LIMIT', 'The mailbox would have too many keywords'),
};

/** COPY and UID COPY (RFC 9051, section 6.4.7): all or none. */
export async function copy(session: FolderSession, command: Named<'COPY' | 'MOVE'>): Promise<Answer> {
  const { selected } = session;
  const ranges = selected.resolve(command.set, command.uid);
  if (ranges === null) return ANSWERS.badSet;
  if (ranges.length === 0) return ok('There are no such messages');
  const target = await session.findFolder(command.mailbox);
  if (target === null) return FAILURES['no-target'];
  const result = await session.services.store.copy(selected.key, ranges, { id: target.id });
  if (result.outcome !== 'filed') return FAILURES[result.outcome];
  noteTarget(session, target);
  return ok('Copied', copyUid(result));
}

/** MOVE and UID MOVE (RFC 9051, section 6.4.8). */
export async function move(session: FolderSession, command: Named<'COPY' | 'MOVE'>): Promise<Answer> {
  const { selected } = session;
  const ranges = selected.resolve(command.set, command.uid);
  if (ranges === null) return ANSWERS.badSet;
  if (ranges.length === 0) return ok('There are no such messages');
  const target = await session.findFolder(command.mailbox);
  if (target === null) return FAILURES['no-target'];
  for (const slice of selected.slices(ranges, SLICE)) {
    const result = await session.services.store.move(selected.key, slice, { id: target.id });
    selected.noteChange();
    if (result.outcome !== 'filed') return FAILURES[result.outcome];
    const code = copyUid(result);
    if (code !== null) session.untagged(`OK [${code}] Moved`);
    if (!(await session.output.room())) break;
  }
  return tellExpunged(session, 'Moved');
}

function noteTarget({ selected }: FolderSession, { id }: OwnFolder): void {
  if (selected.key.folderId === id) selected.noteChange();
}

/** RFC 9051, section 7.1; null: nothing was copied. */
function copyUid({ uidValidity, uids }: Extract<FileResult, { outcome: 'filed' }>): string | null {
  if (uids.length === 0) return null;
  const [from, to] = [uids.map((each) => each.from), uids.map((each) => each.to)];
  return `COPYUID ${uidValidity} ${formatSet(from)} ${formatSet(to)}`;
}
