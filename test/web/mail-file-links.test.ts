/** File links from the composer to the download, with the real service in a real browser. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { ImapFlow } from 'imapflow';
import type { CDPSession, Locator, Page } from 'playwright-core';
import PostalMime, { type Email } from 'postal-mime';
import { NO_BROWSER } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { checkAccess } from '../support/watched-page.ts';

const MB = 1024 * 1024;
/** The maximum time until a message is delivered, including the ten seconds for Undo. */
const SENT_MS = 30_000;
const SLOW = 0.75 * MB;
/** The file input of the composer. */
const FIELD = 'input[type=file]';

let client: OpenedMailClient;
before(async () => {
  // The service is not shared, because a test kills its processes.
  if (NO_BROWSER === false) client = await openMailClient({});
});
after(() => client?.[Symbol.asyncDispose]());

function inBrowser(name: string, run: () => Promise<void>): void {
  void test(name, { skip: NO_BROWSER }, run);
}

const button = (area: Page | Locator, name: string) => area.getByRole('button', { name, exact: true });
const message = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const links = (page: Page) => page.getByRole('list', { name: 'File links', exact: true });

/** The byte of the file at a position. Each byte depends on its position, so that a piece at the wrong offset changes the digest. */
const byteAt = (at: number): number => (at * 31 + (at >> 8) * 7 + (at >> 16)) & 255;
function digestOf(octets: number): string {
  return createHash('sha256')
    .update(Buffer.alloc(octets).map((_, at) => byteAt(at)))
    .digest('hex');
}

interface ChosenFile {
  name: string;
  octets: number;
  /** The offset of a byte that differs from the original file. */
  changedAt?: number;
}

/** A script that creates the file in the browser, because Playwright cannot transfer a file of this size. */
function transferOf({ name, octets, changedAt = -1 }: ChosenFile): string {
  return `(() => {
    const bytes = new Uint8Array(${octets}).map((_, at) => (${byteAt.toString()})(at) ^ Number(at === ${changedAt}));
    const transfer = new DataTransfer();
    transfer.items.add(new File([bytes], ${JSON.stringify(name)}, { lastModified: 1 }));
    return transfer;
  })()`;
}

/** Chooses a file in a file field, as a user does. */
async function choose(page: Page, input: string, file: ChosenFile): Promise<void> {
  await page.evaluate(`{
    const field = document.querySelector(${JSON.stringify(input)});
    field.files = ${transferOf(file)}.files;
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }`);
}

/** Drags a file over the message and drops it. */
async function drop(page: Page, file: ChosenFile): Promise<void> {
  const dataTransfer = await page.evaluateHandle(transferOf(file));
  await message(page).dispatchEvent('dragenter', { dataTransfer });
  const target = page.getByText('Drop files to attach', { exact: true });
  await target.dispatchEvent('dragenter', { dataTransfer });
  await target.dispatchEvent('drop', { dataTransfer });
  await target.waitFor({ state: 'detached' });
}

/** Sends a file as a link, even if the file is small. */
async function chooseLinked(page: Page, file: ChosenFile): Promise<void> {
  await button(page, 'More attachment options').click();
  await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('menuitem', { name: 'Send file as link', exact: true }).click(),
  ]);
  await choose(page, FIELD, file);
}

const sessions = new WeakMap<Page, CDPSession>();
/** Limits the upload rate. Null removes the limit. */
async function throttle(page: Page, octetsPerSecond: number | null): Promise<void> {
  const session = sessions.get(page) ?? (await page.context().newCDPSession(page));
  sessions.set(page, session);
  await session.send('Network.enable');
  await session.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 0,
    downloadThroughput: -1,
    uploadThroughput: octetsPerSecond ?? -1,
  });
}

async function compose(subject: string): Promise<Page> {
  const page = await client.open('/inbox?compose=new', { isCut: true });
  await message(page).waitFor();
  await page.getByLabel('To', { exact: true }).fill((await client.mailbox('bo')).user);
  await page.getByLabel('Subject', { exact: true }).fill(subject);
  await message(page).click();
  await page.keyboard.type('Here it is');
  return page;
}

async function newestIn(localPart: string, folder: string, subject: string): Promise<Email | undefined> {
  const { user, password: pass } = await client.mailbox(localPart);
  const app = new ImapFlow({
    host: '127.0.0.1',
    port: client.service.imapPort,
    secure: false,
    logger: false,
    auth: { user, pass },
  });
  await app.connect();
  try {
    const { exists } = await app.mailboxOpen(folder, { readOnly: true });
    const found = exists === 0 ? [] : await app.fetchAll('1:*', { source: true });
    const parsed = await Promise.all(found.map(({ source }) => PostalMime.parse(source ?? '')));
    return parsed.findLast((each) => each.subject === subject);
  } finally {
    await app.logout();
  }
}

inBrowser(
  'a file that is too large for mail is sent as a link: the upload survives kill -9 of the service, the message has a card, and the download is the same file',
  async () => {
    const octets = 27 * MB + 5;
    const page = await compose('The film');
    await choose(page, FIELD, { name: 'film <1>.bin', octets });
    await throttle(page, SLOW);
    await button(page, 'Send as link: film <1>.bin').click();
    await message(page)
      .getByRole('group', { name: /^Link to film <1>\.bin, 27 MB, until/ })
      .waitFor();
    await links(page)
      .getByText(/[1-9]\d?% · .*\/s/)
      .waitFor();
    await checkAccess(page);
    // During the upload, a dialog asks whether to wait before the message is sent.
    await button(page, 'Send').click();
    const dialog = page.getByRole('dialog', { name: 'film <1>.bin is still uploading' });
    await dialog.waitFor();
    await checkAccess(page);
    await button(dialog, 'Send when uploaded').click();
    await button(page, 'Cancel sending').waitFor();
    const pids = client.service.childPids();
    assert.ok(pids.length > 0);
    for (const pid of pids) process.kill(pid, 'SIGKILL');
    await throttle(page, null);
    await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();

    let arrived: Email | undefined;
    await eventually(async () => {
      arrived = await newestIn('bo', 'INBOX', 'The film');
      return arrived !== undefined;
    }, SENT_MS);
    assert.match(arrived?.html ?? '', /<table class="file-link".*film &lt;1&gt;\.bin.*>Download<\/a>/s);
    assert.match(arrived?.text ?? '', /film <1>\.bin\n27 MB, until \d+ \w+ \d{4}\nDownload \(http/);
    assert.deepEqual(arrived?.attachments, []);
    const url = /href="([^"]+\/s\/[\w-]{22})"/.exec(arrived?.html ?? '')?.[1] ?? '';

    const guest = await client.browser.newContext();
    const visitor = await guest.newPage();
    await visitor.goto(url);
    const [download] = await Promise.all([
      visitor.waitForEvent('download'),
      visitor
        .getByRole('link', { name: /Download/ })
        .first()
        .click(),
    ]);
    const bytes = readFileSync(await download.path());
    assert.equal(createHash('sha256').update(bytes).digest('hex'), digestOf(octets));
    await guest.close();
    await page.context().close();
  },
);

inBrowser(
  'a small file dropped onto the message is attached, and a file too large for mail is offered as a link, with an explanation',
  async () => {
    const page = await compose('Dropped');
    const files = page.getByRole('list', { name: 'Files', exact: true });
    await drop(page, { name: 'small.txt', octets: 2_000 });
    await button(files, 'Remove small.txt').waitFor();
    await drop(page, { name: 'film.bin', octets: 27 * MB });
    await files
      .getByText(
        /^film\.bin is 27 MB\. The limit for attachments is \d+ MB\. You can upload it and send a download link instead\.$/,
      )
      .waitFor();
    await checkAccess(page);
    await button(files, 'Send as link: film.bin').click();
    await message(page)
      .getByRole('group', { name: /^Link to film\.bin, 27 MB, until/ })
      .waitFor();
    await button(files, 'Remove film.bin').waitFor({ state: 'detached' });
    await links(page).getByText('Uploaded', { exact: true }).waitFor();
    assert.deepEqual(await links(page).getByRole('listitem').count(), 1);
    await page.context().close();
  },
);

inBrowser(
  'an upload resumes after a reload when the same file is chosen again, and removing the card revokes the link',
  async () => {
    const file = { name: 'plan.bin', octets: 28 * MB };
    const again = 'input[aria-label="Choose plan.bin again"]';
    const page = await compose('The plan');
    await throttle(page, SLOW);
    // “Send file as link” accepts a file of any size.
    await chooseLinked(page, file);
    await links(page)
      .getByText(/[4-9]\d% · .*\/s/)
      .waitFor();
    await page.getByText(/^Saved \d/).waitFor();
    page.on('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await links(page)
      .getByText(/Choose plan\.bin again to resume/)
      .waitFor();
    await message(page)
      .getByRole('group', { name: /^Link to plan\.bin/ })
      .waitFor();
    await checkAccess(page);
    await choose(page, again, { ...file, name: 'other.bin' });
    await links(page).getByText('This is a different file. Choose plan.bin again.').waitFor();
    const begun: string[] = [];
    page.on('request', (request) => {
      if (request.method() === 'PATCH') begun.push(request.headers()['upload-offset'] ?? '');
    });
    await throttle(page, null);
    // The file has the same name, size and date as before, but different bytes.
    await choose(page, again, { ...file, changedAt: 5 });
    await links(page)
      .getByRole('alert')
      .getByText(/^This is a different file, or it has changed since/)
      .waitFor();
    await checkAccess(page);
    assert.deepEqual(begun, []);
    await choose(page, again, file);
    await links(page).getByText('Uploaded', { exact: true }).waitFor();
    assert.notEqual(begun[0], '0');

    // Deleting the card removes the link. Ctrl+Z within ten seconds restores the card and the link.
    await message(page)
      .getByRole('group', { name: /^Link to plan\.bin/ })
      .click();
    await page.keyboard.press('Backspace');
    await button(page, 'Restore card').waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await button(page, 'Restore card').waitFor({ state: 'detached' });
    await button(page, 'Remove plan.bin').click();
    await message(page)
      .getByRole('group', { name: /^Link to plan\.bin/ })
      .waitFor({ state: 'detached' });
    // Undo must not restore the card of a revoked link.
    await message(page).click();
    await page.keyboard.press('ControlOrMeta+z');
    await page.goto(page.url().replace(/\/inbox.*/, '/settings/file-links'));
    const row = page.getByRole('listitem').filter({ hasText: 'plan.bin' });
    await row.getByText('Revoked', { exact: true }).waitFor();
    await page.context().close();
  },
);

inBrowser('a paused upload sends nothing until it is resumed, and continues where it stopped', async () => {
  const page = await compose('The wait');
  await throttle(page, SLOW);
  await chooseLinked(page, { name: 'slow.bin', octets: 24 * MB });
  await links(page)
    .getByText(/[2-9]\d% · .*\/s/)
    .waitFor();
  await button(page, 'Pause slow.bin').click();
  const paused = links(page).getByText(/^Paused at [1-9]\d*%$/);
  await paused.waitFor();
  await checkAccess(page);
  const words = await paused.textContent();
  const begun: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'PATCH') begun.push(request.headers()['upload-offset'] ?? '');
  });
  await throttle(page, null);
  await page.getByText(/^Saved \d/).waitFor();
  assert.equal(await paused.textContent(), words);
  assert.deepEqual(begun, []);
  await button(page, 'Resume slow.bin').click();
  await links(page).getByText('Uploaded', { exact: true }).waitFor();
  assert.ok(Number(begun[0]) > 0);
  await page.context().close();
});

inBrowser('the card shows a changed expiry, and discarding the draft revokes the link', async () => {
  const page = await compose('Not sent');
  await chooseLinked(page, { name: 'notes.txt', octets: 3000 });
  await links(page).getByText('Uploaded', { exact: true }).waitFor();
  const card = message(page).getByRole('group', { name: /^Link to notes\.txt/ });
  await card.waitFor();
  await button(page, 'Options for notes.txt').click();
  const dialog = page.getByRole('dialog', { name: 'Link options' });
  const ends = dialog.getByLabel('Expires', { exact: true });
  const label = (await ends.getByRole('option', { name: /^In 30 days, on/ }).textContent()) ?? '';
  const day = label.replace(/^.* on /, '');
  await ends.selectOption({ label });
  await button(dialog, 'Save').click();
  await message(page)
    .getByRole('group', { name: new RegExp(`until ${day}$`) })
    .waitFor();
  await page.getByText(/^Saved \d/).waitFor();
  await button(page, 'More').last().click();
  await page.getByRole('menuitem', { name: 'Discard draft', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Discard', exact: true }).click();
  await message(page).waitFor({ state: 'detached' });
  const listed = page.waitForResponse((answer) =>
    /^\/mail\/api\/.*\/file-links$/.test(new URL(answer.url()).pathname),
  );
  await page.goto(page.url().replace(/\/inbox.*/, '/settings/file-links'));
  const row = page.getByRole('listitem').filter({ hasText: 'notes.txt' });
  await row.getByText('Revoked', { exact: true }).waitFor();
  const { data } = (await (await listed).json()) as { data: { url: string; files: { name: string }[] }[] };
  const url = data.find(({ files }) => files[0]?.name === 'notes.txt')?.url ?? '';
  assert.equal((await fetch(url)).status, 404);
  await page.context().close();
});

inBrowser('the list of file links has an empty state, changes links, and revokes them', async () => {
  const empty = await client.open('/settings/file-links', { as: 'cy' });
  await empty.getByRole('heading', { name: 'No file links yet' }).waitFor();
  await checkAccess(empty);
  await empty.context().close();

  const page = await compose('Small');
  await chooseLinked(page, { name: 'small.txt', octets: 2000 });
  await links(page).getByText('Uploaded', { exact: true }).waitFor();
  await button(page, 'Send').click();
  await page.getByRole('button', { name: 'Undo', exact: true }).waitFor();
  await page.goto(page.url().replace(/\/inbox.*/, '/settings/file-links'));
  const row = page.getByRole('listitem').filter({ hasText: 'small.txt' });
  await row.getByText('Active', { exact: true }).waitFor();
  await button(row, 'Options for small.txt').click();
  const dialog = page.getByRole('dialog', { name: 'Link options' });
  await dialog.getByLabel('Require a password').check();
  await button(dialog, 'Save').click();
  await dialog.getByText('Enter a password, or clear the checkbox.').waitFor();
  await checkAccess(page);
  await dialog.getByLabel('Password', { exact: true }).fill('blue horse');
  await dialog.getByLabel('Download limit').fill('3');
  await button(dialog, 'Save').click();
  await row.getByText(/with a password, limit: 3 downloads/).waitFor();
  await button(row, 'Revoke the link to small.txt').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click();
  await row.getByText('Revoked', { exact: true }).waitFor();
  await checkAccess(page);
  await page.context().close();
});
