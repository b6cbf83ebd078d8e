/** Runs several mail apps in the same folders at once and compares the view of each app with the real state. */
import assert from 'node:assert/strict';
import { ImapClient, type ImapEndpoint } from './client.ts';
import { type Kind, MailApp } from './mail-app.ts';
import { type Random, randomFrom } from './random.ts';
import { readTokens } from './tokens.ts';
import { flagText } from './view.ts';

export interface Arena {
  /** The IMAP servers at which the mailbox can be opened, possibly in several processes. */
  endpoints: readonly ImapEndpoint[];
  folders: readonly string[];
  /** Delivers or removes mail without an IMAP session. */
  changeMailbox(random: Random): Promise<void>;
}

const KINDS: readonly Kind[] = ['plain', 'condstore', 'qresync', 'qresync'];

/**
 * Runs random actions in all apps, then pauses the apps and compares their views, in several rounds.
 * @param steps the number of actions per app between two comparisons
 * @throws Error with the seed, and the most recent lines of the app that got a wrong response
 */
export async function runApps(
  arena: Arena,
  { seed, rounds, steps }: { seed: number; rounds: number; steps: number },
): Promise<void> {
  const random = randomFrom(seed);
  using stack = new DisposableStack();
  const apps = KINDS.map((kind, at) => {
    const endpoint = arena.endpoints[at % arena.endpoints.length] as ImapEndpoint;
    return stack.use(new MailApp(endpoint, kind, randomFrom(random.below(2 ** 31)), arena.folders));
  });
  const truth = stack.use(await ImapClient.signIn(arena.endpoints[0] as ImapEndpoint));
  for (let round = 0; round < rounds; round++) {
    await Promise.all([
      ...apps.map((app) => withLog(app, seed, () => repeat(steps, () => app.step()))),
      repeat(steps / 3, () => arena.changeMailbox(random)),
    ]);
    for (const app of apps) await withLog(app, seed, () => compare(app, truth));
    for (const app of apps) app.drop();
    await repeat(random.below(6), () => arena.changeMailbox(random));
    for (const app of apps) await withLog(app, seed, () => reconnect(app, truth, random.one(arena.folders)));
  }
}

async function repeat(times: number, work: () => Promise<void>): Promise<void> {
  for (let time = 0; time < times; time++) await work();
}

async function withLog(app: MailApp, seed: number, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw new Error(`seed ${seed}, ${app.kind}: ${String(error)}\n${app.recentLines}`, { cause: error });
  }
}

interface Real {
  flags: string;
  modseq: number;
}

/** The messages that a new session gets, by UID, in order. */
async function readFolder(client: ImapClient, folder: string): Promise<Map<number, Real>> {
  const found = new Map<number, Real>();
  client.onUntagged = (text) => {
    const fetched = /^\d+ FETCH (.*)$/s.exec(text)?.[1];
    if (fetched === undefined) return;
    const [items] = readTokens(fetched) as [unknown[]];
    const item = (name: string): unknown => items[items.indexOf(name) + 1];
    const flags = flagText(item('FLAGS') as string[]);
    found.set(Number(item('UID')), { flags, modseq: Number((item('MODSEQ') as string[])[0]) });
  };
  await client.command(`EXAMINE ${folder}`);
  await client.command('UID FETCH 1:* (FLAGS MODSEQ)');
  client.onUntagged = () => {};
  await client.command('UNSELECT');
  return found;
}

/** Compares the view of an app with the real state, while no app or delivery changes the mailbox. */
async function compare(app: MailApp, truth: ImapClient): Promise<void> {
  if (app.selected === null) return;
  const real = await readFolder(truth, app.selected);
  await app.do('NOOP');
  const shown = [...real];
  const { messages } = app.view;
  assert.equal(messages.length, shown.length, 'EXISTS');
  for (const [at, { uid, flags }] of messages.entries()) {
    const [realUid, { flags: realFlags }] = shown[at] as [number, Real];
    if (uid !== null) assert.equal(uid, realUid, `the UID of ${at + 1}`);
    if (flags !== null) assert.equal(flags, realFlags, `the flags of ${realUid}`);
  }
  await app.learn();
  assert.deepEqual(
    messages.map(({ uid, flags }) => `${uid} ${flags}`),
    shown.map(([uid, { flags }]) => `${uid} ${flags}`),
  );
}

/** Checks that the server reports exactly the changes since the last session of an app when the app reconnects. */
async function reconnect(app: MailApp, truth: ImapClient, folder: string): Promise<void> {
  const opened = await app.select(folder);
  const real = await readFolder(truth, folder);
  if (opened !== null) {
    const { cached, hasSet } = opened;
    const { fetched, vanished } = app.view.reported;
    const since = [...real].filter(([, { modseq }]) => modseq > cached.modseq).map(([uid]) => uid);
    // If the app sent its known UIDs, the server reports only changes to these messages (RFC 7162, section 3.2.5.1).
    const changed = hasSet ? since.filter((uid) => cached.messages.has(uid)) : since;
    assert.deepEqual([...fetched].sort(ascending), changed, 'what has changed');
    const gone = [...cached.messages.keys()].filter((uid) => !real.has(uid));
    const known = [...vanished].filter((uid) => hasSet || cached.messages.has(uid));
    assert.deepEqual(known.sort(ascending), gone, 'what is gone');
    for (const uid of vanished) assert.ok(!real.has(uid), `${uid} was reported as vanished, but exists`);
  }
  await compare(app, truth);
}

function ascending(a: number, b: number): number {
  return a - b;
}
