/** Measures response times for mail apps, compared with Dovecot, and the memory of idle connections. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Blobs } from '../../src/blobs/blobs.ts';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { newUuid } from '../../src/model/ids.ts';
import { readMessageFacts } from '../../src/store/facts/message-facts.ts';
import type { FolderKey } from '../../src/store/in-folder.ts';
import { indexNext } from '../../src/store/search/index-mailbox.ts';
import { Store } from '../../src/store/store.ts';
import { dovecotMissing, fillMaildir, startDovecot } from '../baselines/dovecot.ts';
import { ImapConnection, type ImapEndpoint } from '../support/imap.ts';
import { longestPing } from '../support/imap-pings.ts';
import { fillFolder } from '../support/large-folder.ts';
import { createMailbox } from '../support/mailboxes.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { freePort } from '../support/ports.ts';
import { type Product, startProduct } from '../support/product.ts';
import { percentile } from '../support/stats.ts';
import type { Row } from '../support/table.ts';
import { memoryMb, total } from '../support/usage.ts';
import { Words } from '../support/words.ts';

const OCTETS = 10_240;
const ENVELOPES = 'FETCH 1:* (FLAGS ENVELOPE)';
/** The command that mutt sends to request header fields. */
const HEADER_FIELDS =
  'FETCH 1:* (UID FLAGS INTERNALDATE RFC822.SIZE BODY.PEEK[HEADER.FIELDS (DATE FROM SENDER SUBJECT TO CC MESSAGE-ID REFERENCES CONTENT-TYPE CONTENT-DESCRIPTION IN-REPLY-TO REPLY-TO LINES LIST-POST X-LABEL)])';
/** Expensive commands, which are run one after the other. */
const HEAVY = [
  'FETCH 1:* (ENVELOPE BODYSTRUCTURE)',
  'SEARCH ALL',
  'SORT (SUBJECT) UTF-8 ALL',
  'THREAD REFERENCES UTF-8 ALL',
  'THREAD ORDEREDSUBJECT UTF-8 ALL',
];
/** How many messages the folder has on which the expensive commands run. */
const HEAVY_MESSAGES = 40_000;
const RARE = 'xylophonist';
/** How many different texts the messages of the searched folder have. Messages beyond this number repeat the texts. */
const TEXTS = 2_000;
const SLICE = 500;
const NOTICE_PAUSE_MS = 20;
const DEFAULT_ROLES = 'http,smtp,worker,imap';

interface ServerUnderTest {
  product: Product;
  /** An API key, created only once, because this takes most of a second. */
  key: string;
  database: Database;
  store: Store;
  blobs: Blobs;
  port: number;
}

type OwnMailbox = ImapEndpoint & { inbox: FolderKey };

export async function imap(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const sizes = quick ? [100, 200, 400] : [10_000, 100_000, 1_000_000];
  const [small = 0, , large = 0] = sizes;
  const server = await startServer(join(folder, 'product'));
  const runs = new Runs();
  const mailboxes: OwnMailbox[] = [];
  for (const size of sizes) {
    log(`a folder of ${size.toLocaleString('en-GB')} messages`);
    const mailbox = await newMailbox(server, `of${size}`);
    await appendMessages(server, mailbox, Math.min(size, small), size === small ? OCTETS : 200);
    await fillFolder(server.product, mailbox.inbox, size);
    mailboxes.push(mailbox);
  }
  const missing = dovecotMissing();
  const dovecot = missing === null ? await startDovecot(folder) : null;
  if (dovecot === null) log(`Skipped the comparison with Dovecot: ${missing}`);
  const others = dovecot === null ? [] : await fillDovecot(dovecot, sizes.slice(0, 2), log);

  for (const round of rounds(context)) {
    log(`round ${round}`);
    for (const [name, places] of [
      ['posthorn', mailboxes],
      ['dovecot', others],
    ] as const) {
      for (const [at, place] of places.entries())
        await timeSelect(place, `${name} select ${sizes[at]}`, runs);
      const [first] = places;
      if (first === undefined) continue;
      await timeFetch(first, name, Math.min(1_000, small), runs);
    }
  }
  const sessionMb = await memoryOfSessions(server.product, mailboxes.at(-1) as OwnMailbox, quick ? 1 : 4);
  await timeSearch(context, server, runs);
  await timeOthers(context, server, runs);
  await timeNotices(server, mailboxes[0] as OwnMailbox, quick ? 20 : 300, runs);
  const idle = await memoryOfIdle(server, quick ? 20 : 1_000, log);
  await server.database.destroy();
  await server.product.stop();

  const baseline = (measure: string) =>
    dovecot === null ? {} : { baseline: { name: 'Dovecot', runs: runs.of(`dovecot ${measure}`) } };
  const count = (value: number) => value.toLocaleString('en-GB');
  return [
    {
      measure: `FETCH of flags and envelopes of ${count(small)} messages`,
      unit: 'ms',
      runs: runs.of('posthorn envelopes'),
      ...baseline('envelopes'),
      goal: { on: 'ratio', sense: 'at most', limit: 1.43 },
    },
    {
      measure: `FETCH of mutt's header fields for a list of ${count(small)} messages`,
      unit: 'ms',
      runs: runs.of('posthorn header fields'),
      ...baseline('header fields'),
    },
    {
      measure: `FETCH of ${count(Math.min(1_000, small))} whole messages of ${OCTETS / 1_024} kB`,
      unit: 'ms',
      runs: runs.of('posthorn bodies'),
      ...baseline('bodies'),
      goal: { on: 'ratio', sense: 'at most', limit: 4 },
    },
    ...sizes.map(
      (size, at): Row => ({
        measure: `SELECT of a folder of ${count(size)} messages`,
        unit: 'ms',
        runs: runs.of(`posthorn select ${size}`),
        ...(at < others.length ? baseline(`select ${size}`) : {}),
        goal: { on: 'value', sense: 'at most', limit: [20, 80, 800][at] ?? 0 },
      }),
    ),
    {
      measure: `memory of a session with ${count(large)} messages selected`,
      unit: 'MB',
      runs: [sessionMb],
      goal: { on: 'value', sense: 'at most', limit: 20 },
    },
    {
      measure: `SEARCH for a word in the bodies of ${count(quick ? 5_000 : 100_000)} messages`,
      unit: 'ms',
      runs: runs.of('search'),
      goal: { on: 'value', sense: 'at most', limit: 300 },
    },
    {
      measure: 'from an append in one process to the IDLE response in another, p99',
      unit: 'ms',
      runs: runs.of('notice'),
      goal: { on: 'value', sense: 'at most', limit: 50 },
    },
    {
      measure: `longest NOOP of another app, during FETCH, SEARCH, SORT and THREAD of ${count(quick ? 400 : HEAVY_MESSAGES)} messages`,
      unit: 'ms',
      runs: runs.of('others'),
      goal: { on: 'value', sense: 'at most', limit: 50 },
    },
    {
      measure: `memory of ${count(idle.connections)} idle connections`,
      unit: 'MB',
      runs: [idle.megabytes],
      goal: { on: 'value', sense: 'at most', limit: 60 },
    },
  ];
}

async function startServer(folder: string): Promise<ServerUnderTest> {
  const port = await freePort();
  const product = await startProduct(folder, {
    POSTHORN_ROLES: DEFAULT_ROLES,
    POSTHORN_IMAP_PORT: String(port),
  });
  const database = openDatabase(product.databaseUrl);
  mkdirSync(join(folder, 'blobs'), { recursive: true });
  const blobs = new Blobs(database, new ObjectFiles(join(folder, 'blobs')));
  return { product, key: await product.createKey(), database, store: new Store(database), blobs, port };
}

async function newMailbox({ product, key, store, port }: ServerUnderTest, name: string): Promise<OwnMailbox> {
  const endpoint = await createMailbox(product, key, name, port);
  const [row] = await product.query<{ project_id: string; id: string }>(
    `select project_id, id from mailboxes where local_part = '${name}'`,
  );
  if (row === undefined) throw new Error('The database does not contain the new mailbox');
  const mailbox = { projectId: row.project_id, mailboxId: row.id };
  const folderId = (await store.folders(mailbox)).find(({ role }) => role === 'inbox')?.id ?? '';
  return { ...endpoint, inbox: { ...mailbox, folderId } };
}

function message(at: number, octets: number, text = ''): Buffer {
  const head = `From: Acme <a@src.test>\r\nTo: b${at}@dst.test\r\nSubject: Your order ${at} has shipped\r\nDate: Fri, 20 Nov 2026 15:00:00 +0000\r\nMessage-ID: <m${at}@src.test>\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n`;
  const line = '<p>The quick brown fox jumps over the lazy dog, order 12345 shipped.</p>\r\n';
  const body =
    text === '' ? line.repeat(Math.max(1, Math.ceil((octets - head.length) / line.length))) : `${text}\r\n`;
  return Buffer.from(head + body);
}

async function appendMessages(
  { store, blobs }: ServerUnderTest,
  { inbox }: OwnMailbox,
  count: number,
  octets: number,
  textOf: (at: number) => string = () => '',
): Promise<void> {
  for (let first = 1; first <= count; first += SLICE)
    await store.append(
      await Promise.all(
        Array.from({ length: Math.min(SLICE, count - first + 1) }, async (_, at) => {
          const bytes = message(first + at, octets, textOf(first + at));
          return {
            ...inbox,
            folder: { id: inbox.folderId },
            blob: await blobs.prepare(inbox.projectId, bytes),
            facts: readMessageFacts(bytes),
            flags: 0,
            keywords: [],
            internalDate: null,
            authentication: null,
            spam: null,
          };
        }),
      ),
    );
}

async function fillDovecot(
  place: Awaited<ReturnType<typeof startDovecot>>,
  sizes: readonly number[],
  log: (text: string) => void,
): Promise<ImapEndpoint[]> {
  const places: ImapEndpoint[] = [];
  for (const [at, size] of sizes.entries()) {
    log(`the same for Dovecot: ${size.toLocaleString('en-GB')}`);
    const user = { ...place, user: `of${size}` };
    const connection = await ImapConnection.signIn(user);
    const octets = at === 0 ? OCTETS : 200;
    await connection.append('INBOX', [message(1, octets)]);
    fillMaildir(place.mailFolder, user.user, size - 1, (n) => message(n + 2, octets));
    // Dovecot reads new files once, and then uses its index.
    await connection.time('SELECT INBOX');
    await connection.time(ENVELOPES);
    connection.close();
    places.push(user);
  }
  return places;
}

async function timeSelect(place: ImapEndpoint, name: string, runs: Runs): Promise<void> {
  const connection = await ImapConnection.signIn(place);
  runs.add(name, await connection.time('SELECT INBOX'));
  connection.close();
}

async function timeFetch(place: ImapEndpoint, name: string, bodies: number, runs: Runs): Promise<void> {
  const connection = await ImapConnection.signIn(place);
  await connection.time('SELECT INBOX');
  runs.add(`${name} envelopes`, await connection.time(ENVELOPES));
  runs.add(`${name} header fields`, await connection.time(HEADER_FIELDS));
  runs.add(`${name} bodies`, await connection.time(`FETCH 1:${bodies} (BODY.PEEK[])`));
  connection.close();
}

/** The memory per session, in megabytes. */
async function memoryOfSessions(product: Product, place: ImapEndpoint, count: number): Promise<number> {
  const measure = () =>
    total(memoryMb(product.processes().filter(({ executable }) => executable !== 'postgres')));
  const connections = await Promise.all(Array.from({ length: count }, () => ImapConnection.signIn(place)));
  await sleep(1_000);
  const before = measure();
  for (const connection of connections) await connection.time('SELECT INBOX');
  await sleep(1_000);
  const after = measure();
  for (const connection of connections) connection.close();
  return (after - before) / count;
}

async function timeSearch(context: Context, server: ServerUnderTest, runs: Runs): Promise<void> {
  const words = new Words();
  const mailbox = await newMailbox(server, 'searched');
  const texts = context.quick ? 100 : TEXTS;
  const textOf = (at: number) => `${words.text(words.length())}${at === 7 ? ` ${RARE}` : ''}`;
  await appendMessages(server, mailbox, texts, 0, textOf);
  await fillFolder(server.product, mailbox.inbox, context.quick ? 5_000 : 100_000);
  while (await indexNext(server.database, mailbox.inbox, newUuid()));
  const connection = await ImapConnection.signIn(mailbox);
  await connection.time('SELECT INBOX');
  for (const _ of rounds(context)) runs.add('search', await connection.time(`SEARCH BODY "${RARE}"`));
  connection.close();
}

async function timeOthers(context: Context, server: ServerUnderTest, runs: Runs): Promise<void> {
  const mailbox = await newMailbox(server, 'heavy');
  await appendMessages(server, mailbox, 200, 2_048);
  await fillFolder(server.product, mailbox.inbox, context.quick ? 400 : HEAVY_MESSAGES);
  const connection = await ImapConnection.signIn(mailbox);
  await connection.time('SELECT INBOX');
  for (const _ of rounds(context))
    runs.add(
      'others',
      await longestPing(mailbox, async () => {
        for (const command of HEAVY) await connection.time(command);
      }),
    );
  connection.close();
}

async function timeNotices(
  server: ServerUnderTest,
  mailbox: OwnMailbox,
  count: number,
  runs: Runs,
): Promise<void> {
  const connection = await ImapConnection.signIn(mailbox);
  await connection.time('SELECT INBOX');
  let onNotice = (): void => {};
  connection.onChunk = (chunk) => {
    if (chunk.includes('EXISTS')) onNotice();
  };
  await connection.idle();
  const delays: number[] = [];
  for (let at = 0; at < count; at++) {
    const { promise, resolve } = Promise.withResolvers<number>();
    onNotice = () => resolve(performance.now());
    const from = performance.now();
    await appendMessages(server, mailbox, 1, 2_048);
    delays.push((await promise) - from);
    await sleep(Math.random() * NOTICE_PAUSE_MS);
  }
  connection.close();
  runs.add(
    'notice',
    percentile(
      delays.toSorted((a, b) => a - b),
      0.99,
    ),
  );
}

async function memoryOfIdle(
  server: ServerUnderTest,
  connections: number,
  log: (text: string) => void,
): Promise<{ connections: number; megabytes: number }> {
  log(`${connections} idle connections`);
  const each = 10;
  const mailboxes: OwnMailbox[] = [];
  for (let at = 0; at < connections / each; at++) {
    const mailbox = await newMailbox(server, `idle${at}`);
    await appendMessages(server, mailbox, 10, 2_048);
    mailboxes.push(mailbox);
  }
  await sleep(3_000);
  const before = total(memoryMb(server.product.processes()));
  const open: ImapConnection[] = [];
  for (let at = 0; at < connections; at++) {
    const mailbox = mailboxes[at % mailboxes.length] as OwnMailbox;
    const connection = await ImapConnection.signIn(mailbox, `127.0.${at % 10}.${1 + (at % 200)}`);
    await connection.time('SELECT INBOX');
    await connection.idle();
    open.push(connection);
  }
  await sleep(10_000);
  const after = total(memoryMb(server.product.processes()));
  for (const connection of open) connection.close();
  return { connections, megabytes: after - before };
}
