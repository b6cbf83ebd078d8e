import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { EmailDetail, EmailList } from '../../src/contract/emails.ts';
import { decodeId, encodeId } from '../../src/model/ids.ts';
import { createTemplate, updateTemplate } from '../../src/templates/save-template.ts';
import { readDraft, writeDraft } from '../../src/templates/template-drafts.ts';
import { type OpenedDashboard, openDashboard } from '../support/dashboard.ts';
import { checkAccess } from '../support/watched-page.ts';
import { NO_BROWSER } from '../support/browser.ts';
import { soon } from '../support/soon.ts';

let dashboard: OpenedDashboard;
before(async () => {
  if (NO_BROWSER === false) dashboard = await openDashboard();
});
after(() => dashboard?.[Symbol.asyncDispose]());

function inBrowser(name: string, run: () => Promise<void>): void {
  void test(name, { skip: NO_BROWSER }, run);
}

const button = (area: Page | Locator, name: string) => area.getByRole('button', { name, exact: true });
const editor = (page: Page, name: string) => page.getByRole('textbox', { name, exact: true });

async function newTemplate(name: string): Promise<string> {
  const { id } = await createTemplate(dashboard.service.database, dashboard.projectUuid, {
    name,
    subject: 'Hello {{ name }}',
    html: '<p>Hello {{ name }}</p>',
    text: '',
  });
  return encodeId('tpl', id);
}

const usesOf = (id: string) =>
  dashboard.service.database
    .selectFrom('templateUses')
    .select('variables')
    .where('templateId', '=', decodeId('tpl', id) ?? '')
    .execute();

/** From now on, drafts are rejected as too long. */
const rejectDrafts = (page: Page): Promise<unknown> =>
  page.route(/\/draft$/, (route) =>
    route.fulfill({
      status: 422,
      contentType: 'application/problem+json',
      body: JSON.stringify({
        type: '/errors/validation-failed',
        title: 'No',
        status: 422,
        errors: { html: 'is too long' },
      }),
    }),
  );

/** Replaces the whole text of an editor. */
async function write(page: Page, name: string, text: string): Promise<void> {
  await editor(page, name).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

inBrowser('a template is created by keyboard, edited, previewed, published, and sent as a test', async () => {
  const page = await dashboard.open('/templates');
  await page.getByRole('heading', { name: 'Templates', exact: true, level: 1 }).waitFor();
  await page.getByRole('heading', { name: 'No templates yet', exact: true }).waitFor();
  await checkAccess(page);
  await button(page, 'Create template').focus();
  await page.keyboard.press('Enter');
  await page.locator('input:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.getByText('Enter a name').waitFor();
  await page.keyboard.type('order shipped');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'order shipped', exact: true, level: 1 }).waitFor();
  await editor(page, 'HTML body').waitFor();
  const preview = page.frameLocator('iframe[title=Preview]');
  await preview.getByText('Hello Ada,').waitFor();
  await checkAccess(page);
  // Tab moves the focus from the editor to the preview frame, which is scrolled by keyboard and shows its focus.
  await editor(page, 'HTML body').focus();
  await soon(async () => {
    await page.keyboard.press('Tab');
    assert.equal(await page.locator('iframe[title=Preview][data-focused]').count(), 1);
  });
  await write(page, 'HTML body', '<p>Dear {{ name }}, g for {{ coupon }}.</p>');
  await preview.getByText('Dear Ada, g for .').waitFor();
  await page.getByText('Missing from the sample data: coupon').waitFor();
  // The letter g typed in the editor must not have started a shortcut to another page.
  await page.getByText('only after you publish it').waitFor();
  await button(page, 'Add to sample data').focus();
  await page.keyboard.press('Enter');
  await preview.getByText('Dear Ada, g for coupon.').waitFor();
  await button(page, 'Publish').focus();
  await page.keyboard.press('Enter');
  await page.getByText('Published. New emails use this version').waitFor();
  await button(page, 'Send test').focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('To', { exact: true }).fill('bo@example.com');
  await checkAccess(page);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Test sent', exact: true }).waitFor();
  const { body } = await dashboard.service.client().get<EmailList>('/v1/emails?tag=template-test');
  const email = await dashboard.service.client().get<EmailDetail>(`/v1/emails/${body.data[0]?.id}`);
  assert.equal(email.body.html, '<p>Dear Ada, g for coupon.</p>');
  await page.context().close();
});

inBrowser(
  'a syntax error is marked at its line, and the draft survives a visit to another page',
  async () => {
    const id = await newTemplate('unfinished');
    const page = await dashboard.open(`/templates/${id}`);
    await editor(page, 'HTML body').waitFor();
    await write(page, 'HTML body', '<p>\n{{ first name }}</p>');
    await page.getByText('line 2, column 10: two values without an operator between them').first().waitFor();
    await page.locator('.cm-lint-marker-error').waitFor();
    await checkAccess(page);
    await button(page, 'Publish').click();
    await page.getByText(/Not published\. html: line 2/).waitFor();
    await page.getByText('Draft saved.').waitFor();
    await page.getByRole('link', { name: 'Emails', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Emails', exact: true, level: 1 }).waitFor();
    await page.goBack();
    await editor(page, 'HTML body').getByText('first name').waitFor();
    await button(page, 'Discard draft').click();
    await button(page.getByRole('alertdialog'), 'Discard draft').click();
    await editor(page, 'HTML body').getByText('Hello').waitFor();
    await page
      .getByText(/^Published (just now|.+ ago)$/)
      .first()
      .waitFor();
    await page.context().close();
  },
);

inBrowser(
  'text typed while a draft is published remains in the editor, and is stored only as a draft',
  async () => {
    const id = await newTemplate('typed on');
    const page = await dashboard.open(`/templates/${id}`);
    await editor(page, 'HTML body').waitFor();
    const released = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    await page.route(/\/templates\/tpl_\w+$/, async (route) => {
      if (route.request().method() !== 'PUT') return route.continue();
      begun.resolve();
      await released.promise;
      return route.continue();
    });
    await write(page, 'HTML body', '<p>sent</p>');
    await button(page, 'Publish').click();
    await begun.promise;
    await write(page, 'HTML body', '<p>sent, and more</p>');
    released.resolve();
    await page.getByText('Published. New emails use this version').waitFor();
    await editor(page, 'HTML body').getByText('sent, and more').waitFor();
    await page.getByText('Draft saved.').waitFor();
    await page.reload();
    await editor(page, 'HTML body').getByText('sent, and more').waitFor();
    const saved = await dashboard.service.client().get<{ html: string }>(`/v1/templates/${id}`);
    assert.equal(saved.body.html, '<p>sent</p>');
    // No conflict is reported, because no other user has saved.
    await soon(async () => assert.equal(await button(page, 'Publish over it').count(), 0));
    await page.context().close();
  },
);

for (const width of [390, 1280])
  inBrowser(`a new template starts with an example that its name suggests, at ${width} px`, async () => {
    const page = await dashboard.open('/templates?create=yes', { viewport: { width, height: 800 } });
    const dialog = page.getByRole('dialog');
    const starter = (name: string) => dialog.getByRole('radio', { name, exact: true });
    const preview = dialog.frameLocator('iframe[title=Preview]');
    await dialog.getByLabel('Name', { exact: true }).fill(`password reset ${width}`);
    await soon(async () => assert.ok(await starter('Password reset').isChecked()));
    await dialog.getByText('Suggested', { exact: true }).waitFor();
    await preview.getByText('Choose a new password').waitFor();
    await checkAccess(page);
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
    await starter('Password reset').focus();
    await page.keyboard.press('ArrowDown');
    assert.ok(await starter('Sign-in code').isChecked());
    await preview.getByText('482913').waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: `password reset ${width}`, exact: true, level: 1 }).waitFor();
    const subject = page.getByLabel('Subject', { exact: true });
    assert.equal(await subject.inputValue(), '{{ code }} is your {{ company }} sign-in code');
    await page.getByText('482913 is your Acme sign-in code').waitFor();
    await page.context().close();
  });

inBrowser('an error in the HTML leaves the previews of the subject and the text visible', async () => {
  const id = await newTemplate('half broken');
  const page = await dashboard.open(`/templates/${id}`);
  const preview = page.getByRole('region', { name: 'Preview', exact: true });
  await editor(page, 'HTML body').waitFor();
  await write(page, 'HTML body', '<p>\n{{ first name }}</p>');
  await preview.getByText('line 2, column 10: two values without an operator between them').waitFor();
  await page.getByRole('tab', { name: 'HTML (error)', exact: true }).waitFor();
  await page.getByRole('tab', { name: 'Text', exact: true }).click();
  await write(page, 'Text body', 'Dear {{ name }}');
  await page.getByLabel('Subject', { exact: true }).fill('Hi {{ name | default: "Ada" }}');
  await preview.getByText('Hi Ada', { exact: true }).waitFor();
  await preview.getByRole('radio', { name: 'Text', exact: true }).check();
  await preview.getByText('Dear', { exact: true }).waitFor();
  assert.equal(await preview.getByText('line 2, column 10').count(), 0);
  await checkAccess(page);
  await page.context().close();
});

inBrowser('the preview can use the data of the last email, which is stored nowhere else', async () => {
  const id = await newTemplate('in use');
  const variables = { name: '<Grace>' };
  const sent = await dashboard.service.client().post<{ id: string }>('/v1/emails', {
    from: 'shop@posthorn.localhost',
    to: ['grace@example.com'],
    template_id: id,
    variables,
  });
  assert.equal(sent.status, 202);
  const page = await dashboard.open(`/templates/${id}`);
  const preview = page.getByRole('region', { name: 'Preview', exact: true });
  const frame = page.frameLocator('iframe[title=Preview]');
  await soon(async () => assert.equal((await usesOf(id)).length, 1));
  await preview.getByRole('radio', { name: 'Sample data', exact: true }).focus();
  await page.keyboard.press('ArrowRight');
  await preview.getByRole('link', { name: 'email to grace@example.com', exact: true }).waitFor();
  await frame.getByText('Hello <Grace>').waitFor();
  await preview.getByText('Hello <Grace>', { exact: true }).waitFor();
  await write(page, 'HTML body', '<p>Dear {{ name }}, {{ coupon }}</p>');
  await frame.getByText('Dear <Grace>,').waitFor();
  await preview.getByText('It lacks coupon').waitFor();
  await checkAccess(page);
  await page.setViewportSize({ width: 390, height: 800 });
  assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
  await page.getByText('Draft saved.').waitFor();
  const { database } = dashboard.service;
  for (const [table, column] of [
    ['templates', 'id'],
    ['templateSharedDrafts', 'templateId'],
  ] as const) {
    const rows = await database
      .selectFrom(table)
      .select('sample')
      .where(column, '=', decodeId('tpl', id) ?? '')
      .execute();
    assert.equal(rows.length, 1);
    assert.doesNotMatch(rows[0]?.sample ?? '', /Grace/);
  }
  await preview.getByRole('radio', { name: 'Sample data', exact: true }).check();
  await frame.getByText('Dear ,').waitFor();
  assert.equal(await preview.getByRole('link').count(), 0);
  await page.context().close();
});

inBrowser(
  'publishing after another user has published reports a conflict, which the user resolves',
  async () => {
    const id = await newTemplate('of two');
    const page = await dashboard.open(`/templates/${id}`);
    await editor(page, 'HTML body').waitFor();
    await write(page, 'HTML body', '<p>mine</p>');
    await page.getByText('Draft saved.').waitFor();
    const { database } = dashboard.service;
    await updateTemplate(database, dashboard.projectUuid, decodeId('tpl', id) ?? '', { text: 'theirs' });
    await button(page, 'Publish').click();
    await page.getByText(/published this template/).waitFor();
    await checkAccess(page);
    await page.reload();
    await page.getByText(/published this template/).waitFor();
    await button(page, 'View published version').click();
    await page.getByRole('list', { name: 'Versions', exact: true }).waitFor();
    await button(page, 'Publish over it').click();
    await page.getByText('Published. New emails use this version').waitFor();
    await soon(async () => assert.equal(await page.getByText(/published this template/).count(), 0));
    await page.context().close();
  },
);

inBrowser('text that the service rejects survives a visit to another page', async () => {
  const id = await newTemplate('rejected');
  const page = await dashboard.open(`/templates/${id}`);
  await editor(page, 'HTML body').waitFor();
  await rejectDrafts(page);
  await write(page, 'HTML body', '<p>kept</p>');
  await page.getByText('The draft is not saved yet').waitFor();
  await page.getByRole('link', { name: 'Emails', exact: true }).first().click();
  await page.getByRole('heading', { name: 'Emails', exact: true, level: 1 }).waitFor();
  await page.unroute(/\/draft$/);
  await page.goBack();
  await editor(page, 'HTML body').getByText('kept').waitFor();
  await page.getByText('Draft saved.').waitFor();
  await page.reload();
  await editor(page, 'HTML body').getByText('kept').waitFor();
  await page.context().close();
});

inBrowser('a draft that another user has changed in the meantime is not discarded', async () => {
  const id = await newTemplate('of both');
  const page = await dashboard.open(`/templates/${id}`);
  await editor(page, 'HTML body').waitFor();
  await write(page, 'HTML body', '<p>mine</p>');
  await page.getByText('Draft saved.').waitFor();
  const template = { projectId: dashboard.projectUuid, templateId: decodeId('tpl', id) ?? '' };
  const theirs = { subject: '', html: '<p>theirs</p>', text: '', layoutId: null, sample: '{}' };
  const { database } = dashboard.service;
  await writeDraft(database, template, theirs, { basedOn: undefined, revision: undefined });
  await button(page, 'Discard draft').click();
  await button(page.getByRole('alertdialog'), 'Discard draft').click();
  await page.getByText(/another user has changed the draft/).waitFor();
  assert.equal((await readDraft(database, template))?.html, theirs.html);
  await page.context().close();
});

inBrowser('a test is not sent if the draft cannot be saved, and the dialog says why', async () => {
  const id = await newTemplate('too long');
  const page = await dashboard.open(`/templates/${id}`);
  await editor(page, 'HTML body').waitFor();
  await rejectDrafts(page);
  await write(page, 'HTML body', '<p>new</p>');
  await button(page, 'Send test').click();
  await button(page.getByRole('dialog'), 'Send').click();
  await page.getByRole('dialog').getByText('html: is too long').waitFor();
  await page.context().close();
});

inBrowser('the history shows the author of each version, and restores an old version', async () => {
  const id = await newTemplate('with a past');
  const page = await dashboard.open(`/templates/${id}`);
  await editor(page, 'HTML body').waitFor();
  await write(page, 'HTML body', '<p>Goodbye</p>');
  await button(page, 'Publish').click();
  await page.getByText('Published. New emails use this version').waitFor();
  await page.getByRole('tab', { name: 'History', exact: true }).click();
  const versions = page.getByRole('list', { name: 'Versions', exact: true });
  await versions.getByRole('button').nth(1).waitFor();
  await soon(async () => assert.equal(await versions.getByRole('button').count(), 2));
  await versions.getByText((await dashboard.user('owner')).email).waitFor();
  await editor(page, 'HTML of this version').getByText('Goodbye').waitFor();
  await checkAccess(page);
  await button(page, 'Restore this version').click();
  await button(page.getByRole('alertdialog'), 'Restore').click();
  await page.getByText('Restored as the newest version').waitFor();
  await versions.getByRole('button').nth(2).waitFor();
  await page.getByRole('tab', { name: 'Edit', exact: true }).click();
  await editor(page, 'HTML body').getByText('Hello {{ name }}').waitFor();
  await page.context().close();
});

inBrowser('a template is duplicated, and deleted after a warning', async () => {
  await newTemplate('old one');
  const page = await dashboard.open('/templates');
  await button(page, 'More about old one').click();
  await page.getByRole('menuitem', { name: 'Duplicate', exact: true }).click();
  await button(page.getByRole('dialog'), 'Duplicate').click();
  await page.getByRole('heading', { name: 'old one copy', exact: true, level: 1 }).waitFor();
  await button(page, 'More').click();
  await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
  await page.getByRole('alertdialog').getByText('Requests with').waitFor();
  await checkAccess(page);
  await button(page.getByRole('alertdialog'), 'Delete').click();
  await page.getByRole('table', { name: 'Templates', exact: true }).waitFor();
  await page.getByText('old one copy deleted').waitFor();
  await page.context().close();
});

inBrowser('a viewer can read a template and its examples, but not change it', async () => {
  const id = await newTemplate('looked at');
  const page = await dashboard.open(`/templates/${id}?view=use`, { as: 'viewer' });
  await page.getByLabel('The example in curl', { exact: true }).getByText(id).waitFor();
  await page.getByRole('tab', { name: 'Python', exact: true }).click();
  await page.getByLabel('The example in Python', { exact: true }).getByText(id).waitFor();
  await page.getByRole('tab', { name: 'View', exact: true }).click();
  await editor(page, 'HTML body').waitFor();
  await soon(async () => assert.equal(await button(page, 'Publish').count(), 0));
  await checkAccess(page);
  await page.context().close();
});

inBrowser(
  'colleagues share one draft, compare it with the published version, and resolve conflicts',
  async () => {
    const id = await newTemplate('of colleagues');
    const page = await dashboard.open(`/templates/${id}`);
    await editor(page, 'HTML body').waitFor();
    await write(page, 'HTML body', '<p>first</p>');
    await page.getByText('Draft saved.').waitFor();
    const other = await dashboard.open(`/templates/${id}`, { as: 'developer' });
    const author = (await dashboard.user('owner')).email;
    await other.getByText(`Draft saved by ${author}`).waitFor();
    await other.getByRole('tab', { name: 'History', exact: true }).click();
    await other.getByText(`Last changed by ${author}`).waitFor();
    await editor(other, 'HTML of this draft').getByText('first').waitFor();
    await checkAccess(other);
    await other.getByRole('tab', { name: 'Edit', exact: true }).click();
    await write(other, 'HTML body', '<p>second</p>');
    await other.getByText('Draft saved.').waitFor();
    await write(page, 'HTML body', '<p>third</p>');
    await page
      .getByText(/changed the draft/)
      .first()
      .waitFor();
    await checkAccess(page);
    await button(page, 'Overwrite with mine').click();
    await page.getByText('Draft saved.').waitFor();
    await write(other, 'HTML body', '<p>fourth</p>');
    await button(other, 'Load their version').click();
    await editor(other, 'HTML body').getByText('third').waitFor();
    await button(other, 'Publish').click();
    await other.getByText('Published. New emails use this version').waitFor();
    // The first page shows the published version as soon as the user returns to it.
    await page.evaluate('window.dispatchEvent(new Event("focus"))');
    await page.getByText(/^Published (just now|.+ ago)$/).waitFor();
    await other.context().close();
    await page.context().close();
  },
);
