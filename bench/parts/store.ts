/**
 * Measures how fast messages are stored, how many bytes they take, how long it takes to open a large folder, and how late notices of new
 * messages arrive.
 */
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sql } from 'kysely';
import { Blobs } from '../../src/blobs/blobs.ts';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { readMessageFacts } from '../../src/store/facts/message-facts.ts';
import type { MailboxKey } from '../../src/store/lock-mailboxes.ts';
import { MailNotices } from '../../src/store/notices.ts';
import type { NewMessage } from '../../src/store/append.ts';
import { Store } from '../../src/store/store.ts';
import { fillFolder } from '../support/large-folder.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { type Product, startProduct } from '../support/product.ts';
import { percentile } from '../support/stats.ts';
import type { Row } from '../support/table.ts';
import { typicalMail } from '../support/typical-mail.ts';

const MESSAGE_BYTES = 10_000;
const TYPICAL_BYTES = 9_500;
/** How many appends run at the same time. */
const AT_ONCE = 64;
const PAGE = 50;
const NOTICE_PAUSE_MS = 20;
const WORDS =
  'your order has shipped and will arrive soon thank you for the payment of this invoice which we enclose'.split(
    ' ',
  );

/** The stored results of the checks of `typicalMail`. */
const RECEIVED = {
  authentication: {
    spf: { result: 'pass', domain: 'shop.example' },
    dkim: [{ result: 'pass', domain: 'shop.example', selector: 's1', algorithm: 'rsa-sha256' }],
    dmarc: { result: 'pass', domain: 'shop.example', published: 'reject' },
    arc: { result: 'none', sealers: [] },
    iprev: { result: 'pass', name: 'mail.example.net' },
    policy: 'none',
  },
  spam: { score: -3, reasons: [{ rule: 'SENDER_KNOWN', weight: -3 }] },
};

export async function store(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const product = await startProduct(join(folder, 'product'), { POSTHORN_ROLES: 'http' });
  const database = openDatabase(product.databaseUrl);
  const storage = {
    store: new Store(database),
    blobs: new Blobs(database, new ObjectFiles(join(folder, 'blobs'))),
    database,
  };
  const mailboxes = await makeMailboxes(product, 17);
  const [large, ...others] = mailboxes.splice(0, 9) as [MailboxKey, ...MailboxKey[]];
  const runs = new Runs();
  const typical = await bytesStored(product, storage, mailboxes, quick ? 160 : 4_000);
  log(`a message of ${typical.octets} bytes takes ${Math.round(typical.total)}: ${typical.tables}`);
  const count = quick ? 300 : 6_000;
  await append(storage, others, AT_ONCE * 2);
  for (const round of rounds(context, 1)) {
    runs.add('bare', await bareInserts(database, count));
    runs.add('many', await append(storage, others, count));
    runs.add('one', await append(storage, others.slice(0, 1), count));
    log(
      `round ${round}: ${['bare', 'many', 'one'].map((name) => `${name} ${Math.round(runs.of(name).at(-1) ?? 0)}/s`).join(', ')}`,
    );
  }
  await noticeDelays(product, storage, others[0] as MailboxKey, quick ? 50 : 500, runs);
  const messages = quick ? 20_000 : 200_000;
  log(`filling a folder with ${messages.toLocaleString('en-GB')} messages`);
  const folderId = await fill(product, storage, large, messages);
  const times: number[] = [];
  for (let at = 0; at < 300; at++) {
    const from = performance.now();
    const page = await storage.store.page({ ...large, folderId }, null, PAGE);
    times.push(performance.now() - from);
    if (page.length !== PAGE) throw new Error(`The page has ${page.length} messages`);
  }
  runs.add(
    'page',
    percentile(
      times.toSorted((a, b) => a - b),
      0.99,
    ),
  );
  for (const _ of rounds(context)) {
    const from = performance.now();
    await storage.store.snapshot({ ...large, folderId });
    runs.add('snapshot', performance.now() - from);
  }
  await database.destroy();
  await product.stop();
  const bare = { name: 'plain inserts', runs: runs.of('bare') };
  const size = messages.toLocaleString('en-GB');
  return [
    {
      measure: 'append of 10 kB messages to 8 mailboxes',
      unit: '/s',
      runs: runs.of('many'),
      baseline: bare,
      goal: { on: 'value', sense: 'at least', limit: 1_000 },
    },
    {
      measure: 'append of 10 kB messages to one folder',
      unit: '/s',
      runs: runs.of('one'),
      baseline: bare,
      goal: { on: 'value', sense: 'at least', limit: 1_000 },
    },
    {
      measure: 'from the commit to the notice on another connection, p99',
      unit: 'ms',
      runs: runs.of('notice'),
      goal: { on: 'value', sense: 'at most', limit: 50 },
    },
    {
      measure: `first page of a folder of ${size}, p99`,
      unit: 'ms',
      runs: runs.of('page'),
      goal: { on: 'value', sense: 'at most', limit: 10 },
    },
    { measure: `UIDs of all ${size}`, unit: 'ms', runs: runs.of('snapshot') },
    {
      measure: `stored for a received message of ${(typical.octets / 1_000).toFixed(1)} kB`,
      note: typical.tables,
      unit: 'kB',
      runs: [typical.total / 1_000],
      goal: { on: 'value', sense: 'at most', limit: 10 },
    },
  ];
}

interface MailStorage {
  store: Store;
  blobs: Blobs;
  database: Database;
}

async function makeMailboxes(product: Product, count: number): Promise<MailboxKey[]> {
  const [project] = await product.query<{ id: string }>(`select id from projects where name = 'default'`);
  const projectId = project?.id ?? '';
  const mailboxes = Array.from({ length: count }, () => ({ projectId, mailboxId: randomUUID() }));
  for (const [at, { mailboxId }] of mailboxes.entries())
    await product.query(`
      insert into mailboxes (project_id, id, domain_id, domain, local_part, local_part_key, is_catch_all, quota_mb, created_at)
      values ('${projectId}', '${mailboxId}', '${projectId}', 'src.test', 'bench${at}', 'bench${at}', false, 1000000, now())`);
  return mailboxes;
}

/** A message from an online shop, with random words. */
function message(): Buffer {
  const id = randomUUID();
  const head = `From: Shop <shop@src.test>\r\nTo: Anna <anna@dst.test>\r\nSubject: Order ${id}\r\nMessage-ID: <${id}@src.test>\r\nDate: Sun, 22 Nov 2026 12:00:00 +0000\r\nContent-Type: text/plain; charset=utf-8\r\n\r\n`;
  let body = '';
  while (head.length + body.length < MESSAGE_BYTES)
    body += `${Array.from({ length: 10 }, () => WORDS[Math.floor(Math.random() * WORDS.length)]).join(' ')} ${Math.floor(Math.random() * 1e6)}\r\n`;
  return Buffer.from(head + body);
}

/** Appends messages. @returns messages per second. A message counts once its append has been committed */
async function append(
  storage: MailStorage,
  mailboxes: readonly MailboxKey[],
  count: number,
): Promise<number> {
  const messages = Array.from({ length: count }, message);
  let next = 0;
  const from = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let at = next++; at < count; at = next++)
        await appendOne(storage, mailboxes[at % mailboxes.length] as MailboxKey, messages[at] as Buffer);
    }),
  );
  return (count * 1_000) / (performance.now() - from);
}

async function appendOne(
  { store, blobs }: MailStorage,
  mailbox: MailboxKey,
  bytes: Buffer,
  received: Pick<NewMessage, 'authentication' | 'spam'> = { authentication: null, spam: null },
): Promise<void> {
  const [result] = await store.append([
    {
      ...mailbox,
      folder: { role: 'inbox' },
      blob: await blobs.prepare(mailbox.projectId, bytes),
      facts: readMessageFacts(bytes),
      flags: 0,
      keywords: [],
      internalDate: null,
      ...received,
    },
  ]);
  if (result?.outcome !== 'stored') throw new Error(`The message was not stored: ${result?.outcome}`);
}

interface StoredBytes {
  /** The mean size of the messages. */
  octets: number;
  /** The bytes per message in all tables, with their indexes and TOAST, after a vacuum. */
  total: number;
  /** The tables that take the most bytes per message. */
  tables: string;
}

async function bytesStored(
  product: Product,
  storage: MailStorage,
  mailboxes: readonly MailboxKey[],
  count: number,
): Promise<StoredBytes> {
  const messages = Array.from({ length: count }, (_, n) => typicalMail(n, TYPICAL_BYTES));
  const before = await tableSizes(product);
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let at = next++; at < count; at = next++)
        await appendOne(
          storage,
          mailboxes[at % mailboxes.length] as MailboxKey,
          messages[at] as Buffer,
          RECEIVED,
        );
    }),
  );
  const after = await tableSizes(product);
  const each = [...after]
    .map(([table, bytes]) => ({ table, bytes: (bytes - (before.get(table) ?? 0)) / count }))
    .toSorted((a, b) => b.bytes - a.bytes);
  return {
    octets: Math.round(messages.reduce((sum, { length }) => sum + length, 0) / count),
    total: each.reduce((sum, { bytes }) => sum + bytes, 0),
    tables: each
      .slice(0, 5)
      .map(({ table, bytes }) => `${table} ${Math.round(bytes)}`)
      .join(', '),
  };
}

async function tableSizes(product: Product): Promise<Map<string, number>> {
  await product.query('vacuum');
  const rows = await product.query<{ name: string; bytes: string }>(`
    select relname as name, pg_total_relation_size(oid) as bytes from pg_class
    where relkind = 'r' and relnamespace = 'public'::regnamespace`);
  return new Map(rows.map(({ name, bytes }) => [name, Number(bytes)]));
}

/** Baseline: inserts the same bytes into rows of two columns, with a commit for each row, over all connections of a pool. */
async function bareInserts(database: Database, count: number): Promise<number> {
  await sql`create table if not exists bench_bare (id uuid primary key, bytes bytea)`.execute(database);
  const messages = Array.from({ length: count }, message);
  let next = 0;
  const from = performance.now();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let at = next++; at < count; at = next++)
        await sql`insert into bench_bare values (${randomUUID()}, ${messages[at]})`.execute(database);
    }),
  );
  return (count * 1_000) / (performance.now() - from);
}

async function noticeDelays(
  product: Product,
  storage: MailStorage,
  mailbox: MailboxKey,
  count: number,
  runs: Runs,
): Promise<void> {
  await using notices = new MailNotices(product.databaseUrl);
  const delays: number[] = [];
  let onNotice = (): void => {};
  using _ = notices.subscribe(mailbox.mailboxId, (folderId) => folderId !== null && onNotice());
  for (let at = 0; at < count; at++) {
    const { promise, resolve } = Promise.withResolvers<number>();
    onNotice = () => resolve(performance.now());
    await appendOne(storage, mailbox, message());
    const committed = performance.now();
    delays.push(Math.max(0, (await promise) - committed));
    await new Promise((done) => setTimeout(done, Math.random() * NOTICE_PAUSE_MS));
  }
  runs.add(
    'notice',
    percentile(
      delays.toSorted((a, b) => a - b),
      0.99,
    ),
  );
}

/** Fills a folder with messages. @returns the id of the folder */
async function fill(
  product: Product,
  storage: MailStorage,
  mailbox: MailboxKey,
  count: number,
): Promise<string> {
  await appendOne(storage, mailbox, message());
  const folderId = (await storage.store.folders(mailbox)).find(({ role }) => role === 'inbox')?.id ?? '';
  await fillFolder(product, { ...mailbox, folderId }, count);
  return folderId;
}
