/** Converts IMAP search keys (RFC 9051, section 6.4.4) to queries of the store. */
import type { Day, SearchKey, SequenceSet } from '../../rfc/imap/command.ts';
import type { MessageQuery, Period } from '../../store/find/message-query.ts';
import { FLAG } from '../../store/flags.ts';
import type { UidRange } from '../../store/uid-ranges.ts';
import { readObjectId } from './object-ids.ts';
import type { SelectedFolder } from './selected-folder.ts';
import { DAY_MS } from '../../model/day.ts';

const NONE: MessageQuery = { any: [] };
const ALL: MessageQuery = { all: [] };
const MAX_SECONDS = 1e10;
const MAX_MODSEQ = 2 ** 53;
const FIELD_NAME = /^[\x21-\x39\x3b-\x7e]+$/;

const FLAGS = {
  ANSWERED: FLAG.answered,
  DELETED: FLAG.deleted,
  DRAFT: FLAG.draft,
  FLAGGED: FLAG.flagged,
  SEEN: FLAG.seen,
} as const;

/** Converts a search key. @param selected resolves message numbers and \Recent @param nowMs the reference time for OLDER and YOUNGER */
export function queryOf(key: SearchKey, selected: SelectedFolder, nowMs: number): MessageQuery {
  const of = (one: SearchKey): MessageQuery => queryOf(one, selected, nowMs);
  switch (key.key) {
    case 'ALL':
    case 'SAVEDATESUPPORTED':
      return ALL;
    case 'ANSWERED':
    case 'DELETED':
    case 'DRAFT':
    case 'FLAGGED':
    case 'SEEN':
      return { flags: FLAGS[key.key] };
    case 'UNANSWERED':
      return { not: { flags: FLAG.answered } };
    case 'UNDELETED':
      return { not: { flags: FLAG.deleted } };
    case 'UNDRAFT':
      return { not: { flags: FLAG.draft } };
    case 'UNFLAGGED':
      return { not: { flags: FLAG.flagged } };
    case 'UNSEEN':
      return { not: { flags: FLAG.seen } };
    case 'RECENT':
      return { uids: selected.recentRanges };
    case 'NEW':
      return { all: [{ uids: selected.recentRanges }, { not: { flags: FLAG.seen } }] };
    case 'OLD':
      return { not: { uids: selected.recentRanges } };
    case 'BODY':
      return { text: key.value, in: 'bodies' };
    case 'TEXT':
      return { text: key.value, in: 'everything' };
    case 'BCC':
    case 'CC':
    case 'FROM':
    case 'TO':
      return { text: key.value, field: key.key, isList: true };
    case 'SUBJECT':
      return { text: key.value, field: key.key };
    case 'HEADER':
      return FIELD_NAME.test(key.field) ? { text: key.value, field: key.field } : NONE;
    case 'KEYWORD':
      return { keyword: key.keyword };
    case 'UNKEYWORD':
      return { not: { keyword: key.keyword } };
    case 'BEFORE':
    case 'ON':
    case 'SINCE':
      return { internalDate: mapped(daysOf(key.key, key.day), (day) => day) };
    case 'SAVEDBEFORE':
    case 'SAVEDON':
    case 'SAVEDSINCE':
      return { saveDate: mapped(daysOf(key.key.slice(5), key.day), (day) => day) };
    case 'SENTBEFORE':
    case 'SENTON':
    case 'SENTSINCE':
      return { sentOn: mapped(daysOf(key.key.slice(4), key.day), writtenDay) };
    case 'OLDER':
      return { internalDate: { from: null, before: secondsBefore(nowMs, key.seconds) } };
    case 'YOUNGER':
      return { internalDate: { from: secondsBefore(nowMs, key.seconds), before: null } };
    case 'LARGER':
      return { largerThan: key.octets };
    case 'SMALLER':
      return { smallerThan: key.octets };
    case 'EMAILID': {
      const objectId = readObjectId('email', key.id);
      return objectId === null ? NONE : { objectId };
    }
    case 'THREADID': {
      const threadId = readObjectId('thread', key.id);
      return threadId === null ? NONE : { threadId };
    }
    case 'MODSEQ':
      return { modseqFrom: Math.min(key.modseq, MAX_MODSEQ) };
    case 'SEQ':
      return { uids: numbersIn(key.set, selected) };
    case 'UID':
      return { uids: selected.resolve(key.set, true) ?? [] };
    case 'NOT':
      return { not: of(key.of) };
    case 'OR':
      return { any: [of(key.either), of(key.or)] };
    case 'AND':
      return { all: key.all.map(of) };
  }
}

/** Whether a search key contains MODSEQ. If so, the response also contains a MODSEQ (RFC 7162, section 3.1.5). */
export function hasModseqCriterion(key: SearchKey): boolean {
  switch (key.key) {
    case 'MODSEQ':
      return true;
    case 'NOT':
      return hasModseqCriterion(key.of);
    case 'OR':
      return hasModseqCriterion(key.either) || hasModseqCriterion(key.or);
    case 'AND':
      return key.all.some(hasModseqCriterion);
    default:
      return false;
  }
}

/** In a search, sequence numbers that do not exist match nothing. Other commands reject such sequence numbers. */
function numbersIn(set: SequenceSet, selected: SelectedFolder): readonly UidRange[] {
  if (set === 'saved') return selected.saved;
  const { exists } = selected;
  const there = set
    .map(([a, b]) => [a === '*' ? exists : a, b === '*' ? exists : b] as const)
    .map(([a, b]) => [Math.min(a, b), Math.min(Math.max(a, b), exists)] as const)
    .filter(([first, last]) => first >= 1 && first <= last);
  return selected.resolve(there, false) ?? [];
}

function daysOf(which: string, day: Day): Period<Date> {
  const start = new Date(0);
  start.setUTCFullYear(Math.max(1, day[0]), day[1] - 1, day[2]);
  const end = new Date(start.getTime() + DAY_MS);
  if (which === 'BEFORE') return { from: null, before: start };
  return { from: start, before: which === 'ON' ? end : null };
}

function mapped<To>({ from, before }: Period<Date>, to: (day: Date) => To): Period<To> {
  return { from: from === null ? null : to(from), before: before === null ? null : to(before) };
}

/** Formats a day for PostgreSQL. The day after the last day of 9999 has a year of five digits. */
function writtenDay(day: Date): string {
  return /^\+?0*(\d{4,})-(.{5})/.exec(day.toISOString())?.slice(1).join('-') ?? '';
}

function secondsBefore(nowMs: number, seconds: number): Date {
  return new Date(nowMs - Math.min(seconds, MAX_SECONDS) * 1_000);
}
