/** A mail app that sends random commands and detects contradictory responses. */
import assert from 'node:assert/strict';
import { ImapClient, type ImapEndpoint, type Tagged } from './client.ts';
import type { Random } from './random.ts';
import { readSet, writeSet } from './tokens.ts';
import { flagText, type CachedState, View } from './view.ts';

export type Kind = 'plain' | 'condstore' | 'qresync';

const FLAGS = ['\\Seen', '\\Answered', '\\Flagged', '\\Deleted', '\\Draft', '$Forwarded', 'work'];
/** The maximum number of messages in a COPY, which limits the growth of folders. */
const MAX_COPIES = 3;
/** Commands during which sequence numbers do not change (RFC 9051, section 7.5.1). */
const KEEPS_NUMBERS = /^(?:FETCH|STORE|SEARCH|SORT|THREAD) /;

export class MailApp implements Disposable {
  readonly kind: Kind;
  readonly view = new View();
  selected: string | null = null;
  readonly #endpoint: ImapEndpoint;
  readonly #random: Random;
  readonly #folders: readonly string[];
  #client: ImapClient | null = null;
  #made = 0;
  #cache = new Map<string, CachedState>();

  constructor(endpoint: ImapEndpoint, kind: Kind, random: Random, folders: readonly string[]) {
    this.#endpoint = endpoint;
    this.kind = kind;
    this.#random = random;
    this.#folders = folders;
  }

  /** The most recent lines of the connection. */
  get recentLines(): string {
    return this.#client?.lines.join('\n') ?? '';
  }

  async step(): Promise<void> {
    if (this.selected === null) {
      await this.select(this.#random.one(this.#folders));
      return;
    }
    const { chance, one } = this.#random;
    const uid = chance(0.5) ? 'UID ' : '';
    const set = this.#set(uid !== '');
    const others = one(this.#folders);
    const steps: [weight: number, step: () => Promise<unknown>][] = [
      [4, () => this.do('NOOP')],
      [3, () => this.learn()],
      [3, () => this.append(`APPEND ${others}`)],
      [3, () => this.#idle()],
      [2, () => this.do(`${uid}SEARCH ${one(['ALL', 'DELETED', 'UNSEEN', 'UID 1:*'])}`)],
      [2, () => this.do('EXPUNGE')],
      [1, () => this.#leave(one(['CLOSE', 'UNSELECT']))],
      [1, () => this.select(others)],
      [1, async () => this.drop()],
    ];
    if (set !== null)
      steps.push(
        [6, () => this.#store(uid, set)],
        [2, () => this.do(`${uid}FETCH ${set} (FLAGS)`)],
        [2, () => this.do(`${uid}COPY ${writeSet(readSet(set).slice(0, MAX_COPIES))} ${others}`)],
        [2, () => this.do(`${uid}MOVE ${set} ${others}`)],
      );
    if (set !== null && uid !== '')
      steps.push(
        [2, () => this.do(`UID EXPUNGE ${set}`)],
        [1, () => this.append(`UID REPLACE ${readSet(set)[0]} ${others}`)],
      );
    let at = this.#random.below(steps.reduce((sum, [weight]) => sum + weight, 0));
    await steps.find(([weight]) => (at -= weight) < 0)?.[1]();
  }

  /** Opens a folder, with the cached state if the app uses QRESYNC. */
  async select(folder: string): Promise<{ cached: CachedState; hasSet: boolean } | null> {
    const client = await this.#connected();
    this.#keep();
    const cached = this.#cache.get(folder);
    this.selected = folder;
    if (
      this.kind !== 'qresync' ||
      cached === undefined ||
      cached.modseq === 0 ||
      cached.messages.size === 0
    ) {
      this.view.clear();
      await this.#run(client, `SELECT ${folder}${this.kind === 'condstore' ? ' (CONDSTORE)' : ''}`);
      return null;
    }
    const hasSet = this.#random.chance(0.5);
    const known = (hasSet ? ` ${writeSet(cached.messages.keys())}` : '') + this.#sampleOf(cached);
    this.view.restore(cached);
    await this.#run(client, `SELECT ${folder} (QRESYNC (${cached.uidValidity} ${cached.modseq}${known}))`);
    assert.equal(this.view.uidValidity, cached.uidValidity);
    const unnamed = this.view.opened();
    if (unnamed > 0) {
      this.view.forget(this.view.messages.length + unnamed);
      await this.learn();
    }
    return { cached, hasSet };
  }

  /** The QRESYNC parameter with sequence numbers and UIDs of some messages, or an empty string (RFC 7162, section 3.2.5.2). */
  #sampleOf({ messages, isWhole }: CachedState): string {
    if (!isWhole || this.#random.chance(0.5)) return '';
    const pairs = this.#random.some([...[...messages.keys()].entries()], 0.5);
    if (pairs.length === 0) return '';
    return ` (${writeSet(pairs.map(([at]) => at + 1))} ${writeSet(pairs.map(([, uid]) => uid))})`;
  }

  /** Fetches the UIDs and flags that the app does not know yet. */
  async learn(): Promise<void> {
    const { messages } = this.view;
    const first = messages.findIndex(({ uid, flags }) => uid === null || flags === null);
    if (first === -1) return;
    const before = messages.slice(0, first).findLast(({ uid }) => uid !== null)?.uid ?? 0;
    await this.do(`UID FETCH ${before + 1}:* (UID FLAGS)`);
  }

  /** Runs a command in the selected folder. */
  async do(text: string): Promise<Tagged> {
    return this.#run(await this.#connected(), text);
  }

  drop(): void {
    this.#keep();
    this.selected = null;
    this.view.clear();
    this.view.hasCondstore = false;
    this.view.hasQresync = false;
    this.#client?.[Symbol.dispose]();
    this.#client = null;
  }

  async append(command: string): Promise<void> {
    const client = await this.#connected();
    const text = Buffer.from(`Subject: ${this.kind} ${++this.#made}\r\n\r\nHello.\r\n`);
    const flags = this.#random.some(FLAGS, 0.2).join(' ');
    await this.#run(client, `${command} (${flags}) `, [text, '']);
  }

  async #connected(): Promise<ImapClient> {
    if (this.#client !== null) return this.#client;
    const client = await ImapClient.signIn(this.#endpoint);
    this.#client = client;
    client.onUntagged = (text) => this.view.hear(text);
    if (this.kind === 'qresync') await client.command('ENABLE QRESYNC');
    this.view.hasQresync = this.kind === 'qresync';
    this.view.hasCondstore = this.kind === 'qresync';
    return client;
  }

  /** Caches the state of the folder that the app is about to leave. */
  #keep(): void {
    if (this.selected !== null) this.#cache.set(this.selected, this.view.keep());
  }

  async #run(client: ImapClient, text: string, ...literals: [Buffer, string][]): Promise<Tagged> {
    this.view.mayExpunge = !KEEPS_NUMBERS.test(text);
    this.view.isFetching = text.includes('FETCH');
    // A command that enables CONDSTORE may itself get responses with MODSEQ.
    const enables = /^SELECT .*CONDSTORE/.test(text);
    const tagged = await client.try(text, ...literals);
    this.view.tagged(tagged.text);
    this.view.hasCondstore ||= enables;
    this.view.mayExpunge = false;
    // NO is possible after another session has expunged messages. BAD would be a bug, because all commands are well-formed.
    assert.notEqual(tagged.status, 'BAD', `${text}: ${tagged.text}`);
    return tagged;
  }

  /** Sequence numbers or UIDs of some messages; null if the folder has no messages. */
  #set(isUid: boolean): string | null {
    const numbers = this.view.messages.flatMap(({ uid }, at) => (isUid ? (uid ?? []) : at + 1));
    const chosen = this.#random.some(numbers, this.#random.one([0.1, 0.5, 1]));
    return numbers.length === 0 ? null : writeSet(chosen.length === 0 ? numbers.slice(0, 1) : chosen);
  }

  async #store(uid: string, set: string): Promise<void> {
    const isUid = uid !== '';
    const op = this.#random.one(['+', '-', '']);
    const flags = this.#random.some(FLAGS, 0.3);
    const isSilent = this.#random.chance(0.4);
    const isGuarded = this.kind !== 'plain' && this.view.hasCondstore && this.#random.chance(0.3);
    const since = Math.max(1, this.view.modseq - this.#random.below(4));
    const guard = isGuarded ? ` (UNCHANGEDSINCE ${since})` : '';
    const numbers = readSet(set);
    const named = this.view.messages.filter(({ uid }, at) => numbers.includes(isUid ? (uid ?? 0) : at + 1));
    const before = new Map(named.map((message) => [message, { ...message }]));
    const { status, text } = await this.do(
      `${uid}STORE ${set}${guard} ${op}FLAGS${isSilent ? '.SILENT' : ''} (${flags.join(' ')})`,
    );
    if (!isSilent) return;
    const modified = readSet(/\[MODIFIED ([\d:,]+)\]/i.exec(text)?.[1] ?? '0');
    for (const [at, message] of this.view.messages.entries()) {
      const was = before.get(message);
      if (was === undefined || was.flags === null || message.flagReports !== was.flagReports) continue;
      if (modified.includes(isUid ? (message.uid ?? 0) : at + 1)) continue;
      if (status === 'NO') message.flags = null;
      else message.flags = changed(was.flags, op, flags);
    }
  }

  async #idle(): Promise<void> {
    const client = await this.#connected();
    this.view.mayExpunge = true;
    const done = await client.idle();
    await Promise.race([client.heard, new Promise((resolve) => setTimeout(resolve, 20))]);
    this.view.tagged((await done()).text);
    this.view.mayExpunge = false;
  }

  async #leave(how: string): Promise<void> {
    this.#keep();
    if (how === 'CLOSE') this.#cache.delete(this.selected ?? '');
    await this.do(how);
    this.selected = null;
    this.view.clear();
  }

  [Symbol.dispose](): void {
    this.#client?.[Symbol.dispose]();
  }
}

function changed(was: string, op: string, flags: readonly string[]): string {
  const old = was.split(' ').filter(Boolean);
  const named = flagText(flags).split(' ').filter(Boolean);
  if (op === '') return flagText(named);
  return flagText(
    op === '+' ? [...new Set([...old, ...named])] : old.filter((flag) => !named.includes(flag)),
  );
}
