/**
 * Measures how soon the web client shows a large mailbox: the time from the sign-in response to rows (goal: 300 ms), from a click to the
 * message, as text and as HTML (goal: 100 ms), and from a key to search results (goal: 300 ms), each until the frame after the change.
 *
 * deploy/node test/web/large-mailbox.ts [<messages>]
 *
 * By default, the mailbox has 100,000 messages, which take a few minutes to insert.
 */
import { realpathSync } from 'node:fs';
import pg from 'pg';
import type { Page } from 'playwright-core';
import { fillFolder, spreadFolder } from '../../bench/support/large-folder.ts';
import { median } from '../../bench/support/stats.ts';
import { Words } from '../../bench/support/words.ts';
import { socketFolder, socketUrl } from '../../src/installation/embedded/socket-folder.ts';
import { newUuid } from '../../src/model/ids.ts';
import { MailDatabase } from '../../src/store/in-folder.ts';
import { listSome } from '../../src/store/list-older.ts';
import { indexNext } from '../../src/store/search/index-mailbox.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';

type Kind = 'text' | 'html';

const TIMES = 9;
/** How many rows are visible even in a small window. */
const ROWS = 12;
const REST_MS = 700;
const TEXTS = 300;
const RARE = 'xylophonist';
const LIST_MS = 300;
const MESSAGE_MS = 100;
const FOUND_MS = 300;

/** Measures times with the machine's clock, and stores the start for the page that opens next. A string because it runs in the browser. */
const WATCH = `
  const now = () => performance.timeOrigin + performance.now();
  const ask = window.fetch;
  window.fetch = async (request, ...more) => {
    const answer = await ask(request, ...more);
    if (request.method === 'POST' && request.url.endsWith('/mail/api/session')) sessionStorage.setItem('from', String(now()));
    return answer;
  };
  for (const kind of ['click', 'input'])
    addEventListener(kind, (event) => sessionStorage.setItem('from', String(performance.timeOrigin + event.timeStamp)), { capture: true });
  globalThis.frames_ready = 0;
  addEventListener('message', ({ data }) => { if (data === 'ready') globalThis.frames_ready++; });
  globalThis.shown = (isShown) => new Promise((resolve) => {
    const poll = () => {
      if (isShown()) requestAnimationFrame(() => resolve(now() - Number(sessionStorage.getItem('from'))));
      else requestAnimationFrame(poll);
    };
    poll();
  });`;

const count = Number(process.argv[2] ?? 100_000);
const words = new Words();
await using client = await openMailClient();
const fillingFrom = performance.now();
await fill(client);
say(`filled with ${count} messages in ${Math.round((performance.now() - fillingFrom) / 1_000)} s`);
const { user, password } = await client.mailbox('ann');
const COMMON = words.ofRank(3);

const signedIn: number[] = [];
for (let time = 0; time < TIMES; time++) {
  const page = await open();
  signedIn.push(await signIn(page));
  await page.context().close();
}
report('sign-in to rows', signedIn, LIST_MS);

const page = await open();
await signIn(page);
/** Times by the kind of message. */
const opened: Record<Kind, number[]> = { text: [], html: [] };
const next: Record<Kind, number[]> = { text: [], html: [] };
// These rows are too far from the open row to be prefetched, so the client requests them after the click.
for (let row = 6 * ROWS; row >= 0; row -= 3) await openRow(page, row, opened);
// The row next to the open row is prefetched.
for (let row = 1; row < ROWS; row++) await openRow(page, row, next);
for (const kind of ['text', 'html'] as const) {
  report(`click to a message, ${kind}`, opened[kind], MESSAGE_MS);
  report(`click to the next one, ${kind}`, next[kind], MESSAGE_MS);
}
for (const word of [RARE, COMMON]) {
  const found: number[] = [];
  for (let time = 0; time < TIMES; time++) found.push(await search(page, word));
  report(`key to search results for ${word === RARE ? 'a rare' : 'a common'} word`, found, FOUND_MS);
}
await page.context().close();

async function open(): Promise<Page> {
  const opening = await client.open('/sign-in', { as: null });
  await opening.addInitScript(WATCH);
  await opening.reload();
  await opening.waitForLoadState('networkidle');
  return opening;
}

async function signIn(on: Page): Promise<number> {
  await on.getByLabel('Address', { exact: true }).fill(user);
  await on.getByLabel('Password', { exact: true }).fill(password);
  const took = await timed(on, `document.querySelector('[data-row] a') !== null`, () =>
    on.getByRole('button', { name: 'Sign in', exact: true }).press('Enter'),
  );
  await rest(on);
  return took;
}

/** Begins to watch before the action, because a round trip of the driver takes longer than the page needs to show the result. */
async function timed(on: Page, isShown: string, act: () => Promise<void>): Promise<number> {
  const took = on.evaluate<number>(`shown(() => ${isShown})`);
  await act();
  return took;
}

/** Waits for the time that a user would read. */
async function rest(on: Page): Promise<void> {
  await on.waitForTimeout(REST_MS);
}

async function openRow(on: Page, row: number, times: Record<Kind, number[]>): Promise<void> {
  const link = on.locator(`[data-row="${row}"] a`).first();
  if ((await link.count()) === 0) return;
  await link.scrollIntoViewIfNeeded();
  const ready = await on.evaluate<number>('globalThis.frames_ready');
  const href = await link.getAttribute('href');
  const took = await timed(
    on,
    `location.pathname === ${JSON.stringify(href)}.split('?')[0] &&
      (document.querySelector('section[aria-label="Conversation"] article .whitespace-pre-wrap') !== null || frames_ready > ${ready})`,
    () => link.click(),
  );
  await rest(on);
  times[(await on.locator('iframe[title=Message]').count()) > 0 ? 'html' : 'text'].push(took);
}

async function search(on: Page, word: string): Promise<number> {
  const box = on.getByRole('searchbox', { name: 'Search mail', exact: true });
  await box.focus();
  const took = await timed(
    on,
    `document.querySelector('[data-row] a[href*="/search/"][href*="q=${word}"]') !== null`,
    () => on.keyboard.type(word),
  );
  await on.keyboard.press('Escape');
  await on.locator('[data-row] a[href*="/inbox/"]').first().waitFor();
  return took;
}

async function fill({ service, append, mailbox }: OpenedMailClient): Promise<void> {
  const raws = Array.from(
    { length: Math.min(TEXTS, count) },
    (_, at) =>
      `From: Author ${at % 50} <a${at % 50}@src.test>\r\nSubject: Your order ${at}\r\nMessage-ID: <${newUuid()}@src.test>\r\n${at % 2 === 0 ? `\r\n${words.text(words.length())}` : newsletter()}\r\n`,
  );
  await append('ann', raws);
  const { mailbox: key } = await mailbox('ann');
  const { database } = service;
  const { id: folderId } = await database
    .selectFrom('folders')
    .select('id')
    .where('projectId', '=', key.projectId)
    .where('mailboxId', '=', key.mailboxId)
    .where('role', '=', 'inbox')
    .executeTakeFirstOrThrow();
  const inbox = { ...key, folderId };
  const connection = new pg.Client(socketUrl(socketFolder(realpathSync(service.dataDir)), 'posthorn'));
  await connection.connect();
  const filler = {
    query: async <Row extends pg.QueryResultRow>(sql: string) => (await connection.query<Row>(sql)).rows,
  };
  try {
    await fillFolder(filler, inbox, count);
    await spreadFolder(filler, inbox, count);
    while ((await listSome(new MailDatabase(database), inbox)) === 1_000);
    while (await indexNext(database, inbox, newUuid()));
    await append('ann', `From: Grace <grace@src.test>\r\nSubject: The ${RARE}\r\n\r\nA ${RARE} plays.\r\n`);
    await filler.query('vacuum (analyze)');
  } finally {
    await connection.end();
  }
}

/** A newsletter of usual size, with the fields that declare its type. */
function newsletter(): string {
  const stories = Array.from(
    { length: 30 },
    () =>
      `<tr><td style="padding:16px 24px;font:14px/22px Arial,sans-serif;color:#333"><h3 style="margin:0 0 8px">${words.text(5)}</h3><p>${words.text(60)}</p><a href="https://src.test/" style="color:#1d5bd6">${words.text(2)}</a></td></tr>`,
  );
  return `MIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<style>td{vertical-align:top}@media(max-width:600px){table{width:100%!important}}</style><table width="600" cellpadding="0" cellspacing="0">${stories.join('\r\n')}</table>`;
}

function report(what: string, took: readonly number[], goalMs: number): void {
  const sorted = took.toSorted((a, b) => a - b);
  say(
    `${what}: median ${Math.round(median(sorted))} ms, at most ${Math.round(sorted.at(-1) ?? 0)} ms, goal ${goalMs} ms (${took.map((ms) => Math.round(ms)).join(' ')})`,
  );
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
