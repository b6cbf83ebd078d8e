/** The editor of the web client: tables, pasted formats, colors, pictures, identities and canned responses. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { ImapFlow } from 'imapflow';
import type { Page } from 'playwright-core';
import PostalMime, { type Email } from 'postal-mime';
import { NO_BROWSER } from '../support/browser.ts';
import { newAlias } from '../support/mail.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { soon } from '../support/soon.ts';
import { checkAccess } from '../support/watched-page.ts';

const PHONE = { width: 390, height: 844 };

let client: OpenedMailClient;
before(async () => {
  if (NO_BROWSER === false) client = await openMailClient();
});
after(() => client?.[Symbol.asyncDispose]());

function inBrowser(name: string, run: () => Promise<void>): void {
  void test(name, { skip: NO_BROWSER }, run);
}

const subject = (page: Page) => page.getByLabel('Subject', { exact: true });
const message = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const entry = (page: Page, name: string) => page.getByRole('menuitem', { name, exact: true });

async function open(as: string, title: string, options: object = {}): Promise<Page> {
  const page = await client.open('/inbox?compose=new', { as, ...options });
  await message(page).waitFor();
  await subject(page).fill(title);
  await message(page).focus();
  return page;
}

async function paste(page: Page, parts: Readonly<Record<string, string>>): Promise<void> {
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    for (const [type, text] of Object.entries(${JSON.stringify(parts)})) clipboardData.setData(type, text);
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }`);
}

async function signedIn<T>(localPart: string, run: (app: ImapFlow) => Promise<T>): Promise<T> {
  const { user, password: pass } = await client.mailbox(localPart);
  const { imapPort: port } = client.service;
  const app = new ImapFlow({ host: '127.0.0.1', port, secure: false, logger: false, auth: { user, pass } });
  await app.connect();
  try {
    return await run(app);
  } finally {
    await app.logout();
  }
}

/** The draft with the subject, as a mail app sees it. */
async function draftOf(localPart: string, title: string): Promise<Email | undefined> {
  return signedIn(localPart, async (app) => {
    await app.mailboxOpen('Drafts', { readOnly: true });
    const found = await app.fetchAll('1:*', { source: true });
    const mails = await Promise.all(found.map(({ source }) => PostalMime.parse(source ?? '')));
    return mails.find((each) => each.subject === title);
  });
}

const EXCEL = `<html xmlns:x="urn:schemas-microsoft-com:office:excel"><head><style><!-- .xl65 {color:red; font-weight:700; mso-number-format:"0";} --></style></head>
  <body><table border=0 cellspacing=0 style='width:96pt'><col width=64 style='width:48pt'><!--StartFragment-->
  <tr height=20><td class=xl65 height=20 style='height:15pt'>Q1</td><td align=right style='background:#FFFF00'>10</td></tr>
  <tr><td>Q2</td><td colspan=1 onclick="alert(1)">20<img src="https://evil.example/p.png"></td></tr></table></body></html>`;

inBrowser('a table pasted from Excel is shown, saved and reopened, and mail apps see its rows', async () => {
  const page = await open('excel', 'Figures');
  await paste(page, { 'text/html': EXCEL, 'text/plain': 'Q1\t10\nQ2\t20' });
  const cells = message(page).locator('td');
  await soon(async () => assert.deepEqual(await cells.allTextContents(), ['Q1', '10', 'Q2', '20']));
  assert.equal(await message(page).locator('img').count(), 0);
  assert.equal(await cells.first().locator('strong .ink, .ink strong').textContent(), 'Q1');
  await checkAccess(page);
  await soon(async () => {
    const draft = await draftOf('excel', 'Figures');
    assert.match(draft?.html ?? '', /<td[^>]*border: 1px solid[^>]*>.*Q1.*<\/td>/);
    assert.match(draft?.html ?? '', /background-color: #ffff00/);
    assert.match(draft?.html ?? '', /text-align: right/);
    assert.match(draft?.html ?? '', /color: #ff0000/);
    assert.doesNotMatch(draft?.html ?? '', /evil|onclick|data-style|--ink/);
    assert.match(draft?.text ?? '', /^Q1 {2}10\nQ2 {2}20/m);
  });
  await page.reload();
  await soon(async () => assert.deepEqual(await cells.allTextContents(), ['Q1', '10', 'Q2', '20']));
  await page.context().close();
});

inBrowser(
  'a table is inserted and filled by keyboard, and Tab begins a row after the last cell',
  async () => {
    const page = await open('tables', 'By keyboard');
    await button(page, 'Table').focus();
    await page.keyboard.press('ArrowDown');
    await entry(page, 'Insert table…').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Insert table', exact: true });
    await dialog.getByLabel('Rows', { exact: true }).fill('2');
    await dialog.getByLabel('Columns', { exact: true }).fill('2');
    await checkAccess(page);
    await page.keyboard.press('Enter');
    await message(page).locator('table').waitFor();
    await message(page).and(page.locator(':focus')).waitFor();
    for (const text of ['A', 'B', '1', '2', '3']) {
      await page.keyboard.type(text);
      await page.keyboard.press('Tab');
    }
    const cells = message(page).locator('td, th');
    assert.deepEqual(await cells.allTextContents(), ['A', 'B', '1', '2', '3', '']);
    assert.equal(await message(page).locator('th').count(), 2);
    await button(page, 'Table').click();
    await entry(page, 'Delete row').click();
    await soon(async () => assert.equal(await cells.count(), 4));
    await message(page).and(page.locator(':focus')).waitFor();
    await page.keyboard.press('ControlOrMeta+z');
    await soon(async () => assert.equal(await cells.count(), 6));
    await button(page, 'Table').click();
    await entry(page, 'Delete table').click();
    await message(page).locator('table').waitFor({ state: 'detached' });
    await page.context().close();
  },
);

inBrowser('lists and styles of Word, and tables that arrange a page, become plain structures', async () => {
  const page = await open('word', 'From Word');
  const item = (level: number, marker: string, text: string) =>
    `<p class=MsoListParagraph style='mso-list:l0 level${level} lfo1'><![if !supportLists]><span style='mso-list:Ignore'>${marker}<span>&nbsp; </span></span><![endif]>${text}<o:p></o:p></p>`;
  await paste(page, {
    'text/html': `<!--[if gte mso 9]><xml><o:OfficeDocumentSettings></o:OfficeDocumentSettings></xml><![endif]-->
      <p class=MsoNormal>First</p><p class=MsoNormal style='text-align:center;color:black'><span style='color:#C00000;mso-fareast-language:DE'>Red</span><o:p></o:p></p>
      ${item(1, '·', 'one')}${item(1, '·', 'two')}${item(2, '1.', 'inner')}
      <table><tr><td><table><tr><td>inside</td></tr></table></td></tr></table>`,
  });
  await message(page).locator('ul > li').getByText('two').waitFor();
  assert.equal(await message(page).locator('ul > li ol > li').textContent(), 'inner');
  assert.equal(await message(page).locator('table').count(), 0);
  await message(page).getByText('inside').waitFor();
  assert.doesNotMatch((await message(page).textContent()) ?? '', /·|1\./);
  assert.equal(
    await message(page)
      .locator('.ink')
      .evaluate((element) => element.closest('div')?.style.textAlign),
    'center',
  );
  await page.context().close();
});

inBrowser('a table that is too large is pasted as text with tabs', async () => {
  const page = await open('large', 'Large');
  const rows = Array.from({ length: 1_001 }, (_, at) => [at, at + 1, at + 2]);
  await paste(page, {
    'text/html': `<table>${rows.map((row) => `<tr><td>${row.join('</td><td>')}</td></tr>`).join('')}</table>`,
    'text/plain': rows.map((row) => row.join('\t')).join('\n'),
  });
  await soon(async () =>
    assert.match((await message(page).locator('pre').textContent()) ?? '', /^0\t1\t2\n1\t2\t3\n/),
  );
  assert.equal(await message(page).locator('table').count(), 0);
  await page.context().close();
});

inBrowser(
  'text gets a color, a highlight, a size and an alignment, readable in light and dark mode',
  async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open(`colors-${colorScheme}`, 'Colors', { colorScheme });
      await page.keyboard.type('Look here');
      await page.keyboard.press('ControlOrMeta+a');
      for (const [menu, choice] of [
        ['Text color', 'Red'],
        ['Highlight', 'Yellow highlight'],
        ['Text size', 'Large text'],
        ['Alignment', 'Center'],
      ] as const) {
        await button(page, menu).click();
        await entry(page, choice).click();
        await message(page).and(page.locator(':focus')).waitFor();
      }
      await checkAccess(page);
      await soon(async () => {
        const html = (await draftOf(`colors-${colorScheme}`, 'Colors'))?.html ?? '';
        assert.match(
          html,
          /<span style="color: #c62828; background-color: #fff3a3; font-size: 1.3em">Look here<\/span>/,
        );
        assert.match(html, /<div[^>]* style="text-align: center"/);
      });
      await button(page, 'Text color').click();
      await entry(page, 'Default color').click();
      await soon(async () => assert.equal(await message(page).locator('.ink').count(), 0));
      await page.context().close();
    }
  },
);

inBrowser(
  'a picture is inserted, resized by its handle and by keyboard, and keeps its width in mail',
  async () => {
    const page = await open('pictures', 'Pictures');
    await button(page, 'Picture').click();
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      entry(page, 'Insert picture…').click(),
    ]);
    const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');
    await chooser.setFiles({ name: 'dot.gif', mimeType: 'image/gif', buffer: pixel });
    const image = message(page).getByRole('img', { name: 'dot.gif', exact: true });
    await image.click();
    await button(page, 'Picture').click();
    await entry(page, 'Medium picture').click();
    await soon(async () => assert.equal(await image.getAttribute('width'), '320'));
    const handle = message(page).locator('.image-handle');
    const from = await handle.boundingBox();
    assert.ok(from !== null);
    await page.mouse.move(from.x + 7, from.y + 7);
    await page.mouse.down();
    await page.mouse.move(from.x + 7 - 120, from.y + 7, { steps: 4 });
    await page.mouse.up();
    await soon(async () => assert.equal(await image.getAttribute('width'), '200'));
    await soon(async () => {
      const html = (await draftOf('pictures', 'Pictures'))?.html ?? '';
      assert.match(html, /<img[^>]* style="max-width: 100%; height: auto"[^>]* width="200"/);
    });
    await page.reload();
    await soon(async () => assert.equal(await image.getAttribute('width'), '200'));
    await page.context().close();
  },
);

inBrowser('a draft of a mail app keeps its table, and hostile styles in it do no harm', async () => {
  const hostile = `<table style="position:fixed;background:url(https://evil.example/a)"><tr><td style="color:#c00;background:expression(alert(1))" onclick="alert(1)">1</td><td>2</td></tr>
    <tr><td colspan="9999999" rowspan="-1">3</td></tr></table><p style="--ink:url(https://evil.example/b);color:red;font-size:9999px">x</p>`;
  await client.append(
    'foreign',
    `Subject: Foreign\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${hostile}`,
    { folder: 'Drafts' },
  );
  const page = await client.open('/drafts', { as: 'foreign' });
  await page.getByRole('link', { name: 'Foreign' }).click();
  await message(page).locator('td').first().waitFor();
  assert.equal(await message(page).locator('td .ink').textContent(), '1');
  const html = await message(page).innerHTML();
  assert.doesNotMatch(html, /evil|onclick|expression|fixed|9999/);
  await page.context().close();
});

inBrowser('the identity of an alias is chosen under From, and its signature is shown', async () => {
  const { mailbox, user } = await client.mailbox('several');
  const { projectId, mailboxId } = mailbox;
  await newAlias(client.service.database, 'desk', [{ projectId, mailboxId }]);
  const page = await client.open('/settings/writing', { as: 'several' });
  await button(page, 'Add identity').click();
  const dialog = page.getByRole('dialog', { name: 'Add identity', exact: true });
  const alias = `desk@${user.split('@')[1] ?? ''}`;
  await dialog.getByLabel('Address', { exact: true }).selectOption(alias);
  await dialog.getByLabel('Name', { exact: true }).fill('Help desk');
  await dialog.getByRole('textbox', { name: 'Signature', exact: true }).click();
  await page.keyboard.type('The help desk');
  await dialog.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Help desk').waitFor();
  await page.goto(page.url().replace(/settings.*/, 'inbox?compose=new'));
  await message(page).waitFor();
  await page.getByRole('combobox', { name: 'From' }).selectOption(`Help desk <${alias}>`);
  await page.getByRole('group', { name: 'Signature', exact: true }).getByText('The help desk').waitFor();
  await subject(page).fill('From the desk');
  await checkAccess(page);
  await soon(async () => assert.equal((await draftOf('several', 'From the desk'))?.from?.address, alias));
  await page.reload();
  await page.getByRole('group', { name: 'Signature', exact: true }).getByText('The help desk').waitFor();
  await page.context().close();
});

inBrowser('a message is saved as a canned response, which a slash inserts, also on a phone', async () => {
  const page = await open('canned', 'Hello');
  await page.keyboard.press('ControlOrMeta+b');
  await page.keyboard.type('Thank you');
  await button(page, 'More').last().click();
  await entry(page, 'Save as canned response…').click();
  const save = page.getByRole('dialog', { name: 'Save as canned response', exact: true });
  await save.getByLabel('Name', { exact: true }).fill('Thanks');
  await save.getByLabel('Also save the subject', { exact: true }).check();
  await checkAccess(page);
  await page.keyboard.press('Escape');
  await save.waitFor({ state: 'detached' });
  await button(page, 'More').last().click();
  await entry(page, 'Save as canned response…').click();
  await save.getByLabel('Name', { exact: true }).fill('Thanks');
  await save.getByLabel('Also save the subject', { exact: true }).check();
  await save.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Canned response saved').waitFor();
  await page.context().close();

  const phone = await open('canned', '', { viewport: PHONE });
  await message(phone).focus();
  await soon(async () => {
    await phone.keyboard.type('/');
    await phone
      .getByRole('dialog', { name: 'Insert canned response', exact: true })
      .waitFor({ timeout: 500 });
  });
  await checkAccess(phone);
  await phone.keyboard.press('Escape');
  await message(phone).getByText('/').first().waitFor();
  await phone.keyboard.press('ControlOrMeta+a');
  await phone.keyboard.press('Delete');
  await phone.keyboard.type('/');
  await phone.getByRole('textbox', { name: 'Search', exact: true }).fill('than');
  await phone.keyboard.press('Enter');
  await message(phone).locator('strong').getByText('Thank you').waitFor();
  await soon(async () => assert.equal(await subject(phone).inputValue(), 'Hello'));
  await phone.context().close();
});
