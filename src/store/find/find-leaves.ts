import { type RawBuilder, sql } from 'kysely';
import { columnsOf } from '../../db/columns.ts';
import type { Database } from '../../db/database.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { listLine, withoutQuotes } from '../facts/header-text.ts';
import { findText } from '../search/find-text.ts';
import type { MessagePart } from '../search/message-parts.ts';
import { ID_OCTETS, packedUuidArray } from '../search/object-ids.ts';
import { normalForm } from '../search/normal-form.ts';
import type { MessageQuery } from './message-query.ts';

/** A part of a query that is evaluated with an index of the whole mailbox, before the folder is scanned. */
export type Leaf = Extract<MessageQuery, { text: string } | { threadId: string }>;

/** The packed `object_id`s of the matching messages; null if all messages match. */
export type LeafIds = Buffer | null;

/** The matches for the leaves of a query. Equal leaves are evaluated once. */
export class LeafMatches {
  readonly #found = new Map<string, LeafIds>();
  /** The number of messages that no segment of the word index covers. If leaves differ, the maximum of all leaves. */
  unindexed = 0;

  /**
   * The joins that `condition` needs, for a from clause with the row `m` of `messages`. They are faster than `= any` with ten thousand ids,
   * which PostgreSQL would compare one after the other.
   */
  get joins(): RawBuilder<unknown> {
    const joins = [...this.#found.values()].map((ids, n) =>
      ids === null || ids.length === 0
        ? sql``
        : sql`left join (select distinct unnest(${packedUuidArray(ids)}::uuid[]) as id) ${sql.ref(`l${n}`)}
            on ${sql.ref(`l${n}.id`)} = m.object_id`,
    );
    return sql.join(joins, sql` `);
  }

  /** Whether the row `m` matches a leaf. */
  condition(leaf: Leaf): RawBuilder<boolean> {
    const ids = this.idsOf(leaf);
    if (ids === null) return sql<boolean>`true`;
    if (ids.length === 0) return sql<boolean>`false`;
    const n = [...this.#found.keys()].indexOf(JSON.stringify(leaf));
    return sql<boolean>`${sql.ref(`l${n}.id`)} is not null`;
  }

  /** The number of ids of all leaves together. */
  get size(): number {
    let octets = 0;
    for (const ids of this.#found.values()) octets += ids?.length ?? 0;
    return octets / ID_OCTETS;
  }

  idsOf(leaf: Leaf): LeafIds {
    const ids = this.#found.get(JSON.stringify(leaf));
    if (ids === undefined) throw new Error('a leaf of the query was not looked up with `find`');
    return ids;
  }

  async find(database: Database, key: MailboxKey, leaf: Leaf, tick: () => void): Promise<void> {
    const name = JSON.stringify(leaf);
    if (!this.#found.has(name)) this.#found.set(name, await this.#evaluate(database, key, leaf, tick));
  }

  async #evaluate(database: Database, key: MailboxKey, leaf: Leaf, tick: () => void): Promise<LeafIds> {
    if ('threadId' in leaf) return findThread(database, key, leaf.threadId);
    const needle = normalForm(leaf.text);
    if ('field' in leaf) return this.#findField(database, key, leaf, needle, tick);
    if (needle === '') return null;
    const parts: MessagePart[] = leaf.in === 'bodies' ? ['body'] : ['body', 'header'];
    const found: Buffer[] = [];
    for (const part of parts) {
      const { ids, unindexed } = await findText(database, key, { part, needle, also: null }, tick);
      found.push(ids);
      this.unindexed = Math.max(this.unindexed, unindexed);
    }
    return Buffer.concat(found);
  }

  async #findField(
    database: Database,
    key: MailboxKey,
    { field, isList }: Extract<Leaf, { field: string }>,
    needle: string,
    tick: () => void,
  ): Promise<Buffer> {
    const name = `${field.toLowerCase()}:`;
    const names = isList === true ? [name, listLine(field.toLowerCase())] : [name];
    // A needle may have quotes around a name. Normalized lists have no quotes, so the needle is also searched without quotes.
    const needles = new Set([needle, (isList === true && withoutQuotes(needle)) || needle]);
    const found: Buffer[] = [];
    for (const one of needles) {
      // For an empty needle, the field name itself is searched for, so that the index can be used.
      const query = {
        part: 'header' as const,
        needle: one === '' ? name : one,
        also: hasField(names, one),
      };
      const { ids, unindexed } = await findText(database, key, query, tick);
      this.unindexed = Math.max(this.unindexed, unindexed);
      found.push(ids);
    }
    return Buffer.concat(found);
  }
}

/** The length of the separator between a field name and its value (`headerText`). */
const ONE_SPACE = 1;

/** Condition on the row `c` of `message_contents`: a field of the message itself, not of its parts, contains a text. */
function hasField(names: readonly string[], needle: string): RawBuilder<boolean> {
  const has = names.map(
    (name) =>
      sql`(starts_with(line, ${name}) and strpos(substr(line, ${name.length + ONE_SPACE + 1}::int), ${needle}) > 0)`,
  );
  return sql<boolean>`exists (
    select from unnest(string_to_array(split_part(c.header, ${'\n\n'}, 1), ${'\n'})) line
    where ${sql.join(has, sql` or `)})`;
}

const OF_THREAD = columnsOf({ ids: 'bytea?' });

async function findThread(
  database: Database,
  { projectId, mailboxId }: MailboxKey,
  threadId: string,
): Promise<Buffer> {
  const { rows } = await OF_THREAD.sql`
    select string_agg(uuid_send(object_id), ''::bytea) as ids from message_contents
    where project_id = ${projectId} and mailbox_id = ${mailboxId} and thread_id = ${threadId}`.execute(
    database,
  );
  return rows[0]?.ids ?? Buffer.alloc(0);
}
