/** Parses commands about messages in the selected mailbox (RFC 9051, section 6.4; RFC 4466, 7162, 9394). */
import type { Command } from './command.ts';
import type { CommandCursor } from './command-cursor.ts';
import { readFetchItems } from './fetch-items.ts';
import { readStoredFlags } from './flag-list.ts';
import { readPartialRange } from './partial-range.ts';
import { readSequenceSet } from './sequence-set.ts';

const MAX_MODIFIERS = 10;
const SET = 'a sequence set, such as 1:5';

export function readFetch(cursor: CommandCursor, uid: boolean): Command {
  cursor.space(SET);
  const set = readSequenceSet(cursor);
  cursor.space('items to fetch, such as FLAGS or (UID ENVELOPE)');
  const items = readFetchItems(cursor);
  const modifiers = cursor.more() ? readFetchModifiers(cursor, uid) : NO_MODIFIERS;
  return { name: 'FETCH', uid, set, items, ...modifiers };
}

interface FetchModifiers {
  changedSince: number | null;
  vanished: boolean;
  partial: readonly [number, number] | null;
}

const NO_MODIFIERS: FetchModifiers = { changedSince: null, vanished: false, partial: null };

function readFetchModifiers(cursor: CommandCursor, uid: boolean): FetchModifiers {
  const modifiers = { ...NO_MODIFIERS };
  cursor.list('modifiers', MAX_MODIFIERS, () => {
    const name = cursor.word('a modifier, such as CHANGEDSINCE');
    if (name === 'CHANGEDSINCE') {
      cursor.space('a MODSEQ');
      modifiers.changedSince = cursor.number64('a MODSEQ');
    } else if (name === 'VANISHED' && uid) {
      modifiers.vanished = true;
    } else if (name === 'PARTIAL' && uid) {
      cursor.space('a range of results, such as 1:100');
      modifiers.partial = readPartialRange(cursor);
    } else cursor.fault(`${cursor.command} does not support the modifier ${name.slice(0, 30)}`);
  });
  // VANISHED is only valid with CHANGEDSINCE (RFC 7162, section 3.2.6).
  if (modifiers.vanished && modifiers.changedSince === null) cursor.fault('VANISHED also needs CHANGEDSINCE');
  return modifiers;
}

const OPERATION = /([+-]?)FLAGS(\.SILENT)?(?![\w.])/iy;

export function readStore(cursor: CommandCursor, uid: boolean): Command {
  cursor.space(SET);
  const set = readSequenceSet(cursor);
  const what = 'an action, such as +FLAGS';
  cursor.space(what);
  let unchangedSince: number | null = null;
  if (cursor.nextIs('(')) {
    cursor.list('modifiers', MAX_MODIFIERS, () => {
      if (cursor.word('a modifier') !== 'UNCHANGEDSINCE')
        cursor.fault('STORE only supports the modifier UNCHANGEDSINCE');
      cursor.space('a MODSEQ');
      unchangedSince = cursor.number64('a MODSEQ');
    });
    cursor.space(what);
  }
  const operation = (cursor.match(OPERATION) ?? cursor.needs(what)).toUpperCase();
  cursor.space('flags');
  const how = operation.startsWith('+') ? 'add' : operation.startsWith('-') ? 'remove' : 'replace';
  const silent = operation.endsWith('.SILENT');
  return { name: 'STORE', uid, set, how, silent, flags: readStoredFlags(cursor), unchangedSince };
}

export function readCopyOrMove(name: 'COPY' | 'MOVE') {
  return (cursor: CommandCursor, uid: boolean): Command => {
    cursor.space(SET);
    const set = readSequenceSet(cursor);
    cursor.space('the name of a mailbox');
    return { name, uid, set, mailbox: cursor.mailbox() };
  };
}

export function readExpunge(cursor: CommandCursor, uid: boolean): Command {
  if (!uid) return { name: 'EXPUNGE', uids: null };
  cursor.space(SET);
  return { name: 'EXPUNGE', uids: readSequenceSet(cursor) };
}
