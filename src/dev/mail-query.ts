/** Conditions on caught mail, in SQL over `sandbox_messages m`, `emails e` and `email_contents c`. */
import { type RawBuilder, sql } from 'kysely';
import { rankOf, type EmailStage } from '../model/email-status.ts';
import { firstUuidAt } from '../model/ids.ts';

type Condition = RawBuilder<boolean>;

const TO = sql<string>`array_to_string(e.to_list, ' ')`;
const CC = sql<string>`array_to_string(c.cc, ' ')`;
const BCC = sql<string>`array_to_string(c.bcc, ' ')`;
const BODY = sql<string>`coalesce(c.text, '') || ' ' || coalesce(c.html, '')`;
const ENVELOPE = sql<string>`(select coalesce(string_agg(r.address, ' '), '') from email_recipients r
  where r.project_id = e.project_id and r.email_id = e.id)`;
/** The header, as text in which octets outside ASCII are escaped. */
const HEADER = sql<string>`encode(substring(m.message from 1 for 65536), 'escape')`;
const ANYWHERE = sql<string>`concat_ws(' ', e.sender, ${TO}, ${CC}, ${BCC}, c.reply_to, e.subject, ${BODY})`;

/** @returns a condition that is true if the text contains the words, regardless of case */
function contains(text: RawBuilder<string>, words: string): Condition {
  // PostgreSQL rejects NUL, which no stored text contains.
  return sql<boolean>`position(lower(${words.replaceAll('\0', '\ufffd')}) in lower(${text})) > 0`;
}

const FIELDS: Readonly<Record<string, RawBuilder<string>>> = {
  to: TO,
  from: sql<string>`e.sender`,
  cc: CC,
  bcc: BCC,
  'reply-to': sql<string>`coalesce(c.reply_to, '')`,
  addressed: sql<string>`concat_ws(' ', e.sender, ${TO}, ${CC}, ${BCC}, c.reply_to)`,
  subject: sql<string>`e.subject`,
  'message-id': sql<string>`coalesce(substring(${HEADER} from '(?in)^message-id:[^<]*<([^>]*)>'), '')`,
};

/** A word, or text in double quotes, perhaps with a filter in front. */
const TERM = /([-!]?)(?:([a-z-]+):)?(?:"([^"]*)"|(\S+))/gi;
const MAX_TERMS = 20;

/** Conditions for a search of Mailpit (https://mailpit.axllent.org/docs/usage/search-filters/). Filters that it does not have match nothing. */
export function searchConditions(query: string): Condition[] {
  const terms = [...query.matchAll(TERM)].slice(0, MAX_TERMS);
  return terms.flatMap(([, sign, filter = '', quoted, word = '']) => {
    const condition = conditionOf(filter.toLowerCase(), (quoted ?? word).replace(/^"|"$/g, ''));
    if (condition === null) return [];
    return [sign === '' ? condition : sql<boolean>`not (${condition})`];
  });
}

/** @returns null if the term has no text */
function conditionOf(filter: string, value: string): Condition | null {
  if (!/[\p{L}\p{N}]/u.test(value)) return null;
  if (filter === '') return contains(ANYWHERE, value);
  const field = FIELDS[filter];
  if (field !== undefined) return contains(field, value);
  if (filter === 'tag') return sql<boolean>`${value.replaceAll('\0', '\ufffd')} = any (e.tags)`;
  if (filter === 'is') return value === 'unread' ? sql<boolean>`true` : sql<boolean>`false`;
  if (filter === 'has' && /^attachments?$/.test(value))
    return sql<boolean>`encode(m.message, 'escape') ~* 'content-disposition:\\s*attachment'`;
  const atMs = Date.parse(value);
  if (filter === 'after' && !Number.isNaN(atMs)) return sql<boolean>`e.created_at >= ${new Date(atMs)}`;
  if (filter === 'before' && !Number.isNaN(atMs)) return sql<boolean>`e.created_at <= ${new Date(atMs)}`;
  // A word with a colon, such as a URL.
  return contains(ANYWHERE, `${filter}:${value}`);
}

/** What a test waits for. Texts are compared regardless of case. */
export interface MailFilter {
  /** A part of a recipient: of an address in the envelope, or of a name in the header. */
  to?: string;
  from?: string;
  subject?: string;
  text?: string;
  /** Only emails after this time. */
  since?: Date;
  /** uuid: only emails after this one. */
  after?: string;
  /** Only emails with a recipient that has reached this stage. */
  status?: EmailStage;
}

export function filterConditions({ to, from, subject, text, since, after, status }: MailFilter): Condition[] {
  return [
    ...(to === undefined ? [] : [contains(sql<string>`${TO} || ' ' || ${CC} || ' ' || ${ENVELOPE}`, to)]),
    ...(from === undefined ? [] : [contains(sql<string>`e.sender`, from)]),
    ...(subject === undefined ? [] : [contains(sql<string>`e.subject`, subject)]),
    ...(text === undefined ? [] : [contains(BODY, text)]),
    ...(since === undefined ? [] : [sql<boolean>`m.email_id >= ${firstUuidAt(since)}`]),
    ...(after === undefined ? [] : [sql<boolean>`m.email_id > ${after}`]),
    ...(status === undefined ? [] : [sql<boolean>`${rankOf(status)} = any (e.stages)`]),
  ];
}
