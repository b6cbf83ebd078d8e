/**
 * Changes two folders at random and records their expected messages. A change that the server answered with OK must be stored. A change
 * without an answer must be stored completely or not at all.
 */
import assert from 'node:assert/strict';
import { ImapClient, type ImapEndpoint, type Tagged } from './client.ts';
import type { Random } from './random.ts';
import { readSet, readTokens, writeSet } from './tokens.ts';
import { flagText } from './view.ts';

/** A message in a folder: the subject, which is unique, and the flags. */
interface Entry {
  word: string;
  flags: string;
}
/** The messages of a folder, by UID. */
type Content = Map<number, Entry>;
type State = Map<string, Content>;
/** The effect of a command on a state. The UIDs of new messages are missing, because only the server's response has them. */
interface Change {
  command: string;
  literal?: Buffer;
  removed: Map<string, number[]>;
  /** The messages that are added, in the order of their UIDs. */
  added: { folder: string; entries: Entry[] } | null;
  reflagged: { folder: string; uids: number[]; to: (flags: string) => string } | null;
}

const FLAGS = ['\\Seen', '\\Flagged', '\\Answered', 'work'];
const MAX_AT_ONCE = 5;
const MAX_MESSAGES = 60;

export class Ledger {
  readonly #endpoint: ImapEndpoint;
  readonly #random: Random;
  readonly #folders: readonly [string, string];
  #state: State;
  /** The change in progress when the connection was lost. */
  #open: Change | null = null;
  /** The message that first had each UID, to detect reused UIDs. */
  readonly #owners = new Map<string, string>();
  #words = 0;
  /** The number of commands that the server answered with OK. */
  completedCommands = 0;

  constructor(endpoint: ImapEndpoint, name: string, random: Random) {
    this.#endpoint = endpoint;
    this.#random = random;
    this.#folders = [`${name}-a`, `${name}-b`];
    this.#state = new Map(this.#folders.map((folder) => [folder, new Map()]));
  }

  async makeFolders(): Promise<void> {
    using client = await ImapClient.signIn(this.#endpoint);
    for (const folder of this.#folders) await client.command(`CREATE ${folder}`);
  }

  /** Changes the folders until the connection is lost or `mayContinue` returns false. */
  async work(mayContinue: () => boolean): Promise<void> {
    try {
      using client = await ImapClient.signIn(this.#endpoint);
      while (mayContinue()) await this.#step(client);
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
    }
  }

  async #step(client: ImapClient): Promise<void> {
    const folder = this.#random.one(this.#folders);
    await this.#run(client, `SELECT ${folder}`);
    const change = this.#choose(folder);
    this.#open = change;
    const literals: [Buffer, string][] = change.literal === undefined ? [] : [[change.literal, '']];
    const { text } = await this.#run(client, change.command, ...literals);
    this.#open = null;
    this.completedCommands += 1;
    let uids: number[] = [];
    if (change.added !== null) {
      const uidCode = /\[(?:APPENDUID \d+ ([\d:,]+)|COPYUID \d+ [\d:,]+ ([\d:,]+))\]/.exec(
        this.#copied(client, text),
      );
      uids = readSet(uidCode?.[1] ?? uidCode?.[2] ?? '');
    }
    this.#state = applied(this.#state, change, uids);
  }

  /** Runs a command. Throws if the database is unavailable, because the outcome is then unknown. */
  async #run(client: ImapClient, command: string, ...literals: [Buffer, string][]): Promise<Tagged> {
    const tagged = await client.try(command, ...literals);
    if (tagged.text.includes('[UNAVAILABLE]')) throw new Error(tagged.text);
    assert.equal(tagged.status, 'OK', `${command}: ${tagged.text}`);
    return tagged;
  }

  /** The response with new UIDs, which precedes the tagged response of MOVE and REPLACE (RFC 6851, section 4.3; RFC 8508, section 3.4). */
  #copied(client: ImapClient, text: string): string {
    return text.includes('UID ')
      ? text
      : (client.lines.findLast((line) => /\[(?:COPY|APPEND)UID/.test(line)) ?? '');
  }

  #choose(folder: string): Change {
    const content = this.#state.get(folder) ?? new Map();
    const other = this.#folders.find((each) => each !== folder) ?? folder;
    const uids = [...content.keys()];
    const from = this.#random.below(uids.length + 1);
    const some = uids.slice(from, from + 1 + this.#random.below(MAX_AT_ONCE));
    const entries = some.map((uid) => content.get(uid) as Entry);
    const set = writeSet(some);
    const nothing = { removed: new Map(), added: null, reflagged: null };
    const kind = this.#random.one(['append', 'append', 'store', 'copy', 'move', 'expunge', 'replace']);
    if (uids.length > MAX_MESSAGES && some.length > 0) return this.#expunging(folder, some);
    if (kind === 'append' || some.length === 0) {
      const word = `w${++this.#words}`;
      const literal = Buffer.from(`Subject: ${word} ${folder}\r\n\r\nHello.\r\n`);
      const added = { folder: other, entries: [{ word: `${word} ${folder}`, flags: '' }] };
      return { ...nothing, command: `APPEND ${other} `, literal, added };
    }
    if (kind === 'copy')
      return { ...nothing, command: `UID COPY ${set} ${other}`, added: { folder: other, entries } };
    if (kind === 'move')
      return {
        ...nothing,
        command: `UID MOVE ${set} ${other}`,
        added: { folder: other, entries },
        removed: new Map([[folder, some]]),
      };
    if (kind === 'expunge') return this.#expunging(folder, some);
    if (kind === 'replace') {
      const [uid = 0] = some;
      const word = `w${++this.#words} ${folder}`;
      return {
        ...nothing,
        command: `UID REPLACE ${uid} ${other} `,
        literal: Buffer.from(`Subject: ${word}\r\n\r\nHello again.\r\n`),
        added: { folder: other, entries: [{ word, flags: '' }] },
        removed: new Map([[folder, [uid]]]),
      };
    }
    const flag = this.#random.one(FLAGS);
    const to = (flags: string) =>
      flagText([...new Set([...flags.split(' ').filter(Boolean), flag.toLowerCase()])]);
    return {
      ...nothing,
      command: `UID STORE ${set} +FLAGS (${flag})`,
      reflagged: { folder, uids: some, to },
    };
  }

  /** Expunges the messages with \Deleted. If none of the messages has \Deleted, sets the flag on all of them. */
  #expunging(folder: string, uids: number[]): Change {
    const content = this.#state.get(folder) ?? new Map<number, Entry>();
    const deleted = uids.filter((uid) => content.get(uid)?.flags.includes('\\deleted'));
    const nothing = { removed: new Map(), added: null, reflagged: null };
    if (deleted.length > 0)
      return { ...nothing, command: `UID EXPUNGE ${writeSet(uids)}`, removed: new Map([[folder, deleted]]) };
    const to = (flags: string) => flagText([...flags.split(' ').filter(Boolean), '\\Deleted']);
    return {
      ...nothing,
      command: `UID STORE ${writeSet(uids)} +FLAGS (\\Deleted)`,
      reflagged: { folder, uids, to },
    };
  }

  /** Compares the folders with the record, then replaces the record with the contents of the folders. */
  async check(): Promise<void> {
    using client = await ImapClient.signIn(this.#endpoint);
    const real: State = new Map();
    for (const folder of this.#folders) real.set(folder, await this.#read(client, folder));
    const before = this.#state;
    const open = this.#open;
    const fits =
      isSame(real, before, null) || (open !== null && isSame(real, applied(before, open, []), open));
    assert.ok(
      fits,
      `${open?.command ?? 'nothing'} was in progress\nexpected: ${show(before)}\nactual: ${show(real)}`,
    );
    this.#state = real;
    this.#open = null;
  }

  async #read(client: ImapClient, folder: string): Promise<Content> {
    const content: Content = new Map();
    let validity = '';
    client.onUntagged = (text) => {
      validity = /\[UIDVALIDITY (\d+)\]/.exec(text)?.[1] ?? validity;
      const fetched = /^\d+ FETCH (.*)$/s.exec(text)?.[1];
      if (fetched === undefined) return;
      const [items] = readTokens(fetched) as [unknown[]];
      const item = (name: string): unknown =>
        items[items.findIndex((each) => String(each).startsWith(name)) + 1];
      const word = /^Subject: (.*)\r\n/.exec(String(item('BODY[')))?.[1] ?? '';
      content.set(Number(item('UID')), { word, flags: flagText(item('FLAGS') as string[]) });
    };
    await client.command(`EXAMINE ${folder}`);
    await client.command('UID FETCH 1:* (FLAGS BODY.PEEK[HEADER.FIELDS (SUBJECT)])');
    for (const [uid, { word }] of content) {
      const key = `${folder} ${validity} ${uid}`;
      assert.equal(this.#owners.get(key) ?? word, word, `UID ${uid} of ${folder} was used twice`);
      this.#owners.set(key, word);
    }
    return content;
  }
}

/** The state after a change. @param uids the UIDs of the new messages. New messages without a known UID get negative numbers */
function applied(state: State, { removed, added, reflagged }: Change, uids: readonly number[]): State {
  const next = new Map([...state].map(([folder, content]) => [folder, new Map(content)]));
  for (const [folder, list] of removed) for (const uid of list) next.get(folder)?.delete(uid);
  for (const uid of reflagged?.uids ?? []) {
    const content = next.get(reflagged?.folder ?? '');
    const entry = content?.get(uid);
    if (entry !== undefined) content?.set(uid, { ...entry, flags: reflagged?.to(entry.flags) ?? '' });
  }
  for (const [at, entry] of (added?.entries ?? []).entries())
    next.get(added?.folder ?? '')?.set(uids[at] ?? -1 - at, entry);
  return next;
}

function isSame(real: State, expected: State, open: Change | null): boolean {
  return [...expected].every(([folder, content]) => {
    const unknown = open?.added?.folder === folder ? open.added.entries : [];
    const known = [...content].filter(([uid]) => uid > 0);
    const actual = [...(real.get(folder) ?? [])];
    const text = (entries: readonly (readonly [number, Entry])[]) => JSON.stringify(entries);
    const fresh = actual.slice(known.length).map(([, entry]) => entry);
    return (
      text(actual.slice(0, known.length)) === text(known) && JSON.stringify(fresh) === JSON.stringify(unknown)
    );
  });
}

function show(state: State): string {
  return JSON.stringify([...state].map(([folder, content]) => [folder, [...content]]));
}
