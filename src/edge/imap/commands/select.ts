import { type Answer, ANSWERS, ok } from '../responses.ts';
import { SelectedFolder } from '../selected-folder.ts';
import type { OwnSession } from '../session.ts';
import type { Named } from './entry.ts';

/** SELECT and EXAMINE (RFC 9051, sections 6.3.2 and 6.3.3). */
export async function select(session: OwnSession, command: Named<'SELECT' | 'EXAMINE'>): Promise<Answer> {
  if (session.selected !== null) {
    session.selected = null;
    session.untagged('OK [CLOSED] The mailbox before is closed');
  }
  const folder = await session.findFolder(command.mailbox);
  if (folder === null) return ANSWERS.noMailbox;
  const isReadOnly = command.name === 'EXAMINE' || session.mailbox.access === 'read';
  const opened = await SelectedFolder.open(session.services.store, folder.key, isReadOnly);
  if (opened === null) return ANSWERS.noMailbox;
  const { selected, firstUnseen } = opened;
  session.selected = selected;
  session.sayFlags(selected);
  session.untagged(`${selected.exists} EXISTS`);
  if (!session.isRev2) {
    session.untagged(`${selected.recent} RECENT`);
    if (firstUnseen !== null) session.untagged(`OK [UNSEEN ${firstUnseen}] The first that nobody has seen`);
  }
  session.untagged(`OK [UIDVALIDITY ${selected.uidValidity}] UIDs are valid`);
  session.untagged(`OK [UIDNEXT ${selected.uidNext}] The next UID`);
  session.untagged(`OK [HIGHESTMODSEQ ${Math.max(1, selected.modseq)}] The newest change`);
  return ok('Selected', isReadOnly ? 'READ-ONLY' : 'READ-WRITE');
}
