import { type FileResult, MAX_COPIES } from '../../../store/file-messages.ts';
import { MAX_FOLDER_KEYWORDS } from '../../../store/flags.ts';
import type { UidRange } from '../../../store/uid-ranges.ts';
import { READ_GRANT } from '../accounts.ts';
import { copyUid, noTarget, TRY_CREATE } from '../mailbox-responses.ts';
import { type TaggedResponse, RESPONSES, no, ok } from '../responses.ts';
import type { MailboxFolder } from '../selected-folder.ts';
import type { FolderSession } from '../session.ts';
import type { Named } from './entry.ts';
import { copyAcross, isAcross, moveAcross } from './copy-across.ts';
import { sendExpunged } from './expunge.ts';

/** How many messages to move and report at a time. */
const SLICE = 10_000;

type Failure = Exclude<FileResult, { outcome: 'filed' }>['outcome'];

const FAILURES: Readonly<Record<Failure, TaggedResponse>> = {
  'no-folder': RESPONSES.noMailbox,
  'no-target': TRY_CREATE,
  'over-quota': no('OVERQUOTA', 'The messages exceed the quota of the mailbox'),
  'over-storage': no('OVERQUOTA', 'The messages exceed the storage limit of the plan'),
  'too-many': no('LIMIT', `One command can copy at most ${MAX_COPIES} messages`),
  'bad-keywords': no(
    'LIMIT',
    `The target mailbox can have at most ${MAX_FOLDER_KEYWORDS} different keywords`,
  ),
};

/** COPY and UID COPY (RFC 9051, section 6.4.7). Copies either all messages or none. */
export function copy(session: FolderSession, command: Named<'COPY' | 'MOVE'>): Promise<TaggedResponse> {
  return withTarget(session, command, async (ranges, target) => {
    const { selected, services } = session;
    if (isAcross(session, target)) return copyAcross(session, ranges, target);
    const result = await services.store.copy(selected.key, ranges, { id: target.id });
    if (result.outcome !== 'filed') return FAILURES[result.outcome];
    // The sequence numbers are valid in the client's list, but all of their messages were expunged (RFC 5530, section 3).
    if (result.uids.length === 0 && !command.uid) return no('EXPUNGEISSUED', 'The messages were expunged');
    if (selected.key.folderId === target.id) selected.noteChange();
    return ok('Copied', copyUid(result));
  });
}

/** MOVE and UID MOVE (RFC 9051, section 6.4.8). Moves messages slice by slice; after a failure, earlier slices stay moved. */
export function move(session: FolderSession, command: Named<'COPY' | 'MOVE'>): Promise<TaggedResponse> {
  return withTarget(session, command, async (ranges, target) => {
    const { selected, services } = session;
    if (isAcross(session, target)) return moveAcross(session, ranges, target);
    for (const slice of selected.slices(ranges, SLICE)) {
      const result = await services.store.move(selected.key, slice, { id: target.id });
      selected.noteChange();
      if (result.outcome !== 'filed') return FAILURES[result.outcome];
      const code = copyUid(result);
      if (code !== null) session.untagged(`OK [${code}] Moved`);
      if (!(await session.output.drained())) break;
    }
    return sendExpunged(session, 'Moved');
  });
}

/** Resolves the messages and the target folder of a command, then calls `file`. */
async function withTarget(
  session: FolderSession,
  { set, uid, mailbox }: Named<'COPY' | 'MOVE'>,
  file: (ranges: readonly UidRange[], target: MailboxFolder) => Promise<TaggedResponse>,
): Promise<TaggedResponse> {
  const ranges = session.selected.resolve(set, uid);
  if (ranges === null) return RESPONSES.badSet;
  if (ranges.length === 0) return ok('No such messages');
  const target = await session.findFolder(mailbox);
  if (target === null) return noTarget(mailbox);
  return target.account.mayWrite ? file(ranges, target) : READ_GRANT;
}
