/** Measures response times of the web client in a large mailbox, and what conversations cost at delivery. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Blobs } from '../../src/blobs/blobs.ts';
import { ObjectFiles } from '../../src/blobs/object-files.ts';
import { type Database, openDatabase } from '../../src/db/database.ts';
import { encodeId, newUuid } from '../../src/model/ids.ts';
import { readMessageFacts } from '../../src/store/facts/message-facts.ts';
import { type FolderKey, MailDatabase } from '../../src/store/in-folder.ts';
import { listSome } from '../../src/store/list-older.ts';
import { indexNext } from '../../src/store/search/index-mailbox.ts';
import { Store } from '../../src/store/store.ts';
import { fillFolder, spreadFolder } from '../support/large-folder.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { type Product, startProduct } from '../support/product.ts';
import { percentile } from '../support/stats.ts';
import type { Row } from '../support/table.ts';
import { Words } from '../support/words.ts';

const PASSWORD = 'correct horse battery staple';
/** How many different texts the messages have. Messages beyond this number repeat the texts. */
const TEXTS = 2_000;
const MESSAGES = 100_000;
const RARE = 'xylophonist';
const TIMES = 30;
/** How many deliveries run at the same time when the cost of conversations is measured. Each of them delivers `DELIVERED` messages. */
const DELIVERING = 20;
const DELIVERED = 40;
/** Pairs of deliveries per round: one with conversations, one without. A pair takes only a second, so other load affects both alike. */
const PAIRS = 4;

interface Client {
  inbox: FolderKey;
  ask<Body>(path: string): Promise<Body>;
}

export async function webClient(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const [texts, count] = quick ? [100, 2_000] : [TEXTS, MESSAGES];
  const product = await startProduct(join(folder, 'product'), { POSTHORN_ROLES: 'http,smtp,worker,imap' });
  const database = openDatabase(product.databaseUrl);
  mkdirSync(join(folder, 'blobs'), { recursive: true });
  const mail = {
    database,
    store: new Store(database),
    blobs: new Blobs(database, new ObjectFiles(join(folder, 'blobs'))),
  };
  const runs = new Runs();
  log(`a mailbox of ${count.toLocaleString('en-GB')} messages`);
  const client = await signIn(product, mail.store);
  const words = new Words();
  await deliver(
    mail,
    client.inbox,
    texts,
    (at) => `${words.text(words.length())}${at === 7 ? ` ${RARE}` : ''}`,
  );
  await fillFolder(product, client.inbox, count);
  await spreadFolder(product, client.inbox, count);
  const startedAt = performance.now();
  while ((await listSome(new MailDatabase(database), client.inbox)) === 1_000);
  runs.add('listing', (count / (performance.now() - startedAt)) * 1_000);
  while (await indexNext(database, client.inbox, newUuid()));
  await product.query('vacuum (analyze)');

  for (const round of rounds(context)) {
    log(`round ${round}`);
    await timeReading(client, quick ? 3 : TIMES, words, runs);
    await timeChanges(mail, client, quick ? 3 : TIMES, runs);
  }
  log('during deliveries');
  let isOver = false;
  const delivering = (async () => {
    while (!isOver) await deliver(mail, client.inbox, 20, () => 'and more comes');
  })();
  await timeList(client, 'list during deliveries', quick ? 3 : TIMES, runs);
  isOver = true;
  await delivering;
  for (const round of rounds(context)) {
    log(`delivery, round ${round}`);
    for (let pair = 0; pair < (quick ? 1 : PAIRS); pair++)
      await timeBothDeliveries(product, mail, quick, runs);
  }
  await database.destroy();
  await product.stop();
  const atMost = (measure: string, limit: number): Row => ({
    measure: `${measure}, p95`,
    unit: 'ms',
    runs: runs.of(measure),
    goal: { on: 'value', sense: 'at most', limit },
  });
  return [
    atMost('folders', 50),
    atMost('list', 100),
    atMost('jump to the middle', 100),
    atMost('open a conversation', 100),
    atMost('search for a rare word', 300),
    atMost('search for a word in most messages', 300),
    atMost('search for a phrase of common words', 300),
    atMost('search by sender', 300),
    atMost('search for unread messages', 300),
    atMost('from an append to the response with changes', 100),
    atMost('list during deliveries', 200),
    { measure: 'older messages grouped into conversations', unit: '/s', runs: runs.of('listing') },
    {
      measure: 'messages appended',
      unit: '/s',
      runs: runs.of('delivery with'),
      baseline: { name: 'without conversations', runs: runs.of('delivery without') },
      goal: { on: 'ratio', sense: 'at least', limit: 0.95 },
    },
  ];
}

/** Creates a mailbox in the hosted domain and signs its owner in to the web client. */
async function signIn({ port, query, createKey }: Product, store: Store): Promise<Client> {
  const origin = `http://localhost:${port}`;
  const send = async (path: string, body: object, headers: Record<string, string>) =>
    fetch(origin + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  const authorization = `Bearer ${await createKey()}`;
  const domains = await fetch(`${origin}/v1/domains`, { headers: { authorization } });
  const { data } = (await domains.json()) as { data: { id: string; is_hosted: boolean }[] };
  const domain = data.find((each) => each.is_hosted);
  const fields = { domain_id: domain?.id, local_part: 'web', password: PASSWORD, quota_mb: 1_000_000 };
  await send('/v1/mailboxes', fields, { authorization });
  const [row] = await query<{ project_id: string; id: string }>(
    `select project_id, id from mailboxes where local_part = 'web'`,
  );
  if (row === undefined) throw new Error('The mailbox was not created');
  const mailbox = { projectId: row.project_id, mailboxId: row.id };
  const signedIn = await send(
    '/mail/api/session',
    { address: 'web@src.test', password: PASSWORD },
    { origin },
  );
  if (!signedIn.ok) throw new Error(await signedIn.text());
  const cookie = (signedIn.headers.get('set-cookie') ?? '').replace(/;.*/s, '');
  const own = `${origin}/mail/api/mailboxes/${encodeId('mbx', row.id)}`;
  const folderId = (await store.folders(mailbox)).find(({ role }) => role === 'inbox')?.id ?? '';
  return {
    inbox: { ...mailbox, folderId },
    async ask<Body>(path: string) {
      const response = await fetch(own + path, { headers: { cookie } });
      if (!response.ok) throw new Error(await response.text());
      return (await response.json()) as Body;
    },
  };
}

interface Mail {
  database: Database;
  store: Store;
  blobs: Blobs;
}

function newMessage(inbox: FolderKey, at: number, text: string) {
  const bytes = Buffer.from(
    `From: Author ${at % 50} <a${at % 50}@src.test>\r\nTo: web@src.test\r\nSubject: Your order ${at}\r\nMessage-ID: <${newUuid()}@src.test>\r\n\r\n${text}\r\n`,
  );
  return {
    bytes,
    ...inbox,
    folder: { id: inbox.folderId },
    facts: readMessageFacts(bytes),
    flags: at % 4 === 0 ? 0 : 1,
  };
}

async function deliver(
  { store, blobs }: Mail,
  inbox: FolderKey,
  count: number,
  textOf: (at: number) => string,
) {
  const rest = { keywords: [], internalDate: null, authentication: null, spam: null };
  for (let first = 1; first <= count; first += 500)
    await store.append(
      await Promise.all(
        Array.from({ length: Math.min(500, count - first + 1) }, async (_, n) => {
          const { bytes, ...message } = newMessage(inbox, first + n, textOf(first + n));
          return { ...message, ...rest, blob: await blobs.prepare(inbox.projectId, bytes) };
        }),
      ),
    );
}

async function time(
  times: number,
  name: string,
  runs: Runs,
  ask: (at: number) => Promise<unknown>,
): Promise<void> {
  const took: number[] = [];
  for (let at = 0; at < times; at++) {
    const from = performance.now();
    await ask(at);
    took.push(performance.now() - from);
  }
  took.sort((a, b) => a - b);
  runs.add(name, percentile(took, 0.95));
}

const pathOf = ({ inbox }: Client) => `/conversations?folder=${encodeId('fld', inbox.folderId)}`;

function timeList(client: Client, name: string, times: number, runs: Runs): Promise<void> {
  return time(times, name, runs, () => client.ask(pathOf(client)));
}

async function timeReading(client: Client, times: number, words: Words, runs: Runs): Promise<void> {
  await time(times, 'folders', runs, () => client.ask('/folders'));
  await timeList(client, 'list', times, runs);
  const { data, total } = await client.ask<{ data: { id: string }[]; total: number }>(pathOf(client));
  const middle = Math.floor(total / 2);
  await time(times, 'jump to the middle', runs, (at) => client.ask(`${pathOf(client)}&at=${middle + at}`));
  await time(times, 'open a conversation', runs, (at) =>
    client.ask(`/conversations/${data[at % data.length]?.id}`),
  );
  const search = (name: string, q: string) =>
    time(times, name, runs, () => client.ask(`/search?q=${encodeURIComponent(q)}`));
  await search('search for a rare word', RARE);
  await search('search for a word in most messages', words.ofRank(3));
  await search('search for a phrase of common words', `"${words.ofRank(3)} ${words.ofRank(5)}"`);
  await search('search by sender', 'from:a7@src.test');
  await search('search for unread messages', 'is:unread');
}

async function timeChanges(mail: Mail, client: Client, times: number, runs: Runs): Promise<void> {
  let { state } = await client.ask<{ state: string }>('/folders');
  await time(times, 'from an append to the response with changes', runs, async () => {
    await deliver(mail, client.inbox, 1, () => 'news');
    ({ state } = await client.ask<{ state: string }>(`/changes?since=${state}`));
  });
}

/**
 * Measures deliveries with conversations, then without. Without them, the folder counts as not listed yet and the triggers are disabled.
 */
async function timeBothDeliveries(product: Product, mail: Mail, quick: boolean, runs: Runs): Promise<void> {
  const setUnlistedBelow = (uid: number) =>
    product.query(`update folders set unlisted_below = ${uid} where role = 'archive'`);
  await timeDelivery(product, mail, 'with', quick, runs);
  await product.query('alter table messages disable trigger user');
  await setUnlistedBelow(2_147_483_647);
  await timeDelivery(product, mail, 'without', quick, runs);
  await setUnlistedBelow(1);
  await product.query('alter table messages enable trigger user');
}

async function timeDelivery(
  { query }: Product,
  mail: Mail,
  name: string,
  quick: boolean,
  runs: Runs,
): Promise<void> {
  const [row] = await query<{ project_id: string; id: string }>(
    `select project_id, id from mailboxes where local_part = 'web'`,
  );
  const mailbox = { projectId: row?.project_id ?? '', mailboxId: row?.id ?? '' };
  const folder = (await mail.store.folders(mailbox)).find(({ role }) => role === 'archive');
  const archive = { ...mailbox, folderId: folder?.id ?? '' };
  const [at, each] = quick ? [2, 5] : [DELIVERING, DELIVERED];
  const startedAt = performance.now();
  await Promise.all(
    Array.from({ length: at }, async () => {
      for (let n = 0; n < each; n++) await deliver(mail, archive, 1, () => 'delivered');
    }),
  );
  runs.add(`delivery ${name}`, ((at * each) / (performance.now() - startedAt)) * 1_000);
}
