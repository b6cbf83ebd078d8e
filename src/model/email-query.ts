/**
 * The search language for emails (docs/emails-search.md): `to:anna status:bounced since:7d "order 42"`. There is one canonical form for
 * each query, because the text is also the parameter `q` of the API and a part of the page's URL.
 */
import { EMAIL_STAGES, type EmailStage } from './email-status.ts';
import { decodeId } from './ids.ts';
import { QUEUE_STATES, type QueueState } from './queue-states.ts';
import { STREAMS } from './streams.ts';

/** The fields whose words are indexed. A word without a field in front has the field `any`. */
export const WORD_FIELDS = ['to', 'from', 'subject', 'tag', 'stream'] as const;
export type WordField = (typeof WORD_FIELDS)[number] | 'any';

/**
 * What happened to a recipient, as Metrics counts it. `any` matches all recipients, `undelivered` is failed or bounced, and `final` is
 * delivered, failed or bounced.
 */
export const OUTCOMES = [
  'any',
  'pending',
  'delivered',
  'opened',
  'opened-by-people',
  'opened-by-machines',
  'clicked',
  'complained',
  'bounced',
  'hard',
  'soft',
  'failed',
  'undelivered',
  'final',
] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const MAX_QUERY_LENGTH = 500;
/** The maximum number of terms. A longer query is probably pasted text. */
const MAX_TERMS = 12;

export interface WordTerm {
  field: WordField;
  /** The searched text: not empty, and without leading or trailing blanks. */
  text: string;
}

/** A duration before now, or a point in time. */
export type TimeBound = { count: number; unit: keyof typeof UNITS_MS } | { at: string };

/** `scheduled` is a queued email whose send time is in the future. */
const LOG_STATUSES = [...EMAIL_STAGES, 'scheduled'] as const;
export type LogStatus = EmailStage | 'scheduled';

export interface EmailQuery {
  words: WordTerm[];
  /** Tags that the email has exactly so, from `tag:=order`. An empty one means that the email has no tags. */
  tags: string[];
  outcome: Outcome | null;
  /** The domain of the sender, in lower case. */
  domain: string | null;
  /** The mailbox provider of a recipient. */
  provider: string | null;
  /** What a recipient in the queue waits for. */
  queue: QueueState | null;
  status: LogStatus | null;
  since: TimeBound | null;
  until: TimeBound | null;
  /** An id or its beginning: the prefix `em_`, then digits and capital letters. */
  id: string | null;
}

const UNITS_MS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;
const AGO = /^(\d{1,5})([mhdw])$/;
const MOMENT = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/;
const ID = /^em_[0-7][0-9A-HJKMNP-TV-Z]{0,25}$/;
const WHOLE_ID = /^em_[0-7][0-9A-HJKMNP-TV-Z]{25}$/i;
/** A Message-ID of this service, which begins with the id of the email. */
const MESSAGE_ID = /^<?([0-7][0-9a-hjkmnp-tv-z]{25})@[^\s@]+$/i;
/** An optional field, then a quoted text (the closing quote may be missing while the user types) or a text without blanks. */
const TOKEN = /([a-z]+):(?=\s|$)|(?:([a-z]+):)?(?:"((?:[^"\\]|\\.)*)(?:"|\\?$)|(\S+))/gisy;
const FIELDS: ReadonlySet<string> = new Set([
  ...WORD_FIELDS,
  'outcome',
  'domain',
  'provider',
  'queue',
  'status',
  'since',
  'until',
  'id',
]);

export const EMPTY_QUERY: EmailQuery = {
  words: [],
  tags: [],
  outcome: null,
  domain: null,
  provider: null,
  queue: null,
  status: null,
  since: null,
  until: null,
  id: null,
};

interface Token {
  /** The name of the field. Null if the term has no field. */
  field: string | null;
  text: string;
  isQuoted: boolean;
}

/** @returns the query, or an error message that names the invalid term */
export function parseEmailQuery(text: string): EmailQuery | { error: string } {
  if (text.length > MAX_QUERY_LENGTH) return { error: `must have at most ${MAX_QUERY_LENGTH} characters` };
  const query: EmailQuery = { ...EMPTY_QUERY, words: [], tags: [] };
  for (const token of tokensOf(text)) {
    const error = addTerm(query, token);
    if (error !== null) return { error };
  }
  if (query.words.length + query.tags.length > MAX_TERMS)
    return { error: `has more than ${MAX_TERMS} words; put them in quotation marks` };
  return query;
}

function* tokensOf(text: string): Generator<Token> {
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at] ?? '')) {
      at++;
      continue;
    }
    TOKEN.lastIndex = at;
    const [whole = '', alone, name, quoted, bare] = TOKEN.exec(text) ?? [];
    at += Math.max(1, whole.length);
    const value = quoted?.replace(/\\(.)/gs, '$1') ?? bare ?? '';
    const field = (name ?? alone ?? '').toLowerCase();
    if (FIELDS.has(field)) yield { field, text: value.trim(), isQuoted: quoted !== undefined };
    // `Re:` and the like look like a field, but there is no such field, so this is a word.
    else if (quoted === undefined) yield { field: null, text: whole, isQuoted: false };
    else {
      if (name !== undefined) yield { field: null, text: `${name}:`, isQuoted: false };
      if (value.trim() !== '') yield { field: null, text: value.trim(), isQuoted: true };
    }
  }
}

/** Adds a term to the query. @returns null, or an error message */
function addTerm(query: EmailQuery, { field, text, isQuoted }: Token): string | null {
  if (text === '') return `${field}: needs a value, such as ${field}:ann`;
  if (field === null) {
    const id = isQuoted ? null : idWithin(text);
    if (id !== null) return setOnce(query, 'id', id);
    query.words.push({ field: 'any', text });
    return null;
  }
  if (field === 'tag' && text.startsWith('=')) {
    query.tags.push(text.slice(1));
    return null;
  }
  if (isWordField(field)) {
    if (field === 'stream' && !STREAMS.some((stream) => stream === text))
      return `stream:${text} is not a stream; use ${STREAMS.join(' and ')}`;
    query.words.push({ field, text });
    return null;
  }
  if (field === 'status') {
    const status = LOG_STATUSES.find((stage) => stage === text.toLowerCase());
    if (status === undefined) return `status:${text} is not a status; use one of ${LOG_STATUSES.join(', ')}`;
    return setOnce(query, 'status', status);
  }
  if (field === 'outcome') {
    const outcome = OUTCOMES.find((name) => name === text.toLowerCase());
    if (outcome === undefined) return `outcome:${text} is not an outcome; use one of ${OUTCOMES.join(', ')}`;
    return setOnce(query, 'outcome', outcome);
  }
  if (field === 'queue') {
    const state = QUEUE_STATES.find((name) => name === text.toLowerCase());
    if (state === undefined)
      return `queue:${text} is not a state of the queue; use one of ${QUEUE_STATES.join(', ')}`;
    return setOnce(query, 'queue', state);
  }
  if (field === 'domain' || field === 'provider') return setOnce(query, field, text.toLowerCase());
  if (field === 'since' || field === 'until') {
    const bound = boundOf(text);
    if (bound === null) return `${field}:${text} is not a time; write 24h, 7d or 2026-11-20`;
    return setOnce(query, field, bound);
  }
  const id = `em_${text.replace(/^em_/i, '').toUpperCase()}`;
  if (!ID.test(id)) return `id:${text} is not the beginning of an id; an id is em_ and 26 letters and digits`;
  return setOnce(query, 'id', id);
}

function setOnce<Field extends Exclude<keyof EmailQuery, 'words' | 'tags'>>(
  query: EmailQuery,
  field: Field,
  value: NonNullable<EmailQuery[Field]>,
): string | null {
  if (query[field] !== null) return `${field}: can be used only once`;
  query[field] = value;
  return null;
}

function isWordField(field: string): field is (typeof WORD_FIELDS)[number] {
  return WORD_FIELDS.some((name) => name === field);
}

function idWithin(text: string): string | null {
  const id = WHOLE_ID.test(text) ? text.slice('em_'.length) : MESSAGE_ID.exec(text)?.[1];
  return id === undefined ? null : `em_${id.toUpperCase()}`;
}

function boundOf(text: string): TimeBound | null {
  const [, count, unit] = AGO.exec(text.toLowerCase()) ?? [];
  if (count !== undefined && (unit === 'm' || unit === 'h' || unit === 'd' || unit === 'w'))
    return { count: Number(count), unit };
  const at = text.toUpperCase();
  return MOMENT.test(at) && isOfCalendar(at) ? { at } : null;
}

/** Whether the day exists in the calendar. `Date` would turn February 31 into a day of March. */
function isOfCalendar(at: string): boolean {
  const day = at.slice(0, 10);
  return (
    !Number.isNaN(Date.parse(at)) &&
    new Date(`${day}T00:00Z`).getTime() > 0 &&
    new Date(`${day}T00:00Z`).toISOString().startsWith(day)
  );
}

/** The canonical text of a query. `parseEmailQuery` parses this text to the same query. */
export function printEmailQuery(query: EmailQuery): string {
  const { words, tags, status, since, until, id } = query;
  return [
    ...words.map(({ field, text }) =>
      field === 'any' ? quote(text, true) : `${field}:${quote(text, false)}`,
    ),
    ...tags.map((tag) => `tag:${quote(`=${tag}`, false)}`),
    ...(['outcome', 'domain', 'provider', 'queue'] as const).flatMap((field) => {
      const value = query[field];
      return value === null ? [] : [`${field}:${quote(value, false)}`];
    }),
    ...(status === null ? [] : [`status:${status}`]),
    ...(since === null ? [] : [`since:${printBound(since)}`]),
    ...(until === null ? [] : [`until:${printBound(until)}`]),
    ...(id === null ? [] : [WHOLE_ID.test(id) ? id : `id:${id}`]),
  ].join(' ');
}

/** @param isAlone whether the value has no field in front. If so, it may need quotes, because it could be parsed as a field or an id */
function quote(text: string, isAlone: boolean): string {
  const isPlain = /^[^\s"\\]+$/.test(text) && !(isAlone && (text.includes(':') || idWithin(text) !== null));
  return isPlain ? text : `"${text.replace(/["\\]/g, '\\$&')}"`;
}

function printBound(bound: TimeBound): string {
  return 'at' in bound ? bound.at : `${bound.count}${bound.unit}`;
}

/** The time that a bound stands for. @param nowMs the current time of `clock.ts` */
export function timeOfBound(bound: TimeBound, nowMs: number): Date {
  return new Date('at' in bound ? bound.at : Math.max(0, nowMs - bound.count * UNITS_MS[bound.unit]));
}

const LAST_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The range of uuids whose ids begin with this text: `from` is the first uuid, `before` the first uuid after the range. */
export function idRange(id: string): { from: string; before: string } {
  const length = 'em_'.length + 26;
  const from = decodeId('em', id.padEnd(length, '0')) ?? LAST_UUID;
  const last = decodeId('em', id.padEnd(length, 'Z')) ?? LAST_UUID;
  if (last === LAST_UUID) return { from, before: LAST_UUID };
  const next = (BigInt(`0x${last.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return { from, before: next.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') };
}
