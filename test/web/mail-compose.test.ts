import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type FetchMessageObject, ImapFlow } from 'imapflow';
import type { Locator, Page } from 'playwright-core';
import PostalMime, { type Email } from 'postal-mime';
import { encodeId } from '../../src/model/ids.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { checkAccess } from '../support/watched-page.ts';
import { soon } from '../support/soon.ts';

const PHONE = { width: 390, height: 844 };
/** The maximum time until a message is delivered, including the ten seconds for Undo. */
const SENT_MS = 60_000;

let client: OpenedMailClient;
before(async () => {
  if (NO_BROWSER === false) client = await openMailClient();
});
after(() => client?.[Symbol.asyncDispose]());

function inBrowser(name: string, run: () => Promise<void>): void {
  void test(name, { skip: NO_BROWSER }, run);
}

const to = (page: Page) => page.getByLabel('To', { exact: true });
const subject = (page: Page) => page.getByLabel('Subject', { exact: true });
const message = (page: Page) => page.getByRole('textbox', { name: 'Message', exact: true });
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** Waits until a field has the focus. Keys pressed earlier would reach another element, even if the field is visible. */
const focused = (page: Page, field: (page: Page) => Locator) =>
  field(page).and(page.locator(':focus')).waitFor();
/** Waits until the draft was saved once. Later changes may still be unsaved. */
const saved = (page: Page) => page.getByText(/^Saved \d/).waitFor();
const addressOf = async (localPart: string) => (await client.mailbox(localPart)).user;

/** The messages of a folder, read by IMAP, newest first. */
async function folder(localPart: string, name: string): Promise<Email[]> {
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
    const { exists } = await app.mailboxOpen(name, { readOnly: true });
    if (exists === 0) return [];
    const found: FetchMessageObject[] = await app.fetchAll('1:*', { source: true });
    return await Promise.all(found.toReversed().map(({ source }) => PostalMime.parse(source ?? '')));
  } finally {
    await app.logout();
  }
}

async function draftsOf(localPart: string, name: string): Promise<Email[]> {
  return (await folder(localPart, 'Drafts')).filter((each) => each.subject === name);
}

/** The id of the newest message in the Inbox. */
async function idOfNewest(localPart: string): Promise<string> {
  const { mailbox } = await client.mailbox(localPart);
  const { objectId } = await client.service.database
    .selectFrom('messages')
    .where('projectId', '=', mailbox.projectId)
    .where('mailboxId', '=', mailbox.mailboxId)
    .select('objectId')
    .orderBy('saveDate', 'desc')
    .executeTakeFirstOrThrow();
  return encodeId('msg', objectId);
}

/** @param fill a script that fills `clipboardData`, as a string because the script runs in the browser */
async function pasteData(page: Page, fill: string): Promise<void> {
  await page.evaluate(`{
    const clipboardData = new DataTransfer();
    ${fill};
    document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
  }`);
}

async function paste(page: Page, type: string, text: string): Promise<void> {
  await pasteData(page, `clipboardData.setData(${JSON.stringify(type)}, ${JSON.stringify(text)})`);
}

async function open(compose: string, options: Parameters<OpenedMailClient['open']>[1] = {}): Promise<Page> {
  const page = await client.open(`/inbox?compose=${encodeURIComponent(compose)}`, options);
  await message(page).waitFor();
  return page;
}

inBrowser('a message is written by keyboard, undone with z, sent, and delivered with its file', async () => {
  const page = await client.open('/drafts');
  // Delete `randomUUID`, because pages served over plain HTTP do not have it.
  await page.evaluate('delete Crypto.prototype.randomUUID');
  // The empty Drafts folder also has a button named Compose.
  await page.getByText('No drafts').waitFor();
  await button(page, 'Compose').first().click();
  await focused(page, to);
  await page.keyboard.type(await addressOf('bo'));
  await page.keyboard.press('Tab');
  await subject(page).focus();
  await page.keyboard.type('The offer');
  await page.keyboard.press('Enter');
  await focused(page, message);
  await page.keyboard.type('Here it is, ');
  await page.keyboard.press('ControlOrMeta+b');
  await page.keyboard.type('all of it');
  const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(page, 'Attach').click()]);
  await chooser.setFiles({ name: 'offer.txt', mimeType: 'text/plain', buffer: Buffer.from('1 €') });
  await saved(page);
  await soon(async () => assert.equal((await draftsOf('ann', 'The offer')).length, 1));
  await message(page).focus();
  await page.keyboard.press('ControlOrMeta+Enter');
  await button(page, 'Undo').waitFor();
  await page.keyboard.press('z');
  await message(page).getByText('Here it is, all of it').waitFor();
  await soon(async () => assert.equal(await subject(page).inputValue(), 'The offer'));
  await page.getByText('offer.txt').waitFor();
  await page.keyboard.press('ControlOrMeta+Enter');
  await button(page, 'Undo').waitFor();
  await soon(async () => {
    const [arrived] = await folder('bo', 'INBOX');
    assert.equal(arrived?.subject, 'The offer');
    assert.match(arrived.html ?? '', /<strong>all of it<\/strong>/);
    assert.match(arrived.text ?? '', /Here it is, all of it/);
    assert.deepEqual(
      arrived.attachments.map(({ filename }) => filename),
      ['offer.txt'],
    );
  }, SENT_MS);
  assert.equal((await folder('bo', 'INBOX')).length, 1);
  await soon(async () => {
    assert.equal((await draftsOf('ann', 'The offer')).length, 0);
    assert.equal((await folder('ann', 'Sent'))[0]?.subject, 'The offer');
  });

  // The recipient's address is now suggested.
  await page.goto(`${page.url().replace(/\?.*/, '')}?compose=new`);
  await to(page).pressSequentially('bo');
  await page
    .getByRole('option')
    .filter({ hasText: await addressOf('bo') })
    .waitFor();
  await checkAccess(page);
  await page.keyboard.press('Enter');
  await button(page, await addressOf('bo')).waitFor();
  await page.context().close();
});

inBrowser(
  'a pasted list of addresses becomes recipients, and an invalid address is reported and prevents sending',
  async () => {
    const page = await open('new');
    await to(page).focus();
    await paste(page, 'text/plain', 'Cy <cy@acme.example>, "Lee, Di" <di@acme.example>; ghost');
    await page.getByRole('button', { name: 'Lee, Di, di@acme.example', exact: true }).waitFor();
    await page.getByText('“ghost” is not a valid email address').waitFor();
    await subject(page).fill('To ghost');
    await button(page, 'Send').click();
    await page.getByRole('alert').filter({ hasText: '“ghost” is not a valid email address' }).waitFor();
    await checkAccess(page);
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Delete');
    await page.getByText('is not a valid email address').first().waitFor({ state: 'detached' });
    await page.context().close();
  },
);

inBrowser(
  'one dialog asks about a missing subject and attachment, and a message without recipients is not sent',
  async () => {
    const page = await open('new');
    await button(page, 'Send').click();
    await page.getByRole('alert').filter({ hasText: 'Add at least one recipient' }).waitFor();
    await to(page).fill(await addressOf('bo'));
    await message(page).fill('The file is attached.');
    await button(page, 'Send').click();
    const dialog = page.getByRole('dialog', { name: 'Send anyway?', exact: true });
    await dialog.getByText(/subject/).waitFor();
    await dialog
      .getByText(/file|attach/)
      .first()
      .waitFor();
    await checkAccess(page);
    await dialog.getByRole('button', { name: 'Keep editing', exact: true }).click();
    await soon(async () => assert.equal(await message(page).innerText(), 'The file is attached.'));
    await page.context().close();
  },
);

inBrowser('a message is scheduled, listed under Scheduled, rescheduled, and canceled', async () => {
  const page = await open('new');
  await to(page).fill(await addressOf('bo'));
  await subject(page).fill('Next week');
  await message(page).fill('Hello');
  await button(page, 'More send options').click();
  await page.getByRole('menuitem', { name: 'Send later…', exact: true }).click();
  await checkAccess(page);
  await page.getByRole('button', { name: /^Tomorrow morning/ }).click();
  await page.getByText(/Scheduled for .* 08:00/).waitFor();
  await page.goto(`/mail/${encodeURIComponent(await addressOf('ann'))}/scheduled`);
  await page.getByText('Next week').waitFor();
  await checkAccess(page);
  await button(page, 'More actions for “Next week”').click();
  await page.getByRole('menuitem', { name: 'Change time…', exact: true }).click();
  await page.getByRole('button', { name: /^Tomorrow afternoon/ }).click();
  await page
    .getByText(/, 13:00/)
    .first()
    .waitFor();
  await button(page, 'Cancel “Next week”').click();
  await page.getByText('No scheduled messages').waitFor();
  await button(page, 'Open').click();
  await message(page).getByText('Hello').waitFor();
  await soon(async () => assert.equal((await draftsOf('ann', 'Next week')).length, 1));
  await page.context().close();
});

inBrowser(
  'a reply to all recipients quotes the original with its formatting, and a forward includes the attachments',
  async () => {
    const [ann, bo] = [await addressOf('ann'), await addressOf('bo')];
    const original = [
      `From: Cy <cy@elsewhere.example>`,
      `To: ${ann}, ${bo}`,
      'Subject: Lunch',
      `Message-ID: <${crypto.randomUUID()}@elsewhere.example>`,
      'MIME-Version: 1.0',
      'Content-Type: multipart/mixed; boundary=b',
      '',
      '--b',
      'Content-Type: text/html',
      '',
      '<p style="color: red">Where <b>shall</b> we go?</p><script>document.title = "run"</script>',
      '--b',
      'Content-Type: text/plain; name=menu.txt',
      'Content-Disposition: attachment; filename=menu.txt',
      '',
      'Soup',
      '--b--',
      '',
    ].join('\r\n');
    await client.append('ann', original);
    const id = await idOfNewest('ann');
    const page = await open(`reply-all:${id}`);
    await focused(page, message);
    await page.keyboard.type('Anywhere.');
    await button(page, 'Cy, cy@elsewhere.example').waitFor();
    await button(page, bo).waitFor();
    await button(page, 'Quoted original').click();
    await page
      .getByRole('group', { name: 'Quoted original', exact: true })
      .getByText('Where shall we go?')
      .waitFor();
    await checkAccess(page);
    await saved(page);
    await soon(async () => {
      const [reply] = await draftsOf('ann', 'Re: Lunch');
      assert.match(reply?.html ?? '', /Anywhere\.[\s\S]*<b>shall<\/b>/);
    });
    await page.keyboard.press('Escape');
    await message(page).waitFor({ state: 'detached' });

    await page.goto(`${page.url().replace(/\?.*/, '')}?compose=forward:${id}`);
    await page.getByText('menu.txt').waitFor();
    await to(page).fill(bo);
    await message(page).fill('Look.');
    await saved(page);
    await soon(async () => {
      const [forward] = await draftsOf('ann', 'Fwd: Lunch');
      assert.deepEqual(
        forward?.attachments.map(({ filename }) => filename),
        ['menu.txt'],
      );
    });
    assert.equal(await page.title().then((title) => title === 'run'), false);
    await page.context().close();
  },
);

inBrowser(
  'plain text mode warns before formatting is lost, is remembered, and creates no HTML part',
  async () => {
    const page = await open('new');
    await message(page).focus();
    await page.keyboard.type('- one');
    await page.keyboard.press('Enter');
    await page.keyboard.type('two');
    await button(page, 'More').click();
    await page.getByRole('menuitem', { name: 'Plain text', exact: true }).click();
    await checkAccess(page);
    await button(page, 'Switch').click();
    await soon(async () => assert.equal(await message(page).inputValue(), '- one\n- two'));
    await message(page).focus();
    await pasteData(page, `clipboardData.items.add(new File(['1'], 'list.csv', { type: 'text/csv' }))`);
    await button(page, 'Remove list.csv').waitFor();
    await subject(page).fill('Plain');
    await saved(page);
    await soon(async () => {
      const [draft] = await draftsOf('ann', 'Plain');
      assert.deepEqual([draft?.text?.trim(), draft?.html], ['- one\n- two', undefined]);
      assert.equal(draft?.attachments[0]?.filename, 'list.csv');
    });
    await page.reload();
    await message(page).waitFor();
    await soon(async () => assert.equal(await message(page).inputValue(), '- one\n- two'));
    await page.context().close();
  },
);

inBrowser('pasted HTML is reduced to the formats of the editor, without scripts and requests', async () => {
  const page = await open('new');
  await message(page).focus();
  await paste(
    page,
    'text/html',
    `<style>p { color: red }</style><b style="font-weight: normal"><p style="color: red">Docs <span style="font-weight: 700">bold</span>
    <a href="javascript:alert(1)" onclick="alert(2)">bad</a> <a href="https://good.example/">good</a></p><img src="https://evil.example/p.png"
    onerror="document.title = 'run'"><script>document.title = 'run'</script><svg onload="document.title = 'run'"></svg>
    <div style="background: url(https://evil.example/b.png)"><div>in</div></div><table><tr><td>1</td><td>2</td></tr></table>
    <iframe src="https://evil.example/f"></iframe><math><mi>m</mi></math><h1>Big</h1></b>`,
  );
  await message(page).getByRole('heading', { name: 'Big', exact: true }).waitFor();
  const html = await message(page).innerHTML();
  assert.match(html, /<strong>bold<\/strong>/);
  assert.match(html, /<a href="https:\/\/good\.example\/">good<\/a>/);
  assert.match(html, /<td[^>]*><div[^>]*>1<\/div><\/td><td[^>]*><div[^>]*>2</);
  assert.doesNotMatch(html, /javascript|onclick|onerror| style=|<img|<svg|<iframe|evil|red/);
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByLabel('URL', { exact: true }).fill('javascript:alert(1)');
  await page.keyboard.press('Enter');
  await page.getByText('Enter an address such as https://acme.example').waitFor();
  await page.keyboard.press('Escape');
  assert.notEqual(await page.title(), 'run');
  await page.context().close();
});

inBrowser('a pasted image is shown in the text and is an inline part of the message', async () => {
  const page = await open('new');
  await subject(page).fill('A picture');
  await message(page).focus();
  await pasteData(
    page,
    `const pixel = Uint8Array.from(atob('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'), (char) => char.charCodeAt(0));
    clipboardData.items.add(new File([pixel], 'shot.gif', { type: 'image/gif' }))`,
  );
  await message(page).getByRole('img', { name: 'shot.gif', exact: true }).waitFor();
  await saved(page);
  await soon(async () => {
    const [draft] = await draftsOf('ann', 'A picture');
    assert.match(draft?.html ?? '', /<img[^>]+src="cid:/);
    assert.equal(draft?.attachments[0]?.disposition, 'inline');
  });
  await page.reload();
  await message(page).getByRole('img', { name: 'shot.gif', exact: true }).waitFor();
  await soon(async () =>
    assert.equal(await page.evaluate(`document.querySelector('img[alt="shot.gif"]').naturalWidth`), 1),
  );
  await page.context().close();
});

inBrowser('a draft survives a lost connection, a reload, and closing the panel immediately', async () => {
  const page = await open('new', { isCut: true });
  page.on('dialog', (dialog) => void dialog.accept());
  await subject(page).fill('On the train');
  await saved(page);
  await page.context().setOffline(true);
  await message(page).pressSequentially('In the tunnel');
  await page.getByText('Not saved: no connection, retrying').waitFor();
  await checkAccess(page);
  await page.context().setOffline(false);
  await saved(page);
  await page.context().setOffline(true);
  await message(page).press('End');
  await page.keyboard.type(', again');
  await page.getByText('Not saved').waitFor();
  await page.context().setOffline(false);
  await page.reload();
  await message(page).getByText('In the tunnel, again').waitFor();
  await saved(page);
  await message(page).focus();
  await page.keyboard.press('ControlOrMeta+End');
  await page.keyboard.type(', and out');
  await page.keyboard.press('Escape');
  await page.getByText('Saved in Drafts').waitFor();
  await soon(async () => {
    const drafts = await draftsOf('ann', 'On the train');
    assert.equal(drafts.length, 1);
    assert.match(drafts[0]?.text ?? '', /In the tunnel, again, and out/);
  });
  await page.context().close();
});

inBrowser('a reload during a save finds the draft under its new id', async () => {
  const page = await open('new');
  page.on('dialog', (dialog) => void dialog.accept());
  // The reload requests the page with the old draft id, but the response arrives only after the save has changed the id.
  let renamed: Promise<unknown> = Promise.resolve();
  await page.route('**/*', async (route) => {
    if (route.request().isNavigationRequest()) await renamed;
    await route.continue();
  });
  const reload = async () => {
    renamed = page.waitForEvent('framenavigated', (frame) => frame.url().includes('compose=msg_'));
    await page.reload();
  };
  await subject(page).fill('Just then');
  await reload();
  await soon(async () => assert.equal(await subject(page).inputValue(), 'Just then'));
  await message(page).fill('With a name');
  await saved(page);
  await message(page).press('End');
  await page.keyboard.type(', and another');
  await reload();
  await message(page).getByText('With a name, and another').waitFor();
  assert.equal((await draftsOf('ann', 'Just then')).length, 1);
  // A new message must not contain the text of the draft.
  await message(page).press('Escape');
  await message(page).waitFor({ state: 'detached' });
  await button(page, 'Compose').click();
  await message(page).waitFor();
  assert.equal(await subject(page).inputValue(), '');
  await page.context().close();
});

inBrowser(
  'a draft that is closed offline does not appear in a new message, and continues when it is reopened',
  async () => {
    const page = await client.open('/drafts', { isCut: true });
    await button(page, 'Compose').click();
    await subject(page).fill('Closed too soon');
    await saved(page);
    // The list cannot show a new draft after the connection is lost.
    await page.getByRole('link', { name: 'Closed too soon' }).waitFor();
    await page.context().setOffline(true);
    await message(page).fill('One');
    await message(page).press('Escape');
    await message(page).waitFor({ state: 'detached' });
    await button(page, 'Compose').click();
    await message(page).waitFor();
    assert.deepEqual([await subject(page).inputValue(), (await message(page).innerText()).trim()], ['', '']);
    await message(page).press('Escape');
    await message(page).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Closed too soon' }).click();
    await message(page).getByText('One').waitFor();
    await message(page).press('End');
    await page.keyboard.type(', two');
    const sent: string[] = [];
    page.on('request', (request) => request.method() === 'PUT' && sent.push(request.postData() ?? ''));
    await page.context().setOffline(false);
    await saved(page);
    await soon(async () => {
      const drafts = await draftsOf('ann', 'Closed too soon');
      assert.deepEqual(
        drafts.map(({ text }) => text?.trim()),
        ['One, two'],
      );
    });
    assert.deepEqual(
      sent.filter((body) => !body.includes('One, two')),
      [],
    );
    await page.context().close();
  },
);

inBrowser(
  'a file that is too large for mail is offered as a link, and the message is not sent without a decision',
  async () => {
    const page = await open('new');
    // The file is created in the browser, because Playwright cannot transfer a file of this size.
    await page.evaluate(`{
    const transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(26 * 1024 * 1024)], 'film.bin'));
    const field = document.querySelector('input[type=file]');
    field.files = transfer.files;
    field.dispatchEvent(new Event('change', { bubbles: true }));
  }`);
    await page.getByText(/film\.bin is 26 MB\. The limit for attachments is \d+ MB/).waitFor();
    await to(page).fill(await addressOf('bo'));
    await button(page, 'Send').click();
    await page.getByText('film.bin is too large for mail. Send it as a link or remove it.').waitFor();
    await button(page, 'Send as link: film.bin').waitFor();
    await button(page, 'Remove film.bin').click();
    await page.getByText('film.bin').first().waitFor({ state: 'detached' });
    await page.context().close();
  },
);

inBrowser(
  'the composer can be minimized and maximized, and fills the screen of a phone, in light and dark',
  async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await open('new', { colorScheme });
      await subject(page).fill(`Everywhere ${colorScheme}`);
      await saved(page);
      await button(page, 'Minimize').click();
      await button(page, 'Restore').click();
      await soon(async () => assert.equal(await subject(page).inputValue(), `Everywhere ${colorScheme}`));
      await button(page, 'Full screen').click();
      await checkAccess(page);
      await page.context().close();
      const phone = await open(
        `mailto:${await addressOf('bo')}?cc=cy+x@acme.example&subject=1+1&body=Dear%20Bo`,
        {
          colorScheme,
          viewport: PHONE,
        },
      );
      await message(phone).getByText('Dear Bo').waitFor();
      await button(phone, 'cy+x@acme.example').waitFor();
      assert.equal(await subject(phone).inputValue(), '1+1');
      await checkAccess(phone);
      assert.ok(await phone.evaluate('document.documentElement.scrollWidth <= innerWidth'));
      await button(phone, 'Back').click();
      await message(phone).waitFor({ state: 'detached' });
      await button(phone, 'Compose').click();
      await message(phone).waitFor();
      await phone.context().close();
    }
  },
);
