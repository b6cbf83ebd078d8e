import { type RawBuilder, sql } from 'kysely';
import { columnsOf, type RowOf, shaped } from '../../../db/columns.ts';
import type { Database } from '../../../db/database.ts';
import { uuidArray } from '../../../db/arrays.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import { ID_OCTETS, packedIds, packedUuidArray, uuidAt } from '../../../store/search/object-ids.ts';
import type { MessagePosition } from '../cursors.ts';
import type { Candidates } from './candidates.ts';
import type { MailTerm } from './parse-query.ts';
import {
  containsTerms,
  headFor,
  matchesTerms,
  needsContents,
  rowCondition,
  SEARCHED_DATA,
  type SearchedData,
  termsToCheck,
} from './matching-messages.ts';

interface Searched {
  terms: readonly MailTerm[];
  folderIds: readonly string[];
  /** Null if any message may match. */
  candidates: Candidates | null;
  /** Called between statements. If it throws, the search ends. */
  tick: () => void;
}

export interface MessageMatch extends MessagePosition {
  threadId: string;
}

interface Batch {
  /** The matching messages, newest first. */
  wanted: MessageMatch[];
  /** The last message that was checked; null if unknown. */
  last: MessagePosition | null;
  /** Whether there are no older messages. */
  isEnd: boolean;
}

/** Messages, newest first. Each message is packed as its `object_id` and its time of receipt, as microseconds in 8 octets. */
interface PackedMessages {
  ids: Buffer;
  micros: Buffer;
}

interface Walked extends PackedMessages {
  /** Null if the scan reached the end. */
  last: MessagePosition | null;
}

/**
 * The number of messages in the first scan, enough to fill a page if many messages match. Each later scan reads four times as many messages
 * as the previous scan.
 */
const FIRST_WALK = 1_000;
const MAX_WALK = 20_000;
/** Up to this many candidates are looked up by id. The lookup takes no longer than another scan of messages. */
const MAX_LOOKED_UP = 20_000;
/** The number of messages read per statement. */
const READ_AT_A_TIME = 300;
/** Maximum number of messages read by `threadsBefore`. Rows of lists have a similar limit. */
const MAX_BEFORE = 5_000;
const MICROS_OCTETS = 8;

const FOUND = columnsOf({ n: 'int4', threadId: 'uuid' });
const FOUND_AND_READ = columnsOf({ ...FOUND.kinds, ...SEARCHED_DATA.kinds });
const OF_THREAD = columnsOf({ id: 'uuid', threadId: 'uuid' });
const OF_THREAD_AND_READ = columnsOf({ ...OF_THREAD.kinds, ...SEARCHED_DATA.kinds });
const PACKED = columnsOf({ ids: 'bytea?', micros: 'bytea?' });
const WALKED = columnsOf({ ...PACKED.kinds, last: shaped<MessagePosition | null>('json?') });

/** Iterates over the messages in a mailbox that match a search. */
export class SearchedMessages {
  readonly #database: Database;
  readonly #mailbox: MailboxKey;
  readonly #searched: Searched;

  constructor(database: Database, mailbox: MailboxKey, searched: Searched) {
    this.#database = database;
    this.#mailbox = mailbox;
    this.#searched = searched;
  }

  /** @param after null to start with the newest message */
  async *read(after: MessagePosition | null): AsyncGenerator<Batch, void, void> {
    const { candidates, tick } = this.#searched;
    let place = after;
    for (let limit = FIRST_WALK; ; limit = Math.min(MAX_WALK, limit * 4)) {
      tick();
      const walked = await this.#walk(place, limit);
      yield* this.#readThese(walked, candidates === null ? null : await candidates.among(walked.ids));
      yield { wanted: [], last: walked.last, isEnd: walked.last === null };
      if (walked.last === null) return;
      place = walked.last;
      // The lookup by id is tried only once, because the number of candidates does not change during a search.
      const few = limit === FIRST_WALK && candidates !== null ? await candidates.few(MAX_LOOKED_UP) : null;
      if (few === null) continue;
      tick();
      yield* this.#readThese(await this.#lookUp(few, place), null);
      yield { wanted: [], last: place, isEnd: true };
      return;
    }
  }

  /** @param positions the positions of the messages to read; null for all messages */
  async *#readThese(
    { ids, micros }: PackedMessages,
    positions: readonly number[] | null,
  ): AsyncGenerator<Batch, void, void> {
    const { terms, tick } = this.#searched;
    const positionsToRead = positions ?? Array.from({ length: ids.length / ID_OCTETS }, (_, n) => n);
    for (let at = 0; at < positionsToRead.length; at += READ_AT_A_TIME) {
      const places = positionsToRead.slice(at, at + READ_AT_A_TIME).map((n) => ({
        id: uuidAt(ids, n),
        micros: micros.readBigInt64BE(n * MICROS_OCTETS).toString(),
      }));
      tick();
      const { projectId, mailboxId } = this.#mailbox;
      const { rows } = await (needsContents(terms) ? FOUND_AND_READ : FOUND).sql`
        select p.n::int, ${columnsFor(terms)} from unnest(${uuidArray(places.map(({ id }) => id))}::uuid[]) with ordinality p (id, n)
        cross join lateral (
          select * from message_contents c
          where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.object_id = p.id limit 1) c
        order by p.n`.execute(this.#database);
      const wanted = matchesOf(terms, rows).map(({ n, threadId }) => ({
        ...(places[n - 1] as MessagePosition),
        threadId,
      }));
      yield { wanted, last: places.at(-1) ?? null, isEnd: false };
    }
  }

  /**
   * Returns the threads that have a matching message at or before a position in the list. `offset 0` makes PostgreSQL look up each message
   * by id even without statistics. Otherwise PostgreSQL could scan all messages newer than the position, once for each message of the threads.
   */
  async threadsBefore(place: MessagePosition, threadIds: readonly string[]): Promise<Set<string>> {
    const { projectId, mailboxId } = this.#mailbox;
    const { terms, candidates } = this.#searched;
    const { rows } = await (needsContents(terms) ? OF_THREAD_AND_READ : OF_THREAD).sql`
      select c.object_id as id, ${columnsFor(terms)} from message_contents c
      cross join lateral (
        select * from messages m where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.object_id = c.object_id offset 0) m
      where c.project_id = ${projectId} and c.mailbox_id = ${mailboxId} and c.thread_id = any(${uuidArray(threadIds)}::uuid[])
        and (m.internal_date, m.object_id) >= (${timeOf(place)}, ${place.id}::uuid) and ${rowCondition(terms, 'time')}
        and ${this.#rowsWhere()}
      limit ${MAX_BEFORE}`.execute(this.#database);
    const wanted = matchesOf(terms, rows);
    const ids = packedIds(wanted.map(({ id }) => id));
    const positions = candidates === null ? wanted.keys() : await candidates.among(ids);
    return new Set([...positions].map((n) => (wanted[n] as { threadId: string }).threadId));
  }

  /**
   * Scans `limit` messages from a position, plus copies of the last message. `last` relies on the order of the materialized rows, because
   * another `order by` would sort the rows again.
   */
  async #walk(after: MessagePosition | null, limit: number): Promise<Walked> {
    const { projectId, mailboxId } = this.#mailbox;
    const { rows } = await WALKED.sql`
      with walked as materialized (
        select m.object_id, m.internal_date, ${this.#rowsWhere()} as fits from messages m
        where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and ${isOlder(after)}
          and ${rowCondition(this.#searched.terms, 'time')}
        order by m.internal_date desc, m.object_id desc fetch first ${limit} rows with ties
      )
      select ${packed(sql`filter (where fits)`)}, (
        select json_build_object('id', m.object_id, 'micros', ${MICROS}::text)
        from (select * from walked offset ${limit - 1} limit 1) m) as last
      from walked m`.execute(this.#database);
    return { ...packedOf(rows[0]), last: rows[0]?.last ?? null };
  }

  /** Reads the given messages that come after a position. See `threadsBefore` for `offset 0`. */
  async #lookUp(ids: Buffer, after: MessagePosition | null): Promise<PackedMessages> {
    const { projectId, mailboxId } = this.#mailbox;
    const { rows } = await PACKED.sql`
      select ${packed(sql``)} from (
        select m.object_id, m.internal_date from unnest(${packedUuidArray(ids)}::uuid[]) i (id)
        cross join lateral (
          select * from messages m where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.object_id = i.id offset 0) m
        where ${isOlder(after)} and ${rowCondition(this.#searched.terms, 'time')} and ${this.#rowsWhere()}) m`.execute(
      this.#database,
    );
    return packedOf(rows[0]);
  }

  /** The condition on the row `m` of `messages`, without the terms about the time of receipt. */
  #rowsWhere(): RawBuilder<boolean> {
    const { terms, folderIds } = this.#searched;
    return sql<boolean>`(m.folder_id = any(${uuidArray(folderIds)}::uuid[]) and ${rowCondition(terms, 'others')})`;
  }
}

function columnsFor(terms: readonly MailTerm[]): RawBuilder<unknown> {
  return needsContents(terms)
    ? sql`c.thread_id, c.subject, c.addresses, c.attachments, ${headFor(terms)} as head, ${containsTerms(termsToCheck(terms))} as has`
    : sql`c.thread_id`;
}

function matchesOf<R extends object>(terms: readonly MailTerm[], rows: readonly R[]): readonly R[] {
  return rows.filter((row) => !isRead(row) || matchesTerms(terms, row));
}

function isRead(row: object): row is SearchedData {
  return 'has' in row;
}

const MICROS = sql`(extract(epoch from m.internal_date) * 1000000)::int8`;

function packed(filter: RawBuilder<unknown>): RawBuilder<unknown> {
  const order = sql`order by m.internal_date desc, m.object_id desc`;
  return sql`string_agg(uuid_send(m.object_id), ''::bytea ${order}) ${filter} as ids,
    string_agg(int8send(${MICROS}), ''::bytea ${order}) ${filter} as micros`;
}

function packedOf(row: RowOf<typeof PACKED> | undefined): PackedMessages {
  return { ids: row?.ids ?? Buffer.alloc(0), micros: row?.micros ?? Buffer.alloc(0) };
}

function isOlder(than: MessagePosition | null): RawBuilder<boolean> {
  return than === null
    ? sql<boolean>`true`
    : sql<boolean>`(m.internal_date, m.object_id) < (${timeOf(than)}, ${than.id}::uuid)`;
}

function timeOf({ micros }: MessagePosition): RawBuilder<unknown> {
  return sql`timestamptz 'epoch' + ${micros}::int8 * interval '1 microsecond'`;
}
