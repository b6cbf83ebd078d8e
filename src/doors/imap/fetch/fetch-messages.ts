/** Sends FETCH responses, message by message, while the next messages are read. */
import { UnknownEncoding } from '../../../rfc/mime/index.ts';
import type { OpenBlob } from '../../../blobs/blobs.ts';
import type { MaybePromise } from '../../../model/maybe-promise.ts';
import { FLAG } from '../../../store/flags.ts';
import { type MessageField, mostAtOnce, NOT_STORED } from '../../../store/read-fields.ts';
import { rangesAbove, rangesOf, type UidRange } from '../../../store/uid-ranges.ts';
import { FAREWELLS } from '../responses.ts';
import type { Output } from '../output.ts';
import type { FolderSession } from '../session.ts';
import { type FetchedRow, rowsOfFields } from './fetched-row.ts';
import type { FetchPlan, OctetItem } from './fetch-plan.ts';
import { type OctetSource, MessageOctets } from './message-octets.ts';

/** Limits on a group of messages. The bytes of a group are read together, and stay in memory until they are sent. */
const GROUP = { messages: 200, octets: 524_288 };
/** Maximum size of a message that is read at once. Larger messages are objects, which are read piece by piece. */
const LARGE_OCTETS = 65_536;
/** How many slices to read ahead while earlier slices are sent. Each slice takes a database connection. */
const SLICES_AHEAD = 2;
const ASCII = /^[\x00-\x7f]*$/;

interface BegunSlice {
  slice: readonly UidRange[];
  /** The first page of rows. Most slices have only one page. */
  first: Promise<FetchedRow[]>;
}

export interface Fetched {
  /** Number of FETCH responses sent. */
  count: number;
  /** Whether a requested part has an unknown transfer encoding. */
  hasUnknownEncoding: boolean;
}

/** Sends a FETCH response for each message. @param ranges see `SelectedFolder.resolve` @returns null if the connection is over */
export async function fetchMessages(
  session: FolderSession,
  plan: FetchPlan,
  ranges: readonly UidRange[],
): Promise<Fetched | null> {
  const fetching = new Fetching(session, plan);
  return (await fetching.run(ranges)) ? fetching : null;
}

class Fetching implements Fetched {
  count = 0;
  hasUnknownEncoding = false;
  readonly #session: FolderSession;
  readonly #output: Output;
  readonly #plan: FetchPlan;

  constructor(session: FolderSession, plan: FetchPlan) {
    this.#session = session;
    this.#output = session.output;
    this.#plan = plan;
  }

  /** @returns false if the connection is over */
  async run(ranges: readonly UidRange[]): Promise<boolean> {
    const { selected } = this.#session;
    for await (const rows of this.#reading(ranges)) {
      const known = rows.filter(({ uid }) => selected.numberOf(uid) > 0);
      const isConnected =
        this.#plan.octets.length === 0 ? await this.#sendAll(known) : await this.#sendWithOctets(known);
      if (!isConnected) return false;
    }
    return true;
  }

  /** Yields pages of rows in order, and reads ahead while the caller processes a page. */
  async *#reading(ranges: readonly UidRange[]): AsyncGenerator<FetchedRow[]> {
    const fields = [...this.#plan.fields];
    const begun: BegunSlice[] = [];
    for (const slice of this.#session.selected.slices(ranges, mostAtOnce(fields))) {
      const first = this.#read(slice, fields);
      // Avoids an unhandled rejection. The error is thrown when this slice is consumed.
      first.catch(() => {});
      begun.push({ slice, first });
      if (begun.length > SLICES_AHEAD) yield* this.#pagesOf(begun.shift() as BegunSlice, fields);
    }
    for (const each of begun) yield* this.#pagesOf(each, fields);
  }

  /** Yields all pages of a slice. Slices with large fields have several pages, of which only the first is read ahead. */
  async *#pagesOf(
    { slice, first }: BegunSlice,
    fields: readonly MessageField[],
  ): AsyncGenerator<FetchedRow[]> {
    let rows = await first;
    for (let rest = slice; ; rows = await this.#read(rest, fields)) {
      const last = rows.at(-1);
      if (last === undefined) return;
      yield rows;
      rest = rangesAbove(rest, last.uid);
      if (rest.length === 0) return;
    }
  }

  async #read(ranges: readonly UidRange[], fields: readonly MessageField[]): Promise<FetchedRow[]> {
    const { services, selected } = this.#session;
    return rowsOfFields(await services.store.fields(selected.key, ranges, fields), fields);
  }

  async #sendAll(rows: readonly FetchedRow[]): Promise<boolean> {
    for (const row of rows) {
      this.#output.raw(`${this.#begin(row)})\r\n`);
      if (this.#output.isDrainDue && !(await this.#output.drained())) return false;
    }
    return this.#output.drained();
  }

  async #sendWithOctets(rows: readonly FetchedRow[]): Promise<boolean> {
    const groups = groupsOf(rows, (row) =>
      this.#storedFields(row) === null ? Number(row.field('octets')) : 0,
    );
    let next = this.#open(groups[0]);
    for (const [at, group] of groups.entries()) {
      const blobs = await next;
      next = this.#open(groups[at + 1]);
      next.catch(() => {});
      if (this.#plan.setsSeen) await this.#setSeen(group);
      for (const row of group) {
        const fields = this.#storedFields(row);
        if (fields !== null) this.#sendStored(row, fields);
        else if (!(await this.#sendMessage(row, blobs.get(row) ?? null))) return false;
        if (this.#output.isDrainDue && !(await this.#output.drained())) return false;
      }
    }
    return this.#output.drained();
  }

  /** Opens the bytes of the messages whose rows lack a requested item. */
  async #open(rows: readonly FetchedRow[] = []): Promise<ReadonlyMap<FetchedRow, OpenBlob | null>> {
    const { services, selected } = this.#session;
    const needed = rows.filter((row) => this.#storedFields(row) === null);
    if (needed.length === 0) return new Map();
    const digests = needed.map((row) => Buffer.from(row.field('digest'), 'hex'));
    const blobs = await services.blobs.openAll(selected.key.projectId, digests);
    return new Map(needed.map((row, at) => [row, blobs[at] ?? null]));
  }

  /** The stored header fields of a message, if all items can be built from stored fields; null if the bytes of the message are needed. */
  #storedFields(row: FetchedRow): string | null {
    if (this.#plan.storedItems === null) return null;
    const fields = row.field('usualFields');
    return fields === NOT_STORED ? null : fields;
  }

  #sendStored(row: FetchedRow, fields: string): void {
    let text = this.#begin(row);
    let isFirst = this.#plan.texts.length === 0 && !row.isChanged;
    for (const { name, select } of this.#plan.storedItems ?? []) {
      const octets = select(fields);
      this.#output.noteWork(fields.length);
      text += `${isFirst ? '' : ' '}${name}${literalOf(octets.length, false)}`;
      isFirst = false;
      if (ASCII.test(octets)) text += octets;
      else {
        this.#output.raw(text);
        this.#output.raw(Buffer.from(octets, 'latin1'));
        text = '';
      }
    }
    this.#output.raw(`${text})\r\n`);
  }

  /** Sets \Seen on unseen messages before their FETCH responses are sent, so that the responses include the new flags. */
  async #setSeen(rows: readonly FetchedRow[]): Promise<void> {
    const { services, selected } = this.#session;
    const unseen = new Map(
      rows.filter(({ flags }) => (flags & FLAG.seen) === 0).map((row) => [row.uid, row]),
    );
    if (unseen.size === 0 || selected.isReadOnly) return;
    const change = { op: 'add', flags: FLAG.seen, keywords: [] } as const;
    const result = await services.store.flag(selected.key, rangesOf([...unseen.keys()]), change);
    if (result.outcome !== 'flagged') return;
    for (const message of result.messages) {
      unseen.get(message.uid)?.change(message);
      selected.excludeFromSync(message);
    }
  }

  async #sendMessage(row: FetchedRow, blob: OpenBlob | null): Promise<boolean> {
    const { services, selected } = this.#session;
    this.#output.raw(this.#begin(row));
    const name = `${selected.key.projectId} ${row.field('digest')}`;
    const octets = blob === null ? null : new MessageOctets(blob, name, services.parts);
    let isFirst = this.#plan.texts.length === 0 && !row.isChanged;
    for (const item of this.#plan.octets) {
      // Attack: two hundred items that each scan a whole message for a few octets.
      if (blob !== null) this.#output.noteWork(Math.min(blob.size, LARGE_OCTETS));
      if (this.#output.isDrainDue && !(await this.#output.drained())) return false;
      const reading = octets === null ? null : this.#readItem(item, octets);
      const content = reading instanceof Promise ? await reading : reading;
      if (content === 'unknown') continue;
      this.#output.raw(isFirst ? item.name : ` ${item.name}`);
      isFirst = false;
      if (content === null) this.#output.raw(' NIL');
      else if (item.isSize) this.#output.raw(` ${content.size}`);
      else if (!(this.#sendBuffered(content) || (await this.#sendLiteral(content)))) return false;
    }
    // The list of items in a FETCH response must not be empty, even if all items had unknown encodings.
    this.#output.raw(isFirst ? `UID ${row.uid})\r\n` : ')\r\n');
    return true;
  }

  #readItem(item: OctetItem, octets: MessageOctets): MaybePromise<OctetSource | null | 'unknown'> {
    const reading = item.read(octets);
    if (!(reading instanceof Promise)) return reading;
    return reading.catch((error: unknown) => {
      if (!(error instanceof UnknownEncoding)) throw error;
      this.hasUnknownEncoding = true;
      return 'unknown' as const;
    });
  }

  /** Sends octets that are in memory. @returns false, without sending anything, if the octets must be read piece by piece */
  #sendBuffered({ size, pieces, isBinary }: OctetSource): boolean {
    if (!Array.isArray(pieces)) return false;
    this.#output.raw(literalOf(size, isBinary));
    for (const piece of pieces) this.#output.raw(piece);
    return true;
  }

  async #sendLiteral({ size, pieces, isBinary }: OctetSource): Promise<boolean> {
    this.#output.raw(literalOf(size, isBinary));
    try {
      for await (const piece of pieces) {
        if (piece === null) throw new Error('the bytes of a message are missing');
        this.#output.raw(piece);
        if (!(await this.#output.drained())) return false;
      }
      return true;
    } catch (error) {
      // No other response is possible, because the client expects the announced number of octets.
      this.#session.end(FAREWELLS.lost);
      throw error;
    }
  }

  /** The start of a FETCH response: all items that do not need the bytes of the message, and the flags if \Seen was set. */
  #begin(row: FetchedRow): string {
    const { texts, hasFlags, hasModseq } = this.#plan;
    const items = texts.map((write) => write(row));
    if (row.isChanged && !hasFlags) items.push(`FLAGS ${this.#session.flagsOf(row)}`);
    if (row.isChanged && this.#session.hasCondstore && !hasModseq) items.push(`MODSEQ (${row.modseq})`);
    if (hasModseq || row.isChanged) this.#session.selected.noteSentModseq(row.modseq);
    this.count++;
    return `* ${this.#session.selected.numberOf(row.uid)} FETCH (${items.join(' ')}`;
  }
}

function literalOf(size: number, isBinary: boolean): string {
  return ` ${isBinary ? '~' : ''}{${size}}\r\n`;
}

/**
 * Splits rows into groups within the limits of `GROUP`. A message above `LARGE_OCTETS` adds no octets to a group that has begun.
 * @param octetsOf returns how many octets to read for a row
 */
function groupsOf(rows: readonly FetchedRow[], octetsOf: (row: FetchedRow) => number): FetchedRow[][] {
  const groups: FetchedRow[][] = [];
  let octets = GROUP.octets;
  for (const row of rows) {
    const own = octetsOf(row);
    octets += own > LARGE_OCTETS ? 0 : own;
    const group = groups.at(-1);
    if (group === undefined || octets > GROUP.octets || group.length === GROUP.messages) {
      groups.push([row]);
      octets = own;
    } else group.push(row);
  }
  return groups;
}
