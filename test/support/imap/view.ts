/**
 * A mail app's view of its selected folder, derived only from the server's responses (RFC 9051, sections 7.4 and 7.5, and RFC 7162). A
 * response that these sections forbid causes an AssertionError.
 */
import assert from 'node:assert/strict';
import { readSet, readTokens, type Token } from './tokens.ts';

interface Seen {
  /** The UID; null if the app does not know the UID. */
  uid: number | null;
  /** The flags, sorted and separated by spaces; null if the app does not know them. */
  flags: string | null;
  /** The number of responses that reported the flags of this message. */
  flagReports: number;
}

/** An app's cached state of a folder. */
export interface CachedState {
  uidValidity: number;
  modseq: number;
  messages: Map<number, string | null>;
  /** Whether the app knew the UIDs of all messages, so that it also knows their sequence numbers. */
  isWhole: boolean;
}

/** The flags as text: in lower case, because flags are case-insensitive, and without `\Recent`, which is not stored. */
export function flagText(flags: readonly string[]): string {
  return flags
    .map((flag) => flag.toLowerCase())
    .filter((flag) => flag !== '\\recent')
    .sort()
    .join(' ');
}

export class View {
  readonly messages: Seen[] = [];
  uidValidity = 0;
  /** The MODSEQ for the next QRESYNC, computed as a client must (RFC 7162, section 6). */
  modseq = 0;
  /** Whether the session has enabled the extensions CONDSTORE and QRESYNC. */
  hasCondstore = false;
  hasQresync = false;
  /** Whether sequence numbers may change now (RFC 9051, section 7.5.1). */
  mayExpunge = true;
  /**
   * Whether a FETCH of the app is in progress. FETCH responses then have the requested items. At other times, FETCH responses with flags
   * must have UID and MODSEQ (RFC 7162, sections 3.1 and 3.2.4).
   */
  isFetching = false;
  /** UIDs in FETCH and VANISHED responses while a folder is selected with QRESYNC. */
  reported: { fetched: Set<number>; vanished: Set<number> } = { fetched: new Set(), vanished: new Set() };
  /** The last SEARCH response. */
  found: number[] = [];
  /** Set while a folder is opened with QRESYNC: sequence numbers then refer to the folder on the server, not to the cached messages. */
  #opening: { exists: number } | null = null;
  #code: number | null = null;
  #highest = 0;

  /** Call when no folder is selected any more. */
  clear(): void {
    this.messages.length = 0;
    this.reported = { fetched: new Set(), vanished: new Set() };
    this.modseq = 0;
    this.#code = null;
    this.#highest = 0;
  }

  /** Call before SELECT with QRESYNC. Restores the cached state. */
  restore({ messages, modseq }: CachedState): void {
    this.clear();
    this.modseq = modseq;
    for (const [uid, flags] of messages) this.messages.push({ uid, flags, flagReports: 0 });
    this.#opening = { exists: 0 };
  }

  /** Call after SELECT. @returns the number of messages whose UIDs the app does not know */
  opened(): number {
    const unnamed = (this.#opening?.exists ?? 0) - this.messages.length;
    this.#opening = null;
    assert.ok(unnamed >= 0, `${-unnamed} messages are gone without a VANISHED response`);
    return unnamed;
  }

  /** Forgets all UIDs and flags. Call this before the app fetches all messages again. */
  forget(exists: number): void {
    this.messages.splice(
      0,
      Number.POSITIVE_INFINITY,
      ...Array.from({ length: exists }, () => ({ uid: null, flags: null, flagReports: 0 })),
    );
  }

  keep(): CachedState {
    const known = this.messages.flatMap(({ uid, flags }) => (uid === null ? [] : [[uid, flags] as const]));
    const isWhole = known.length === this.messages.length;
    return { uidValidity: this.uidValidity, modseq: this.modseq, messages: new Map(known), isWhole };
  }

  /** Call when a command has ended. */
  tagged(text: string): void {
    this.#codes(text);
    this.modseq = this.#code ?? Math.max(this.modseq, this.#highest);
    this.#code = null;
    this.#highest = 0;
  }

  hear(text: string): void {
    const [, number, kind, rest = ''] = /^(?:(\d+) )?(\S+)(?: (.*))?$/s.exec(text) ?? [];
    if (kind === 'OK' || kind === 'NO') this.#codes(rest);
    else if (kind === 'EXISTS') this.#exists(Number(number));
    else if (kind === 'EXPUNGE') this.#expunge(Number(number));
    else if (kind === 'VANISHED') this.#vanished(rest);
    else if (kind === 'FETCH') this.#fetch(Number(number), rest);
    else if (kind === 'SEARCH') this.found = rest.split(' ').filter(Boolean).map(Number);
  }

  #codes(text: string): void {
    const code = /\[HIGHESTMODSEQ (\d+)\]/i.exec(text)?.[1];
    if (code !== undefined) this.#code = Number(code);
    const validity = /\[UIDVALIDITY (\d+)\]/i.exec(text)?.[1];
    if (validity !== undefined && !/APPENDUID|COPYUID/.test(text)) this.uidValidity = Number(validity);
  }

  #exists(count: number): void {
    if (this.#opening !== null) {
      this.#opening.exists = count;
      return;
    }
    assert.ok(count >= this.messages.length, `EXISTS ${count} of ${this.messages.length}`);
    while (this.messages.length < count) this.messages.push({ uid: null, flags: null, flagReports: 0 });
  }

  #expunge(number: number): void {
    assert.ok(!this.hasQresync, 'EXPUNGE though QRESYNC is enabled (RFC 7162, section 3.2.7)');
    assert.ok(this.mayExpunge, 'EXPUNGE while sequence numbers must not change');
    assert.ok(number >= 1 && number <= this.messages.length, `EXPUNGE ${number} of ${this.messages.length}`);
    this.messages.splice(number - 1, 1);
  }

  #vanished(rest: string): void {
    assert.ok(this.hasQresync, 'VANISHED though QRESYNC is not enabled');
    const isEarlier = rest.startsWith('(EARLIER) ');
    assert.ok(this.mayExpunge || isEarlier, 'VANISHED while sequence numbers must not change');
    for (const uid of readSet(rest.replace('(EARLIER) ', ''))) {
      this.reported.vanished.add(uid);
      const at = this.messages.findIndex((message) => message.uid === uid);
      if (at !== -1) this.messages.splice(at, 1);
      else if (!isEarlier) this.#vanishUnnamed(uid);
    }
  }

  /** Handles VANISHED for a message whose UID the app does not know. The app cannot know this message's sequence number either. */
  #vanishUnnamed(uid: number): void {
    const from = this.messages.findLastIndex((each) => each.uid !== null && each.uid < uid) + 1;
    const next = this.messages.findIndex((each) => each.uid !== null && each.uid > uid);
    const among = this.messages.slice(from, next === -1 ? this.messages.length : next);
    assert.ok(among.length > 0, `VANISHED ${uid}, but there is no such message`);
    this.messages.splice(from, 1);
    for (const message of among) message.flags = null;
  }

  #fetch(number: number, rest: string): void {
    const [items] = readTokens(rest);
    assert.ok(Array.isArray(items), rest);
    const item = (name: string): Token | undefined => {
      const at = items.findIndex((each, index) => index % 2 === 0 && each === name);
      return at === -1 ? undefined : items[at + 1];
    };
    const uid = item('UID');
    const flags = item('FLAGS');
    const modseq = item('MODSEQ');
    if (Array.isArray(modseq)) this.#highest = Math.max(this.#highest, Number(modseq[0]));
    else if (this.hasCondstore && !this.isFetching)
      assert.ok(!Array.isArray(flags), `FLAGS without MODSEQ: ${rest}`);
    if (this.hasQresync && !this.isFetching && Array.isArray(flags))
      assert.ok(uid !== undefined, `FLAGS without UID: ${rest}`);
    if (this.#opening !== null) return this.#fetchOpening(Number(uid), flags);
    const message = this.messages[number - 1];
    assert.ok(message !== undefined, `FETCH ${number} of ${this.messages.length}`);
    if (uid !== undefined) this.#name(number, Number(uid));
    if (!Array.isArray(flags)) return;
    message.flags = flagText(flags as string[]);
    message.flagReports += 1;
  }

  #fetchOpening(uid: number, flags: Token | undefined): void {
    this.reported.fetched.add(uid);
    assert.ok(Array.isArray(flags));
    const known = this.messages.find((message) => message.uid === uid);
    if (known !== undefined) known.flags = flagText(flags as string[]);
    else {
      const next = this.messages.findIndex((message) => (message.uid ?? 0) > uid);
      const at = next === -1 ? this.messages.length : next;
      this.messages.splice(at, 0, { uid, flags: flagText(flags as string[]), flagReports: 0 });
    }
  }

  /** Records the UID of a sequence number. Checks that a sequence number keeps its UID, and that UIDs ascend. */
  #name(number: number, uid: number): void {
    const message = this.messages[number - 1];
    if (message === undefined) return;
    assert.ok(message.uid === null || message.uid === uid, `${number} was ${message.uid} and is ${uid}`);
    message.uid = uid;
    const before = this.messages.slice(0, number - 1).findLast((each) => each.uid !== null)?.uid ?? 0;
    const after =
      this.messages.slice(number).find((each) => each.uid !== null)?.uid ?? Number.POSITIVE_INFINITY;
    assert.ok(before < uid && uid < after, `${number} is ${uid}, between ${before} and ${after}`);
  }
}
