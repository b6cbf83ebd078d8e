/** Parses commands about mailboxes, except LIST (RFC 9051, section 6.3; RFC 6154, 7162, 9208). */
import type { Command, KnownSet, StatusItem } from './command.ts';
import type { CommandCursor } from './command-cursor.ts';
import { readAscendingSet, readKnownSet } from './sequence-set.ts';

const MAX_PARAMETERS = 10;
const MAX_USES = 20;
const MAX_STATUS_ITEMS = 30;
const MAX_LIMITS = 20;
const MAILBOX = 'the name of a mailbox';

type Qresync = Extract<Command, { name: 'SELECT' | 'EXAMINE' }>['qresync'];

export function readSelect(name: 'SELECT' | 'EXAMINE') {
  return (cursor: CommandCursor): Command => {
    cursor.space(MAILBOX);
    const mailbox = cursor.mailbox();
    let condstore = false;
    let qresync: Qresync = null;
    if (cursor.more())
      cursor.list('parameters', MAX_PARAMETERS, () => {
        const parameter = cursor.word('a parameter, such as CONDSTORE');
        if (parameter === 'CONDSTORE') condstore = true;
        else if (parameter === 'QRESYNC') qresync = readQresync(cursor);
        else cursor.fault(`${name} does not support the parameter ${parameter.slice(0, 30)}`);
      });
    return { name, mailbox, condstore, qresync };
  };
}

/** Reads the parameters of QRESYNC (RFC 7162, section 7). */
function readQresync(cursor: CommandCursor): Qresync {
  const what = 'UIDVALIDITY and MODSEQ in parentheses after QRESYNC';
  cursor.space(what);
  if (!cursor.take('(')) cursor.needs(what);
  const uidValidity = cursor.positive(what);
  cursor.space(what);
  const modseq = cursor.number64(what);
  let knownUids: KnownSet | null = null;
  let seqMatch: NonNullable<Qresync>['seqMatch'] = null;
  let more = cursor.more();
  if (more && !cursor.nextIs('(') && !cursor.nextIs(')')) {
    knownUids = readKnownSet(cursor, 'the UIDs that the client knows');
    more = cursor.more();
  }
  if (more && cursor.take('(')) {
    const numbers = readAscendingSet(cursor, 'sequence numbers');
    cursor.space('the UIDs of the sequence numbers');
    const uids = readAscendingSet(cursor, 'the UIDs of the sequence numbers');
    if (!cursor.take(')')) cursor.needs('a ) after the sequence numbers and UIDs');
    seqMatch = { numbers, uids };
    cursor.more();
  }
  if (!cursor.take(')')) cursor.needs('a ) at the end of QRESYNC');
  return { uidValidity, modseq, knownUids, seqMatch };
}

export function readCreate(cursor: CommandCursor): Command {
  cursor.space(MAILBOX);
  const mailbox = cursor.mailbox();
  const use: string[] = [];
  if (cursor.more())
    cursor.list('parameters', MAX_PARAMETERS, () => {
      const parameter = cursor.word('a parameter, such as USE');
      if (parameter !== 'USE') cursor.fault('CREATE only supports the parameter USE');
      cursor.space('special uses in parentheses');
      use.push(...cursor.list('special uses', MAX_USES, () => readUse(cursor)));
    });
  return { name: 'CREATE', mailbox, use };
}

/** Parses `use-attr`, which stays as written, with the backslash. */
function readUse(cursor: CommandCursor): string {
  const what = 'a special use, such as \\Sent';
  return cursor.take('\\') ? `\\${cursor.atom(what)}` : cursor.needs(what);
}

export function readNamed(
  name: 'DELETE' | 'SUBSCRIBE' | 'UNSUBSCRIBE' | 'GETQUOTAROOT' | 'GETACL' | 'MYRIGHTS',
) {
  return (cursor: CommandCursor): Command => {
    cursor.space(MAILBOX);
    return { name, mailbox: cursor.mailbox() };
  };
}

export function readRename(cursor: CommandCursor): Command {
  cursor.space(MAILBOX);
  const from = cursor.mailbox();
  cursor.space('the new name of the mailbox');
  return { name: 'RENAME', from, to: cursor.mailbox('the new name of the mailbox') };
}

const STATUS_ITEMS: ReadonlySet<string> = new Set<StatusItem>([
  'MESSAGES',
  'UIDNEXT',
  'UIDVALIDITY',
  'UNSEEN',
  'DELETED',
  'SIZE',
  'RECENT',
  'HIGHESTMODSEQ',
  'MAILBOXID',
  'APPENDLIMIT',
  'DELETED-STORAGE',
]);

export function readStatus(cursor: CommandCursor): Command {
  cursor.space(MAILBOX);
  const mailbox = cursor.mailbox();
  cursor.space('status items, such as (MESSAGES)');
  return { name: 'STATUS', mailbox, items: readStatusItems(cursor) };
}

/** Reads status items, without duplicates. */
export function readStatusItems(cursor: CommandCursor): StatusItem[] {
  const items = cursor.list('status items', MAX_STATUS_ITEMS, () => {
    const item = cursor.word('status items, such as (MESSAGES)');
    if (!STATUS_ITEMS.has(item)) cursor.fault(`STATUS does not know ${item.slice(0, 30)}`);
    return item as StatusItem;
  });
  return items.length > 0 ? [...new Set(items)] : cursor.needs('status items, such as (MESSAGES)');
}

export function readGetQuota(cursor: CommandCursor): Command {
  cursor.space('a quota root');
  return { name: 'GETQUOTA', root: cursor.text('a quota root') };
}

export function readSetQuota(cursor: CommandCursor): Command {
  cursor.space('a quota root');
  const root = cursor.text('a quota root');
  cursor.space('limits in parentheses');
  cursor.list('limits', MAX_LIMITS, () => {
    cursor.atom('a resource, such as STORAGE');
    cursor.space('a limit');
    cursor.number64('a limit');
  });
  return { name: 'SETQUOTA', root };
}

/** Parses the arguments of LISTRIGHTS and DELETEACL (RFC 4314, section 7). */
export function readIdentified(name: 'LISTRIGHTS' | 'DELETEACL') {
  return (cursor: CommandCursor): Command => ({ name, ...readIdentifier(cursor) });
}

export function readSetAcl(cursor: CommandCursor): Command {
  const identified = readIdentifier(cursor);
  cursor.space('access rights');
  return { name: 'SETACL', ...identified, rights: cursor.text('access rights') };
}

function readIdentifier(cursor: CommandCursor): { mailbox: string; identifier: string } {
  cursor.space(MAILBOX);
  const mailbox = cursor.mailbox();
  cursor.space('an identifier, such as an address');
  return { mailbox, identifier: cursor.text('an identifier, such as an address') };
}
