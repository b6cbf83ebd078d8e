/** Says what a FETCH asks for, message by message, while the next ones are read. */
import { UnknownEncoding } from '../../../rfc/imap/binary.ts';
import type { OpenBlob } from '../../../blobs/blobs.ts';
import type { MaybePromise } from '../../../model/maybe-promise.ts';
import { FLAG } from '../../../store/flags.ts';
import { rangesOf, type UidRange } from '../../../store/uid-ranges.ts';
import { FAREWELLS } from '../responses.ts';
import type { FolderSession } from '../session.ts';
import { type FetchedRow, rowsOfFields } from './fetched-row.ts';
import type { FetchPlan, OctetItem } from './fetch-plan.ts';
import { type Content, MessageOctets } from './message-octets.ts';

/** Messages of which the bytes are read together, and held until they are said. */
const GROUP = { messages: 200, octets: 524_288 };
/** What is larger is an object: its bytes are read piece by piece. */
const LARGE_OCTETS = 65_536;
/** What is said or unpacked between two turns of the loop: a few milliseconds of work. */
const TURN = 262_144;

export interface Fetched {
  /** Messages that were said. */
  count: number;
  /** Something of them is in an encoding that nobody knows. */
  hasUnknownEncoding: boolean;
}

/** @param ranges as of `SelectedFolder.resolve` @returns null: nobody hears the rest */
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
  readonly #plan: FetchPlan;
  /** Characters and octets since the loop had its turn, those also that were unpacked for a few of them. */
  #done = 0;
  /** Of them, since `Output.room`. */
  #pending = 0;

  constructor(session: FolderSession, plan: FetchPlan) {
    this.#session = session;
    this.#plan = plan;
  }

  /** @returns false: the connection is over */
  async run(ranges: readonly UidRange[]): Promise<boolean> {
    const { selected } = this.#session;
    for await (const rows of this.#reading(ranges)) {
      const known = rows.filter(({ uid }) => selected.numberOf(uid) > 0);
      const goesOn =
        this.#plan.octets.length === 0 ? await this.#sayAll(known) : await this.#sayOctets(known);
      if (!goesOn) return false;
    }
    return true;
  }

  /** The next ones are asked for before the caller works on these. */
  async *#reading(ranges: readonly UidRange[]): AsyncGenerator<FetchedRow[]> {
    const { services, selected } = this.#session;
    const fields = [...this.#plan.fields];
    const read = async (wanted: readonly UidRange[]): Promise<FetchedRow[]> =>
      wanted.length === 0
        ? []
        : rowsOfFields(await services.store.fields(selected.key, wanted, fields), fields);
    let rest = ranges;
    let next = read(rest);
    for (;;) {
      const rows = await next;
      const last = rows.at(-1);
      if (last === undefined) return;
      rest = behind(rest, last.uid);
      next = read(rest);
      // A failure is the caller's when it gets there.
      next.catch(() => {});
      yield rows;
    }
  }

  async #sayAll(rows: readonly FetchedRow[]): Promise<boolean> {
    for (const row of rows) {
      this.#say(`${this.#begin(row)})\r\n`);
      if (this.#pending > TURN / 8 && !(await this.#room())) return false;
    }
    return this.#room();
  }

  async #sayOctets(rows: readonly FetchedRow[]): Promise<boolean> {
    const groups = groupsOf(rows);
    let next = this.#open(groups[0]);
    for (const [at, group] of groups.entries()) {
      const blobs = await next;
      next = this.#open(groups[at + 1]);
      next.catch(() => {});
      if (this.#plan.sees) await this.#see(group);
      for (const [index, row] of group.entries())
        if (!(await this.#sayMessage(row, blobs[index] ?? null))) return false;
    }
    return this.#room();
  }

  async #open(rows: readonly FetchedRow[] | undefined): Promise<(OpenBlob | null)[]> {
    const { services, selected } = this.#session;
    const digests = (rows ?? []).map((row) => Buffer.from(row.field('digest'), 'hex'));
    return digests.length === 0 ? [] : services.blobs.openAll(selected.key.projectId, digests);
  }

  /** Gives \Seen to those that have it not: their new flags are told with what was asked for. */
  async #see(rows: readonly FetchedRow[]): Promise<void> {
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
      selected.noteTold(message);
    }
  }

  async #sayMessage(row: FetchedRow, blob: OpenBlob | null): Promise<boolean> {
    const { services, selected } = this.#session;
    this.#say(this.#begin(row));
    const name = `${selected.key.projectId} ${row.field('digest')}`;
    const octets = blob === null ? null : new MessageOctets(blob, name, services.parts);
    if (blob !== null && blob.size <= LARGE_OCTETS) this.#done += blob.size;
    let isFirst = this.#plan.texts.length === 0 && !row.isChanged;
    for (const item of this.#plan.octets) {
      const reading = octets === null ? null : this.#readItem(item, octets);
      const content = reading instanceof Promise ? await reading : reading;
      if (content === 'unknown') continue;
      this.#say(isFirst ? item.name : ` ${item.name}`);
      isFirst = false;
      if (content === null) this.#say(' NIL');
      else if (item.isSize) this.#say(` ${content.size}`);
      else if (!(this.#sayWhole(content) || (await this.#sayLiteral(content)))) return false;
    }
    // The list has one item at least.
    this.#say(isFirst ? `UID ${row.uid})\r\n` : ')\r\n');
    return this.#pending > TURN / 8 || this.#done > TURN ? this.#room() : true;
  }

  #readItem(item: OctetItem, octets: MessageOctets): MaybePromise<Content | null | 'unknown'> {
    const reading = item.read(octets);
    if (!(reading instanceof Promise)) return reading;
    return reading.catch((error: unknown) => {
      if (!(error instanceof UnknownEncoding)) throw error;
      this.hasUnknownEncoding = true;
      return 'unknown' as const;
    });
  }

  /** @returns false: it has to be read piece by piece, and nothing was said */
  #sayWhole({ size, pieces, isBinary }: Content): boolean {
    if (!Array.isArray(pieces)) return false;
    this.#say(literalOf(size, isBinary));
    for (const piece of pieces) this.#say(piece);
    return true;
  }

  async #sayLiteral({ size, pieces, isBinary }: Content): Promise<boolean> {
    this.#say(literalOf(size, isBinary));
    try {
      for await (const piece of pieces) {
        if (piece === null) throw new Error('the bytes of a message are gone');
        this.#say(piece);
        if (size > TURN && !(await this.#room())) return false;
      }
      return true;
    } catch (error) {
      // The client was told how many octets come: nothing else can be said to it.
      this.#session.end(FAREWELLS.lost);
      throw error;
    }
  }

  /** Of a message: its begin, and what is text of it. */
  #begin(row: FetchedRow): string {
    const { texts, hasFlags, hasModseq } = this.#plan;
    const told = texts.map((write) => write(row));
    if (row.isChanged && !hasFlags) told.push(`FLAGS ${this.#session.flagsOf(row)}`);
    if (row.isChanged && this.#session.hasCondstore && !hasModseq) told.push(`MODSEQ (${row.modseq})`);
    if (hasModseq || row.isChanged) this.#session.selected.noteSaid(row.modseq);
    this.count++;
    return `* ${this.#session.selected.numberOf(row.uid)} FETCH (${told.join(' ')}`;
  }

  #say(data: string | Buffer): void {
    this.#session.output.raw(data);
    this.#pending += data.length;
    this.#done += data.length;
  }

  async #room(): Promise<boolean> {
    this.#pending = 0;
    if (this.#done > TURN) {
      this.#done = 0;
      await new Promise(setImmediate);
    }
    return this.#session.output.room();
  }
}

function literalOf(size: number, isBinary: boolean): string {
  return ` ${isBinary ? '~' : ''}{${size}}\r\n`;
}

/** Those above a UID. */
function behind(ranges: readonly UidRange[], uid: number): UidRange[] {
  return ranges
    .filter(({ last }) => last > uid)
    .map(({ first, last }) => ({ first: Math.max(first, uid + 1), last }));
}

function groupsOf(rows: readonly FetchedRow[]): FetchedRow[][] {
  const groups: FetchedRow[][] = [];
  let octets = GROUP.octets;
  for (const row of rows) {
    const own = Number(row.field('octets'));
    octets += own > LARGE_OCTETS ? 0 : own;
    const group = groups.at(-1);
    if (group === undefined || octets > GROUP.octets || group.length === GROUP.messages) {
      groups.push([row]);
      octets = own;
    } else group.push(row);
  }
  return groups;
}
