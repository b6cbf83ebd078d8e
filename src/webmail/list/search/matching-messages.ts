/**
 * The conditions of a search on a message. A condition is SQL if the message's row is enough to evaluate it, otherwise a check of the data
 * that was read.
 */
import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../../db/columns.ts';
import { FLAG, MUTED, PINNED } from '../../../store/flags.ts';
import type { MessageFacts } from '../../../store/facts/message-facts.ts';
import type { Folder } from '../../../store/folders.ts';
import { PART_TEXT } from '../../../store/search/message-parts.ts';
import { normalForm } from '../../../store/search/normal-form.ts';
import { planNeedle } from '../../../store/search/terms.ts';
import type { SavedLabel } from '../../labels/mail-labels.ts';
import type { MailTerm, Mark, TextField } from './parse-query.ts';

type TextTerm = Extract<MailTerm, { text: string }>;

export const SEARCHED_DATA = columnsOf({
  subject: 'text',
  addresses: shaped<Pick<MessageFacts, 'from' | 'replyTo' | 'to' | 'cc' | 'bcc'>>('json'),
  attachments: 'int4',
  /** The text of the head. Null if no term is about file names. */
  head: 'text?',
  /** For each of `termsToCheck`, in the same order: whether the message contains its text. */
  has: 'bool[]',
});
/** The data of a message that a search reads in addition to its row. */
export type SearchedData = RowOf<typeof SEARCHED_DATA>;

const MARKS: Readonly<Record<Mark, RawBuilder<boolean>>> = {
  unread: hasFlag(FLAG.seen, false),
  read: hasFlag(FLAG.seen, true),
  starred: hasFlag(FLAG.flagged, true),
  answered: hasFlag(FLAG.answered, true),
  draft: hasFlag(FLAG.draft, true),
  pinned: hasKeyword(PINNED),
  muted: hasKeyword(MUTED),
  snoozed: sql<boolean>`exists (
    select from snoozed_messages s
    where s.project_id = m.project_id and s.mailbox_id = m.mailbox_id and s.object_id = m.object_id and s.folder_id = m.folder_id
      and s.woken_at is null)`,
};

function hasKeyword(keyword: string): RawBuilder<boolean> {
  return sql<boolean>`(m.keywords <> '{}' and exists (select from unnest(m.keywords) k where lower(k) = ${keyword}))`;
}

function hasFlag(bit: number, isSet: boolean): RawBuilder<boolean> {
  return sql<boolean>`(m.flags & ${sql.lit(bit)} <> 0) = ${sql.lit(isSet)}`;
}

/** The condition on the row `m` of `messages`. @param of whether to use the terms about the time of receipt, or all other terms */
export function rowCondition(terms: readonly MailTerm[], of: 'time' | 'others'): RawBuilder<boolean> {
  const conditions = terms.flatMap((term) => {
    if (('after' in term || 'before' in term) !== (of === 'time')) return [];
    const condition = conditionOf(term);
    if (condition === null) return [];
    return term.not ? sql`not (${condition})` : condition;
  });
  return conditions.length === 0 ? sql<boolean>`true` : sql<boolean>`${sql.join(conditions, sql` and `)}`;
}

function conditionOf(term: MailTerm): RawBuilder<boolean> | null {
  if ('is' in term) return MARKS[term.is];
  if ('label' in term) return hasKeyword(term.label);
  if ('after' in term) return sql`m.internal_date >= ${term.after}::timestamptz`;
  if ('before' in term) return sql`m.internal_date < ${term.before}::timestamptz`;
  if ('largerThan' in term) return sql`m.octets > ${term.largerThan}::int8`;
  if ('smallerThan' in term) return sql`m.octets < ${term.smallerThan}::int8`;
  return null;
}

export function textTerms(terms: readonly MailTerm[]): TextTerm[] {
  return terms.filter((term) => 'text' in term);
}

/** The terms for which the index is not exact. They must be checked against the message text. */
export function termsToCheck(terms: readonly MailTerm[]): TextTerm[] {
  return textTerms(terms).filter(
    ({ text, in: place, not }) => place === 'anywhere' && (not || !planNeedle(text).isExact),
  );
}

/** Whether the text of the row `c` of `message_contents` contains each of the terms. */
export function containsTerms(terms: readonly TextTerm[]): RawBuilder<boolean[]> {
  const has = terms.map(
    ({ text }) => sql`strpos(${PART_TEXT.head}, ${text}) > 0 or strpos(${PART_TEXT.body}, ${text}) > 0`,
  );
  return has.length === 0 ? sql<boolean[]>`'{}'::bool[]` : sql<boolean[]>`array[${sql.join(has)}]`;
}

/** The head of the row `c` of `message_contents`, if a term needs it. */
export function headFor(terms: readonly MailTerm[]): RawBuilder<string | null> {
  const isNeeded = textTerms(terms).some((term) => term.in === 'filename');
  return isNeeded ? PART_TEXT.head : sql<null>`null::text`;
}

/** Whether the terms need columns of `message_contents`. */
export function needsContents(terms: readonly MailTerm[]): boolean {
  return termsToCheck(terms).length > 0 || terms.some((term) => 'has' in term || isOfField(term));
}

function isOfField(term: MailTerm): term is TextTerm {
  return 'text' in term && term.in !== 'anywhere';
}

export function matchesTerms(terms: readonly MailTerm[], message: SearchedData): boolean {
  return (
    termsToCheck(terms).every(({ not }, n) => message.has[n] !== not) &&
    terms.every((term) => {
      if ('has' in term) return message.attachments > 0 !== term.not;
      return !isOfField(term) || fieldHas(term, message) !== term.not;
    })
  );
}

const FIELDS: Readonly<
  Record<
    Exclude<TextField, 'anywhere' | 'subject' | 'filename'>,
    readonly (keyof SearchedData['addresses'])[]
  >
> = {
  from: ['from'],
  to: ['to', 'cc', 'bcc'],
  cc: ['cc'],
};

function fieldHas({ text, in: place }: TextTerm, message: SearchedData): boolean {
  const { subject, addresses } = message;
  if (place === 'anywhere') return false;
  if (place === 'filename') return fileNamesOf(message).includes(text);
  if (place === 'subject') return normalForm(subject).includes(text);
  return FIELDS[place].some((field) =>
    addresses[field].some(({ name, address }) => normalForm(`${name} ${address}`).includes(text)),
  );
}

/**
 * Replaces the names of labels by their keywords.
 * @param labels all labels of the mailbox
 */
export function withKeywords(
  terms: readonly MailTerm[],
  labels: readonly SavedLabel[],
): { terms: MailTerm[]; problem: string | null } {
  let problem: string | null = null;
  const found = terms.map((term) => {
    if (!('label' in term)) return term;
    const { label: typed } = term;
    const label =
      labels.find(({ name }) => name.toLowerCase() === typed) ??
      labels.find(({ keyword }) => keyword === typed);
    if (label === undefined) problem ??= `There is no label ${typed}.`;
    return label === undefined ? term : { ...term, label: label.keyword };
  });
  return { terms: found, problem };
}

/**
 * The part of the head after the subject and the addresses (`readMessageFacts`): the names of files, and the subjects and authors of
 * messages within the message.
 */
function fileNamesOf({ subject, addresses: { from, to, cc, bcc, replyTo }, head }: SearchedData): string {
  const people = [from, to, cc, bcc, replyTo].flat().flatMap(({ name, address }) => [name, address]);
  const before = normalForm([subject, ...people, ''].join(' ')).trimStart();
  return head?.startsWith(before) === true ? head.slice(before.length) : '';
}

/** `in:` with one of these words searches all folders, including Trash and Junk. */
const ANYWHERE = ['anywhere', 'all', '*'];
const OTHER_NAMES: Readonly<Record<string, string>> = { spam: 'junk', bin: 'trash', deleted: 'trash' };

/** The folders that a search covers. @param folders all folders of the mailbox */
export function searchedFolders(
  terms: readonly MailTerm[],
  folders: readonly Folder[],
): { folderIds: string[]; problem: string | null } {
  let problem: string | null = null;
  const [wanted, unwanted] = [new Set<string>(), new Set<string>()];
  let isNamed = false;
  for (const term of terms) {
    if (!('folder' in term)) continue;
    const found = ANYWHERE.includes(term.folder) ? folders : foldersNamed(folders, term.folder);
    if (found.length === 0) {
      problem ??= `There is no folder ${term.folder}.`;
      continue;
    }
    isNamed ||= !term.not;
    for (const { id } of found) (term.not ? unwanted : wanted).add(id);
  }
  const searched = isNamed
    ? folders.filter(({ id }) => wanted.has(id))
    : folders.filter(({ role }) => role !== 'trash' && role !== 'junk');
  return { folderIds: searched.map(({ id }) => id).filter((id) => !unwanted.has(id)), problem };
}

function foldersNamed(folders: readonly Folder[], name: string): Folder[] {
  const role = OTHER_NAMES[name] ?? name;
  const ofRole = folders.filter((folder) => folder.role === role);
  return ofRole.length > 0 ? ofRole : folders.filter((folder) => folder.name.toLowerCase() === name);
}
