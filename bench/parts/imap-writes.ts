/** Measures APPEND, STORE, EXPUNGE, copies by sync tools, SORT and THREAD, each beside Dovecot in the same run. */
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dovecotMissing, startDovecot } from '../baselines/dovecot.ts';
import { ImapConnection, type ImapEndpoint } from '../support/imap.ts';
import { createMailbox } from '../support/mailboxes.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { freePort } from '../support/ports.ts';
import { runProcess } from '../support/processes.ts';
import { startProduct } from '../support/product.ts';
import { percentile } from '../support/stats.ts';
import type { Row } from '../support/table.ts';
import { Words } from '../support/words.ts';

const CLIENTS = 20;
const SORT_KEYS = [
  'ARRIVAL',
  'CC',
  'DATE',
  'DISPLAYFROM',
  'DISPLAYTO',
  'FROM',
  'SIZE',
  'SUBJECT',
  'TO',
] as const;
const ALGORITHMS = ['REFERENCES', 'ORDEREDSUBJECT'] as const;
const SYNC_TIMEOUT_MS = 120_000;
/** How many messages one APPEND stores when a mailbox is filled. */
const SLICE = 500;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** Sizes of the messages that the sync tools copy, in octets. One message in fifty has an attachment. */
const SIZES = [1_500, 3_000, 4_000, 6_000, 12_000, 2_500, 30_000, 5_000];
const LARGE = 200_000;

interface Server {
  name: string;
  /** Creates an empty mailbox. */
  newMailbox(name: string): Promise<ImapEndpoint>;
}

export async function imapWrites(context: Context): Promise<Row[]> {
  const { quick, folder, log } = context;
  const port = await freePort();
  const product = await startProduct(join(folder, 'product'), {
    POSTHORN_ROLES: 'http,smtp,worker,imap',
    POSTHORN_IMAP_PORT: String(port),
  });
  const key = await product.createKey();
  const servers: Server[] = [
    { name: 'posthorn', newMailbox: (name) => createMailbox(product, key, name, port) },
  ];
  const missing = dovecotMissing();
  if (missing !== null) log(`Skipped the comparison with Dovecot: ${missing}`);
  else {
    const dovecot = await startDovecot(folder);
    servers.push({ name: 'dovecot', newMailbox: async (user) => ({ ...dovecot, user }) });
  }
  const runs = new Runs();
  await timeAppends(context, servers, runs);
  await timeClients(context, servers, runs);
  const tools = await timeSyncTools(context, servers, runs);
  const sorted = quick ? 200 : 12_000;
  await timeSorting(context, servers, sorted, runs, () => product.query('vacuum (analyze)'));
  await product.stop();

  const row = (measure: string, name: string, unit: string): Row => ({
    measure,
    unit,
    runs: runs.of(`posthorn ${name}`),
    ...(missing === null ? { baseline: { name: 'Dovecot', runs: runs.of(`dovecot ${name}`) } } : {}),
  });
  const atMost = (limit: number) => ({ goal: { on: 'value', sense: 'at most', limit } as const });
  return [
    { ...row('APPEND of a message, p50', 'append', 'ms'), ...atMost(3) },
    { ...row("APPEND of a message as Python's imaplib writes it, p50", 'split append', 'ms'), ...atMost(3) },
    ...(['APPEND', 'STORE', 'EXPUNGE'] as const).flatMap((command): Row[] => [
      {
        ...row(`${command} of ${CLIENTS} clients in one mailbox, p50`, `${command} p50`, 'ms'),
        ...atMost(50),
      },
      row(`${command} of ${CLIENTS} clients in one mailbox, p99`, `${command} p99`, 'ms'),
    ]),
    ...tools.map(
      (tool): Row => ({
        ...row(`messages that ${tool} copies into an empty mailbox`, tool, '/s'),
        ...(missing === null ? { goal: { on: 'ratio', sense: 'at least', limit: 0.8 } } : {}),
      }),
    ),
    ...SORT_KEYS.flatMap((by): Row[] => [
      { ...row(`SORT of ${sorted} messages by ${by}`, by, 'ms'), ...atMost(30) },
      row(`first SORT of ${sorted} messages by ${by}`, `first ${by}`, 'ms'),
    ]),
    ...ALGORITHMS.map(
      (by): Row => ({ ...row(`THREAD ${by} of ${sorted} messages`, by, 'ms'), ...atMost(300) }),
    ),
  ];
}

async function timeAppends(context: Context, servers: readonly Server[], runs: Runs): Promise<void> {
  const count = context.quick ? 5 : 100;
  const places = await Promise.all(
    servers.map(async ({ name, newMailbox }) => ({ name, endpoint: await newMailbox('append') })),
  );
  for (const _ of rounds(context))
    for (const [measure, isSplit] of [
      ['append', false],
      ['split append', true],
    ] as const)
      for (const { name, endpoint } of places) {
        const connection = await ImapConnection.signIn(endpoint);
        const took: number[] = [];
        for (let at = 0; at < count; at++)
          took.push((await connection.appendOne('INBOX', message(at, 4_000), isSplit)).ms);
        connection.close();
        runs.add(`${name} ${measure}`, percentile(ascending(took), 0.5));
      }
}

/** Each client appends a message, marks it as deleted and expunges it, again and again. */
async function timeClients(context: Context, servers: readonly Server[], runs: Runs): Promise<void> {
  const count = context.quick ? 1 : 20;
  const places = await Promise.all(
    servers.map(async ({ name, newMailbox }) => ({ name, endpoint: await newMailbox('shared') })),
  );
  for (const { endpoint } of places) await fill(endpoint, context.quick ? 20 : 1_000);
  for (const round of rounds(context))
    for (const { name, endpoint } of places) {
      context.log(`${CLIENTS} clients of ${name}, round ${round}`);
      const connections = await Promise.all(
        Array.from({ length: CLIENTS }, () => ImapConnection.signIn(endpoint)),
      );
      const took: Record<'APPEND' | 'STORE' | 'EXPUNGE', number[]> = { APPEND: [], STORE: [], EXPUNGE: [] };
      await Promise.all(
        connections.map(async (connection, client) => {
          await connection.time('SELECT INBOX');
          for (let at = 0; at < count; at++) {
            const { ms, uid } = await connection.appendOne('INBOX', message(client * count + at, 2_000));
            took.APPEND.push(ms);
            took.STORE.push(await connection.time(`UID STORE ${uid} +FLAGS (\\Deleted)`));
            took.EXPUNGE.push(await connection.time(`UID EXPUNGE ${uid}`));
          }
        }),
      );
      for (const connection of connections) connection.close();
      for (const [command, all] of Object.entries(took)) {
        runs.add(`${name} ${command} p50`, percentile(ascending(all), 0.5));
        runs.add(`${name} ${command} p99`, percentile(ascending(all), 0.99));
      }
    }
}

/** @returns the tools that were measured */
async function timeSyncTools(context: Context, servers: readonly Server[], runs: Runs): Promise<string[]> {
  const { folder, log } = context;
  const count = context.quick ? 10 : 1_000;
  const messages = Array.from({ length: count }, (_, at) =>
    message(at, at % 50 === 0 ? LARGE : (SIZES[at % SIZES.length] ?? 0)),
  );
  const measured: string[] = [];
  const measure = async (
    tool: string,
    copyTo: (target: ImapEndpoint, state: string) => Promise<void>,
  ): Promise<void> => {
    measured.push(tool);
    for (const round of rounds(context))
      for (const { name, newMailbox } of servers) {
        const target = await newMailbox(`${tool}${round}`);
        const state = join(folder, `${tool}-${name}-${round}`);
        mkdirSync(state);
        const startedMs = performance.now();
        await copyTo(target, state);
        const seconds = (performance.now() - startedMs) / 1_000;
        log(`${tool} copied ${count} messages to ${name} in ${seconds.toFixed(2)} s`);
        runs.add(`${name} ${tool}`, count / seconds);
        rmSync(state, { recursive: true });
      }
  };
  if (existsSync('/usr/bin/mbsync')) await measure('mbsync', mbsync(folder, messages));
  else log('Skipped mbsync: it is not installed (Debian: apt-get install isync)');
  const source = await servers.find(({ name }) => name === 'dovecot')?.newMailbox('source');
  if (source === undefined) log('Skipped interimap: it copies from Dovecot');
  else if (existsSync('/usr/bin/interimap')) {
    const connection = await ImapConnection.signIn(source);
    for (let at = 0; at < count; at += SLICE)
      await connection.append('INBOX', messages.slice(at, at + SLICE));
    connection.close();
    await measure('interimap', interimap(source));
  } else log('Skipped interimap: it is not installed (Debian: apt-get install interimap)');
  return measured;
}

function mbsync(folder: string, messages: readonly Buffer[]) {
  const maildir = join(folder, 'maildir');
  for (const path of ['', 'inbox', 'inbox/cur', 'inbox/new', 'inbox/tmp']) mkdirSync(join(maildir, path));
  for (const [at, content] of messages.entries())
    writeFileSync(
      join(maildir, 'inbox/cur', `${1_700_000_000 + at}.${at}.bench:2,S`),
      content.toString().replaceAll('\r\n', '\n'),
    );
  return async ({ port, user, password }: ImapEndpoint, state: string): Promise<void> => {
    const config = join(state, 'mbsyncrc');
    writeFileSync(
      config,
      `SyncState ${state}/
IMAPStore far
Host 127.0.0.1
Port ${port}
User ${user}
Pass "${password}"
SSLType None
AuthMechs LOGIN

MaildirStore near
Path ${maildir}/
Inbox ${maildir}/inbox
AltMap yes

Channel all
Far :far:
Near :near:
Patterns INBOX
Sync PushNew
`,
    );
    await runProcess('mbsync', ['-q', '-c', config, 'all'], { timeoutMs: SYNC_TIMEOUT_MS });
  };
}

function interimap(source: ImapEndpoint) {
  return async (target: ImapEndpoint, state: string): Promise<void> => {
    const config = join(state, 'config');
    const account = ({ port, user, password }: ImapEndpoint) =>
      `type = imap\nhost = 127.0.0.1\nport = ${port}\nSTARTTLS = NO\nauth = LOGIN\nusername = ${user}\npassword = ${password}\n`;
    writeFileSync(
      config,
      `database = ${join(state, 'interimap.db')}\nlist-mailbox = INBOX\n\n[local]\n${account(source)}\n[remote]\n${account(target)}`,
    );
    await runProcess('interimap', [`--config=${config}`], {
      timeoutMs: SYNC_TIMEOUT_MS,
      env: { ...process.env, XDG_CONFIG_HOME: state, XDG_DATA_HOME: state, HOME: state },
    });
  };
}

async function timeSorting(
  context: Context,
  servers: readonly Server[],
  count: number,
  runs: Runs,
  analyze: () => Promise<unknown>,
): Promise<void> {
  const places: { name: string; connection: ImapConnection }[] = [];
  for (const { name, newMailbox } of servers) {
    context.log(`${count} messages for ${name}`);
    const endpoint = await newMailbox('sorted');
    await fill(endpoint, count);
    const connection = await ImapConnection.signIn(endpoint);
    await connection.time('SELECT INBOX');
    places.push({ name, connection });
  }
  await analyze();
  const commands = [
    ...SORT_KEYS.map((by) => [by, `SORT (${by}) UTF-8 ALL`] as const),
    ...ALGORITHMS.map((by) => [by, `THREAD ${by} UTF-8 ALL`] as const),
  ];
  for (const [by, command] of commands)
    for (const { name, connection } of places) {
      // The first run sorts. Later runs find the order stored; Dovecot then has the headers in its cache.
      runs.add(`${name} first ${by}`, await connection.time(command));
      for (const _ of [...rounds(context), ...rounds(context)])
        runs.add(`${name} ${by}`, await connection.time(command));
    }
  for (const { connection } of places) connection.close();
}

async function fill(endpoint: ImapEndpoint, count: number): Promise<void> {
  const connection = await ImapConnection.signIn(endpoint);
  for (let first = 0; first < count; first += SLICE)
    await connection.append(
      'INBOX',
      Array.from({ length: Math.min(SLICE, count - first) }, (_, at) => message(first + at, 1_000)),
    );
  connection.close();
}

const words = new Words();

/** A message from one of 300 people to some of 200 others. Four messages in five reply to an earlier one. */
function message(at: number, octets: number): Buffer {
  const pick = (step: number, of: number) => (at * step + (at >> 3)) % of;
  const address = (name: number, domain: string) =>
    `${words.ofRank(name)} ${words.ofRank(name + 500)} <${words.ofRank(name)}.${name}@${domain}>`;
  const conversation = at - (at % 5);
  const sentAt = new Date(Date.UTC(2025, 0, 1) + pick(7_919, 500_000) * 60_000);
  const date = `${sentAt.getUTCDate()} ${MONTHS[sentAt.getUTCMonth()]} ${sentAt.getUTCFullYear()} ${sentAt.toISOString().slice(11, 19)} +0000`;
  const references = Array.from({ length: at - conversation }, (_, n) => `<m${conversation + n}@src.test>`);
  const head = [
    `From: ${address(pick(131, 300), 'acme.example')}`,
    `To: ${address(pick(37, 200), 'dst.test')}`,
    ...(at % 3 === 0
      ? [`Cc: ${address(pick(53, 200), 'dst.test')}, ${address(pick(59, 200), 'dst.test')}`]
      : []),
    `Subject: ${references.length > 0 ? 'Re: ' : ''}${words.ofRank(conversation % 2_000)} ${words.ofRank(conversation % 1_013)} ${conversation}`,
    `Date: ${date}`,
    `Message-ID: <m${at}@src.test>`,
    ...(references.length > 0
      ? [`In-Reply-To: ${references.at(-1)}`, `References: ${references.join(' ')}`]
      : []),
    'MIME-Version: 1.0',
    'Content-Type: text/plain; charset=utf-8',
    '',
    '',
  ].join('\r\n');
  const line = `The quick brown fox jumps over the lazy dog, order ${at} shipped.\r\n`;
  return Buffer.from(head + line.repeat(Math.max(1, Math.ceil((octets - head.length) / line.length))));
}

function ascending(values: readonly number[]): number[] {
  return values.toSorted((a, b) => a - b);
}
