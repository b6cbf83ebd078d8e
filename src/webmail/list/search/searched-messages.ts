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
  LOOKED_AT,
  type LookedAt,
  matchesTerms,
  lookedFor,
  lookingFor,
  needsContents,
  rowCondition,
} from './matching-messages.ts';

/** What is searched. */
interface Searched {
  terms: readonly MailTerm[];
  folderIds: readonly string[];
  /** null: any message may be what is looked for. */
  candidates: Candidates | null;
  /** Called between statements; what it throws ends the search. */
  tick: () => void;
}

export interface MessageMatch extends MessagePosition {
  threadId: string;
}

interface Batch {
  /** Those that are what is looked for, the newest first. */
  wanted: MessageMatch[];
  /** The last one that was looked at; null: not known. */
  last: MessagePosition | null;
  /** There are no older ones. */
  isEnd: boolean;
}

/** Messages, the newest first, packed: `object_id`, and microseconds in 8 octets. */
interface Places {
  ids: Buffer;
  micros: Buffer;
}

interface Walked extends Places {
  /** null: it went to the end. */
  last: MessagePosition | null;
}

/** Of these a page is full, if what is looked for is in many messages. Each time after that there are four times as many. */
const FIRST_WALK = 1_000;
const MAX_WALK = 20_000;
/** So few candidates are looked up: that takes as long as to walk through some more messages. */
const MAX_LOOKED_UP = 20_000;
/** Messages that are read at a time, or looked through. */
const READ_AT_A_TIME = 300;
/** Messages of a few conversations that are looked at: a row says no more of one, either. */
const MAX_BEFORE = 5_000;
const MICROS_OCTETS = 8;

const FOUND = columnsOf({ n: 'int4', threadId: 'uuid' });
const FOUND_AND_READ = columnsOf({ ...FOUND.kinds, ...LOOKED_AT.kinds });
const OF_THREAD = columnsOf({ id: 'uuid', threadId: 'uuid' });
const OF_THREAD_AND_READ = columnsOf({ ...OF_THREAD.kinds, ...LOOKED_AT.kinds });
const PACKED = columnsOf({ ids: 'bytea?', micros: 'bytea?' });
const WALKED = columnsOf({ ...PACKED.kinds, last: shaped<MessagePosition | null>('json?') });

/** The messages of a mailbox, as a search goes through them. */
export class SearchedMessages {
  readonly #database: Database;
  readonly #mailbox: MailboxKey;
  readonly #searched: Searched;

  constructor(database: Database, mailbox: MailboxKey, searched: Searched) {
    this.#database = database;
    this.#mailbox = mailbox;
    this.#searched = searched;
  }

  /** @param after null: from the newest on */
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
      // Once: how many there are stays the same.
      const few = limit === FIRST_WALK && candidates !== null ? await candidates.few(MAX_LOOKED_UP) : null;
      if (few === null) continue;
      tick();
      yield* this.#readThese(await this.#lookUp(few, place), null);
      yield { wanted: [], last: place, isEnd: true };
      return;
    }
  }

  /** @param positions of those that are meant; null: all of them */
  async *#readThese(
    { ids, micros }: Places,
    positions: readonly number[] | null,
  ): AsyncGenerator<Batch, void, void> {
    const { terms, tick } = this.#searched;
    const meant = positions ?? Array.from({ length: ids.length / ID_OCTETS }, (_, n) => n);
    for (let at = 0; at < meant.length; at += READ_AT_A_TIME) {
      const places = meant.slice(at, at + READ_AT_A_TIME).map((n) => ({
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
      const wanted = wantedOf(terms, rows).map(({ n, threadId }) => ({
        ...(places[n - 1] as MessagePosition),
        threadId,
      }));
      yield { wanted, last: places.at(-1) ?? null, isEnd: false };
    }
  }

  /**
   * Which of some threads have a message that is looked for at a place or before it. `offset 0`: each message is found by its id, also where
   * PostgreSQL has not counted the rows yet; else it goes through all that are newer, for each.
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
    const wanted = wantedOf(terms, rows);
    const ids = packedIds(wanted.map(({ id }) => id));
    const positions = candidates === null ? wanted.keys() : await candidates.among(ids);
    return new Set([...positions].map((n) => (wanted[n] as { threadId: string }).threadId));
  }

  /**
   * So many messages from a place on, and the copies of the last one. The rows stand as they were walked through: to ask for their order once more
   * would sort them.
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
    return { ...placesOf(rows[0]), last: rows[0]?.last ?? null };
  }

  /** Of some messages those behind a place. `offset 0` as in `threadsBefore`. */
  async #lookUp(ids: Buffer, after: MessagePosition | null): Promise<Places> {
    const { projectId, mailboxId } = this.#mailbox;
    const { rows } = await PACKED.sql`
      select ${packed(sql``)} from (
        select m.object_id, m.internal_date from unnest(${packedUuidArray(ids)}::uuid[]) i (id)
        cross join lateral (
          select * from messages m where m.project_id = ${projectId} and m.mailbox_id = ${mailboxId} and m.object_id = i.id offset 0) m
        where ${isOlder(after)} and ${rowCondition(this.#searched.terms, 'time')} and ${this.#rowsWhere()}) m`.execute(
      this.#database,
    );
    return placesOf(rows[0]);
  }

  /** What has to be true of a row `m` of `messages`, besides when it came. */
  #rowsWhere(): RawBuilder<boolean> {
    const { terms, folderIds } = this.#searched;
    return sql<boolean>`(m.folder_id = any(${uuidArray(folderIds)}::uuid[]) and ${rowCondition(terms, 'others')})`;
  }
}

function columnsFor(terms: readonly MailTerm[]): RawBuilder<unknown> {
  return needsContents(terms)
    ? sql`c.thread_id, c.subject, c.addresses, c.attachments, ${lookingFor(lookedFor(terms))} as has`
    : sql`c.thread_id`;
}

function wantedOf<R extends object>(terms: readonly MailTerm[], rows: readonly R[]): readonly R[] {
  return rows.filter((row) => !isRead(row) || matchesTerms(terms, row));
}

function isRead(row: object): row is LookedAt {
  return 'has' in row;
}

const MICROS = sql`(extract(epoch from m.internal_date) * 1000000)::int8`;

function packed(filter: RawBuilder<unknown>): RawBuilder<unknown> {
  const order = sql`order by m.internal_date desc, m.object_id desc`;
  return sql`string_agg(uuid_send(m.object_id), ''::bytea ${order}) ${filter} as ids,
    string_agg(int8send(${MICROS}), ''::bytea ${order}) ${filter} as micros`;
}

function placesOf(row: RowOf<typeof PACKED> | undefined): Places {
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
