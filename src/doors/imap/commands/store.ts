import type { FlagChange, FlagResult } from '../../../store/change-flags.ts';
import { MAX_FOLDER_KEYWORDS, MAX_KEYWORD_LENGTH, MAX_KEYWORDS } from '../../../store/flags.ts';
import { readFlags } from '../flags.ts';
import { formatSet } from '../../../rfc/imap/format-numbers.ts';
import { type TaggedResponse, RESPONSES, bad, no, ok } from '../responses.ts';
import type { FolderSession } from '../session.ts';
import type { Named } from './entry.ts';

/** How many messages to change and report at a time. */
const SLICE = 5_000;

const FAILURES: Readonly<Record<Exclude<FlagResult['outcome'], 'flagged'>, TaggedResponse>> = {
  'no-folder': RESPONSES.noMailbox,
  'bad-keyword': no('LIMIT', `A keyword can have at most ${MAX_KEYWORD_LENGTH} characters`),
  'message-keywords': no('LIMIT', `A message can have at most ${MAX_KEYWORDS} keywords`),
  'folder-keywords': no('LIMIT', `A mailbox can have at most ${MAX_FOLDER_KEYWORDS} different keywords`),
};

/** STORE and UID STORE (RFC 9051, section 6.4.6; RFC 7162, section 3.1.3). */
export async function store(session: FolderSession, command: Named<'STORE'>): Promise<TaggedResponse> {
  const { selected } = session;
  const { uid, silent, unchangedSince } = command;
  const ranges = selected.resolve(command.set, uid);
  if (ranges === null) return RESPONSES.badSet;
  const flags = readFlags(command.flags);
  if (flags === null) return bad('Unknown system flag');
  if (unchangedSince !== null) session.enabled.add('CONDSTORE');
  const change: FlagChange = {
    op: command.how,
    ...flags,
    ...(unchangedSince === null ? {} : { unchangedSince }),
  };
  const modified: number[] = [];
  let done = 0;
  for (const slice of selected.slices(ranges, SLICE)) {
    const result = await session.services.store.flag(selected.key, slice, change);
    if (result.outcome !== 'flagged') return FAILURES[result.outcome];
    selected.noteChange();
    done += result.messages.length + result.modified.length;
    for (const one of result.modified) modified.push(uid ? one : selected.numberOf(one));
    for (const message of result.messages) {
      const { modseqBefore: modseq } = message;
      // A conditional STORE reports every message, so that its client gets the MODSEQ (RFC 7162, section 3.1.3).
      if (silent && unchangedSince === null && message.modseq === modseq) continue;
      const items: string[] = [];
      if (uid || session.hasUidsInUpdates) items.push(`UID ${message.uid}`);
      if (!silent) items.push(`FLAGS ${session.flagsOf(message)}`);
      if (session.hasCondstore) items.push(`MODSEQ (${message.modseq})`);
      selected.noteSentModseq(message.modseq);
      if (!silent || session.hasCondstore)
        session.untagged(`${selected.numberOf(message.uid)} FETCH (${items.join(' ')})`);
      // .SILENT must not hide an unreported change by another session (RFC 9051, section 6.4.6).
      if (!silent || selected.isReportedOrExcluded({ uid: message.uid, modseq }))
        selected.excludeFromSync(message);
    }
    if (!(await session.output.drained())) break;
  }
  if (modified.length > 0) return ok('Some messages have changed since', `MODIFIED ${formatSet(modified)}`);
  // OK, as in Dovecot, because many clients show NO as an error. The code says that messages were expunged (RFC 5530, section 3).
  const isMissing = !uid && done < selected.countIn(ranges);
  return isMissing ? ok('Some of the messages were expunged', 'EXPUNGEISSUED') : ok('Stored');
}
