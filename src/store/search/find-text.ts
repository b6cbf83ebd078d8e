/**
 * Substring search over everything in a mailbox. What its segments cover is found by them; what came since is looked through,
 * and there is less than one segment of that, as long as `SearchIndexer` keeps up.
 */
import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../db/database.ts';
import { NIL_UUID } from '../../model/ids.ts';
import type { MailboxKey } from '../lock-mailboxes.ts';
import { type TextMatch, scanUnindexed, scanMessages } from './scan-messages.ts';
import { type MessagePart, PART_TEXT } from './message-parts.ts';
import { ID_OCTETS } from './object-ids.ts';
import { readPostings } from './postings.ts';
import { matchSegment, readObjects, readSegments, type Segment } from './segments.ts';
import { planNeedle } from './terms.ts';

/** What is looked for. */
export interface TextQuery {
  part: MessagePart;
  /** In normal form, not empty. */
  needle: string;
  /** What has to be true too of a row `c` of `message_contents` whose part has the needle; null: nothing. */
  also: RawBuilder<boolean> | null;
}

/** Between so many the loop serves others. */
const FOUND_AT_A_TIME = 50_000;

/**
 * The messages of a mailbox that have a text in a part of them, in whatever folder.
 * @param tick called between statements; what it throws ends the search
 */
export async function findText(
  database: Database,
  key: MailboxKey,
  query: TextQuery,
  tick: () => void = () => {},
): Promise<TextMatch> {
  const { part, needle, also } = query;
  const plan = planNeedle(needle);
  const has = hasText(query);
  const found: Buffer[] = [];
  let last = NIL_UUID;
  for (let some: Segment[]; (some = await readSegments(database, key, part, last)).length > 0; ) {
    for (const segment of some) {
      tick();
      const matching = await matchSegment(database, key, segment, plan);
      const objects = await readObjects(database, key, segment);
      // The larger one is read next, although a part of it may have been searched: it ends behind `last`.
      if (matching === null || objects === null) break;
      const candidates = await idsOf(matching, objects, segment.documents);
      const isExact = plan.isExact && also === null;
      found.push(isExact ? candidates : await scanMessages(database, key, has, candidates, tick));
      last = segment.lastObjectId;
    }
  }
  const { ids, unindexed } = await scanUnindexed(database, key, has, last, tick);
  return { ids: Buffer.concat([...found, ids]), unindexed };
}

function hasText({ part, needle, also }: TextQuery): RawBuilder<boolean> {
  const has = sql<boolean>`strpos(${PART_TEXT[part]}, ${needle}) > 0`;
  return also === null ? has : sql<boolean>`(${has} and ${also})`;
}

/** Of the documents of a bitmap. @param objects the ids of all of them */
export async function idsOf(matching: Uint8Array, objects: Buffer, documents: number): Promise<Buffer> {
  const numbers: number[] = [];
  readPostings(matching, documents, (n) => numbers.push(n));
  const found = Buffer.allocUnsafe(numbers.length * ID_OCTETS);
  for (const [at, n] of numbers.entries()) {
    objects.copy(found, at * ID_OCTETS, n * ID_OCTETS, (n + 1) * ID_OCTETS);
    if (at % FOUND_AT_A_TIME === FOUND_AT_A_TIME - 1) await new Promise(setImmediate);
  }
  return found;
}
