/**
 * Substring search over a whole mailbox. Messages covered by segments are found with the index; newer messages are scanned. As long as
 * `SearchIndexer` keeps up, there are fewer newer messages than one segment covers.
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

/** A text search in one part of messages. */
export interface TextQuery {
  part: MessagePart;
  /** The text to find, in normal form and not empty. */
  needle: string;
  /** A further condition on the row `c` of `message_contents`, or null. */
  also: RawBuilder<boolean> | null;
}

/** Matches processed before yielding to the event loop. */
const FOUND_AT_A_TIME = 50_000;

/**
 * Finds messages in a mailbox, in all folders, that contain a text in one of their parts (`MessagePart`).
 * @param tick called between statements; if it throws, the search ends
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
      // If the segment was not found, it was merged into a larger segment. The next `readSegments` returns the larger segment, because it
      // ends after `last`. Some of its messages may be searched twice.
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

/** The packed ids of the documents in a bitmap. @param objects the ids of all documents of the segment */
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
