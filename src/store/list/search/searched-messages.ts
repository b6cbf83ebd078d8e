import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { uuidArray } from '../../../db/arrays.ts';
import type { MailboxKey } from '../../lock-mailboxes.ts';
import { ID_OCTETS, packedUuidArray, uuidsOf } from '../../search/object-ids.ts';
import type { MessagePlace } from '../cursors.ts';
import type { MailTerm } from './parse-query.ts';
import {
  isWanted,
  type LookedAt,
  lookedFor,
  lookingFor,
  needsLook,
  rowCondition,
} from './wanted-messages.ts';

/** What is searched. */
interface Searched {
  terms: readonly MailTerm[];
  folderIds: readonly string[];
  /** As `Candidates`. */
  ids: Buffer | null;
  /** How many messages the mailbox has. */
  inMailbox: number;
}

export interface FoundMessage extends MessagePlace {
  threadId: string;
}

interface Batch {
  /** Those that are what is looked for, the newest first. */
  wanted: FoundMessage[];
  /** The last one that was looked at; null: there was none. */
  last: MessagePlace | null;
  /** There are no older ones. */
  isEnd: boolean;
}

/** Where a candidate is one of so many messages, looking it up is quicker than going through all of them. */
const LOOK_UP_SHARE = 8;
/** Messages of a few conversations that are looked at: a row says no more of one, either. */
const MAX_BEFORE = 5_000;

/** The messages of a mailbox, as a search goes through them. */
export class SearchedMessages {
  readonly #database: Database;
  readonly #mailbox: MailboxKey;
  readonly #searched: Searched;
  #candidates: Set<string> | undefined;

  constructor(database: Database, mailbox: MailboxKey, searched: Searched) {
    this.#database = database;
    this.#mailbox = mailbox;
    this.#searched = searched;
  }

  /** @param after null: from the newest on */
  async read(after: MessagePlace | null, limit: number): Promise<Batch> {
    const { terms } = this.#searched;
    const isOlder =
      after === null
        ? sql`true`
        : sql`(m.internal_date, m.object_id) < (${timeOf(after)}, ${after.id}::uuid)`;
    const { rows } = await sql<Row>`
      select ${columnsFor(terms)} from (
        select * from ${this.#candidatesWhere(isOlder)} order by internal_date desc, object_id desc limit ${limit}) m
      cross join lateral (
        select * from message_contents c
        where c.project_id = m.project_id and c.mailbox_id = m.mailbox_id and c.object_id = m.object_id limit 1) c
      order by m.internal_date desc, m.object_id desc`.execute(this.#database);
    return { wanted: this.#wantedOf(rows), last: rows.at(-1) ?? null, isEnd: rows.length < limit };
  }

  /** Which of some threads have a message that is looked for at a place or before it. */
  async threadsBefore(place: MessagePlace, threadIds: readonly string[]): Promise<Set<string>> {
    const { projectId, mailboxId } = this.#mailbox;
    const { rows } = await sql<Row>`
      select ${columnsFor(this.#searched.terms)} from message_contents c
      join messages m on m.project_id = c.project_id and m.mailbox_id = c.mailbox_id and m.object_id = c.object_id
      where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.thread_id = any(${uuidArray(threadIds)}::uuid[])
        and ${this.#rowsWhere(sql`(m.internal_date, m.object_id) >= (${timeOf(place)}, ${place.id}::uuid)`)}
      limit ${MAX_BEFORE}`.execute(this.#database);
    const found = this.#wantedOf(rows).filter(({ id }) => this.#isCandidate(id));
    return new Set(found.map(({ threadId }) => threadId));
  }

  /** For a from clause: the rows that may be what is looked for. */
  #candidatesWhere(also: RawBuilder<unknown>): RawBuilder<unknown> {
    const { ids, inMailbox } = this.#searched;
    const isThere = this.#rowsWhere(also);
    if (ids === null) return sql`messages m where ${isThere}`;
    const array = packedUuidArray(ids);
    if (ids.length / ID_OCTETS < inMailbox / LOOK_UP_SHARE)
      return sql`messages m where ${isThere} and m.object_id = any(${array}::uuid[])`;
    // No index has an expression: of a hundred thousand PostgreSQL would look up each, and so it goes through the messages once.
    return sql`messages m where ${isThere} and coalesce(m.object_id) = any(${array}::uuid[])`;
  }

  #rowsWhere(also: RawBuilder<unknown>): RawBuilder<unknown> {
    const { projectId, mailboxId } = this.#mailbox;
    const { terms, folderIds } = this.#searched;
    return sql`m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.folder_id = any(${uuidArray(folderIds)}::uuid[])
      and ${rowCondition(terms)} and ${also}`;
  }

  #wantedOf(rows: readonly Row[]): FoundMessage[] {
    const { terms } = this.#searched;
    return needsLook(terms) ? rows.filter((row) => isWanted(terms, row)) : [...rows];
  }

  #isCandidate(id: string): boolean {
    const { ids } = this.#searched;
    if (ids === null) return true;
    this.#candidates ??= new Set(uuidsOf(ids));
    return this.#candidates.has(id);
  }
}

/** `LookedAt` is in it only where something of it is asked for. */
type Row = FoundMessage & LookedAt;

function columnsFor(terms: readonly MailTerm[]): RawBuilder<unknown> {
  const place = sql`m.object_id as id, (extract(epoch from m.internal_date) * 1000000)::int8::text as micros, c.thread_id`;
  return needsLook(terms)
    ? sql`${place}, c.subject, c.addresses, c.attachments, ${lookingFor(lookedFor(terms))} as has`
    : place;
}

function timeOf({ micros }: MessagePlace): RawBuilder<unknown> {
  return sql`timestamptz 'epoch' + ${micros}::int8 * interval '1 microsecond'`;
}
