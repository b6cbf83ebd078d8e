import { type RawBuilder, sql } from 'kysely';
import type { Database } from '../../../db/database.ts';
import { NIL_UUID } from '../../../model/ids.ts';
import type { MailboxKey } from '../../../store/lock-mailboxes.ts';
import { idsOf } from '../../../store/search/find-text.ts';
import { SEGMENT_DOCUMENTS } from '../../../store/search/index-mailbox.ts';
import { countBehind, scanUnindexed, scanMessages } from '../../../store/search/scan-messages.ts';
import { type MessagePart, PART_TEXT } from '../../../store/search/message-parts.ts';
import { compareIds, ID_OCTETS, packedIds, positionOf } from '../../../store/search/object-ids.ts';
import { bitmapLength, readPostings } from '../../../store/search/postings.ts';
import { matchSegment, readObjects, readSegments, type Segment } from '../../../store/search/segments.ts';
import { type NeedlePlan, planNeedle } from '../../../store/search/terms.ts';
import type { MailTerm } from './parse-query.ts';
import { textTerms } from './matching-messages.ts';

/**
 * The head and the body of messages are indexed in separate segments. The segments of both parts cover the same messages in the same order,
 * although their boundaries differ. A message therefore has the same number in both parts, and a bitmap over all indexed messages can hold
 * the matches.
 */
interface PositionedSegment extends Segment {
  /** The number of documents in the segments before this segment. */
  offset: number;
  /** The first and the last id of the segment. */
  border: Buffer;
}

interface Text {
  plan: NeedlePlan;
  parts: readonly MessagePart[];
  matching: Uint8Array;
  searched: Set<PositionedSegment>;
}

/**
 * Finds messages that may contain all texts of a search, with the word index. Reads segments only when needed. All reads must be in one
 * snapshot.
 */
export class Candidates {
  readonly #database: Database;
  readonly #mailbox: MailboxKey;
  readonly #head: readonly PositionedSegment[];
  readonly #body: readonly PositionedSegment[];
  readonly #texts: readonly Text[];
  /** The condition on the row `c` of `message_contents`, for messages in no segment. */
  readonly #has: RawBuilder<boolean>;
  readonly #tick: () => void;
  /** The number of messages that are in no segment and must be scanned. Counted up to the size of a segment. */
  unindexed = 0;

  private constructor(
    database: Database,
    mailbox: MailboxKey,
    { head, body }: Record<'head' | 'body', PositionedSegment[]>,
    terms: readonly SearchedText[],
    tick: () => void,
  ) {
    this.#database = database;
    this.#mailbox = mailbox;
    this.#tick = tick;
    // As a safeguard, the index is ignored and the messages are scanned if the parts ever disagree.
    const isSame =
      documentsOf(head) === documentsOf(body) && [...head, ...body].every(({ offset }) => offset % 8 === 0);
    this.#head = isSame ? head : [];
    this.#body = isSame ? body : [];
    const size = bitmapLength(documentsOf(this.#head));
    this.#texts = terms.map(({ text, in: field }) => ({
      plan: planNeedle(text),
      parts: partsOf(field),
      matching: new Uint8Array(size),
      searched: new Set(),
    }));
    this.#has = sql`${sql.join(
      terms.map(({ text, in: field }) => {
        const has = partsOf(field).map((part) => sql`strpos(${PART_TEXT[part]}, ${text}) > 0`);
        return sql`(${sql.join(has, sql` or `)})`;
      }),
      sql` and `,
    )}`;
  }

  /**
   * @param tick called between statements; if it throws, the search ends
   * @returns null if the search has no text: any message may then match
   */
  static async open(
    database: Database,
    mailbox: MailboxKey,
    terms: readonly MailTerm[],
    tick: () => void,
  ): Promise<Candidates | null> {
    const texts = textTerms(terms).filter(({ not }) => !not);
    if (texts.length === 0) return null;
    const head = positioned(await readSegments(database, mailbox, 'head'));
    const body = positioned(await readSegments(database, mailbox, 'body'));
    return new Candidates(database, mailbox, { head, body }, texts, tick);
  }

  /** @param ids packed ids @returns the positions of the candidates in `ids` */
  async among(ids: Buffer): Promise<number[]> {
    const count = ids.length / ID_OCTETS;
    const segments = Array.from({ length: count }, (_, n) => this.#segmentOf(ids, n));
    for (const segment of new Set(segments)) if (segment !== null) await this.#match(segment);
    const fits = new Uint8Array(count);
    const unknown: number[] = [];
    let objects: Buffer = Buffer.alloc(0);
    for (const [n, segment] of segments.entries()) {
      if (segment !== null && segment !== segments[n - 1]) objects = await this.#objectsOf(segment);
      const position = segment === null ? -1 : positionOf(objects, ids, n);
      if (segment === null || position === -1) unknown.push(n);
      else if (this.#matches(segment.offset + position)) fits[n] = 1;
    }
    for (const n of await this.#scan(ids, unknown)) fits[n] = 1;
    return Array.from({ length: count }, (_, n) => n).filter((n) => fits[n] === 1);
  }

  /** @returns the packed ids of all candidates, without duplicates; null if there are more than `max` */
  async few(max: number): Promise<Buffer | null> {
    const found: Buffer[] = [];
    let count = 0;
    for (const segment of this.#head.toReversed()) {
      await this.#match(segment);
      const matching = this.#matchingOf(segment);
      readPostings(matching, segment.documents, () => count++);
      if (count > max) return null;
      found.push(await idsOf(matching, await this.#objectsOf(segment), segment.documents));
    }
    const last = this.#head.at(-1)?.lastObjectId ?? NIL_UUID;
    // The count is set before the scan. If the scan takes too long, the count shows that these messages need to be indexed.
    this.unindexed = await countBehind(this.#database, this.#mailbox, last, SEGMENT_DOCUMENTS);
    const rest = await scanUnindexed(this.#database, this.#mailbox, this.#has, last, this.#tick);
    return count + rest.ids.length / ID_OCTETS > max ? null : Buffer.concat([...found, rest.ids]);
  }

  /** The segment that may contain a message. Null if no segment can contain the message, for example because the message was added late. */
  #segmentOf(ids: Buffer, n: number): PositionedSegment | null {
    let [low, high] = [0, this.#head.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const segment = this.#head[middle] as PositionedSegment;
      if (compareIds(ids, n, segment.border, 0) < 0) high = middle - 1;
      else if (compareIds(ids, n, segment.border, 1) > 0) low = middle + 1;
      else return segment;
    }
    return null;
  }

  async #objectsOf(segment: Segment): Promise<Buffer> {
    return existing(await readObjects(this.#database, this.#mailbox, segment));
  }

  /** Matches all texts against the documents of a segment. */
  async #match({ offset, documents }: PositionedSegment): Promise<void> {
    for (const { plan, parts, matching, searched } of this.#texts)
      for (const part of parts)
        for (const segment of part === 'head' ? this.#head : this.#body) {
          const isOutside =
            segment.offset >= offset + documents || segment.offset + segment.documents <= offset;
          if (isOutside || searched.has(segment)) continue;
          this.#tick();
          const found = existing(await matchSegment(this.#database, this.#mailbox, segment, plan));
          const begin = segment.offset / 8;
          for (const [at, octet] of found.entries())
            matching[begin + at] = (matching[begin + at] as number) | octet;
          searched.add(segment);
        }
  }

  #matches(document: number): boolean {
    const mask = 1 << (document & 7);
    return this.#texts.every(({ matching }) => ((matching[document >> 3] as number) & mask) !== 0);
  }

  #matchingOf({ offset, documents }: PositionedSegment): Uint8Array {
    const [first, ...others] = this.#texts.map(({ matching }) =>
      matching.subarray(offset / 8, offset / 8 + bitmapLength(documents)),
    );
    const all = Uint8Array.from(first ?? []);
    for (const other of others)
      for (let at = 0; at < all.length; at++) all[at] = (all[at] as number) & (other[at] as number);
    return all;
  }

  /** @returns the positions whose messages contain all texts */
  async #scan(ids: Buffer, positions: readonly number[]): Promise<number[]> {
    if (positions.length === 0) return [];
    const some = positions.map((n) => ids.subarray(n * ID_OCTETS, (n + 1) * ID_OCTETS));
    const has = await scanMessages(this.#database, this.#mailbox, this.#has, Buffer.concat(some), this.#tick);
    const found = new Set<string>();
    for (let at = 0; at < has.length; at += ID_OCTETS) found.add(has.toString('latin1', at, at + ID_OCTETS));
    return positions.filter((_, n) => found.has((some[n] as Buffer).toString('latin1')));
  }
}

type SearchedText = ReturnType<typeof textTerms>[number];

/** The parts in which a field is searched. The head contains all names and addresses. */
function partsOf(field: SearchedText['in']): readonly MessagePart[] {
  return field === 'anywhere' ? ['head', 'body'] : ['head'];
}

function documentsOf(segments: readonly PositionedSegment[]): number {
  const last = segments.at(-1);
  return last === undefined ? 0 : last.offset + last.documents;
}

function positioned(segments: readonly Segment[]): PositionedSegment[] {
  let offset = 0;
  return segments.map((segment) => {
    const next = { ...segment, offset, border: packedIds([segment.firstObjectId, segment.lastObjectId]) };
    offset += segment.documents;
    return next;
  });
}

/** Throws for null: a row cannot disappear within one snapshot. */
function existing<T>(value: T | null): T {
  if (value === null) throw new Error('a segment is gone');
  return value;
}
