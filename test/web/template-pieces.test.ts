import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import type { Template, TemplateList } from '../../src/contract/templates.ts';
import { encodeId } from '../../src/model/ids.ts';
import { createTemplate } from '../../src/templates/save-template.ts';
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
const editor = (page: Page, name = 'HTML body') => page.getByRole('textbox', { name, exact: true });

async function write(page: Page, text: string): Promise<void> {
  await editor(page).focus();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.insertText(text);
}

/** Creates a layout or a partial by keyboard, on a phone. */
async function create(page: Page, kind: 'layout' | 'partial', name: string): Promise<void> {
  await button(page, `Create ${kind}`).focus();
  await page.keyboard.press('Enter');
  await page.locator('input:focus').waitFor();
  await page.keyboard.type(name);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name, exact: true, level: 1 }).waitFor();
  await editor(page).waitFor();
}

/** Publishes, and waits until nothing is unpublished. */
async function publish(page: Page): Promise<void> {
  await button(page, 'Publish').click();
  await page.getByText(/^(Not published|Draft)$/).waitFor({ state: 'hidden' });
}

const publishedOf = async (id: string) =>
  (await dashboard.service.client().get<Template>(`/v1/templates/${id}`)).body;

inBrowser(
  'a layout and a partial are created on a phone, used by a template, and published in it',
  async () => {
    const { id: uuid } = await createTemplate(dashboard.service.database, dashboard.projectUuid, {
      name: 'order shipped',
      subject: 'Shipped',
      html: '<p>On its way.</p>',
      text: '',
    });
    const id = encodeId('tpl', uuid);
    const page = await dashboard.open('/templates?view=partials');
    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('heading', { name: 'No partials yet', exact: true }).waitFor();
    await checkAccess(page);
    await create(page, 'partial', 'footer');
    await checkAccess(page);
    await write(page, '<hr>Acme');
    await publish(page);
    await page.getByRole('link', { name: 'Partials', exact: true }).click();
    await page.getByRole('tab', { name: 'Layouts', exact: true }).click();
    await create(page, 'layout', 'main');
    await write(page, '<main>{% include "footer" %}</main>');
    await button(page, 'Publish').click();
    await page
      .getByText(/the layout lacks/)
      .first()
      .waitFor();
    await write(page, '<main>{% content %}{% include "footer" %}</main>');
    await publish(page);
    await page.goto(new URL(`/dashboard/templates/${id}`, page.url()).href);
    await page.getByLabel('Layout', { exact: true }).selectOption({ label: 'main' });
    await page.frameLocator('iframe[title=Preview]').getByText('Acme').waitFor();
    await checkAccess(page);
    await publish(page);
    assert.equal((await publishedOf(id)).html, '<main><p>On its way.</p><hr>Acme</main>');
    await page.context().close();
  },
);

inBrowser(
  'a partial in use is neither broken nor deleted, and its text survives a visit to another page',
  async () => {
    const page = await dashboard.open('/templates?view=partials');
    await page.getByRole('link', { name: 'footer', exact: true }).click();
    await editor(page).waitFor();
    await page.getByRole('link', { name: 'order shipped', exact: true }).waitFor();
    await write(page, '<hr>{{ company }}');
    await button(page, 'Publish').click();
    await page.getByText(/order shipped \(missing: company\)/).waitFor();
    await checkAccess(page);
    await page.getByRole('link', { name: 'Partials', exact: true }).click();
    await page.getByRole('link', { name: 'footer', exact: true }).click();
    await editor(page).getByText('company').waitFor();
    await write(page, '<hr>{{ company | default: "Acme Ltd" }}');
    await publish(page);
    await button(page, 'More').click();
    await page.getByRole('menuitem', { name: 'Delete', exact: true }).click();
    await button(page.getByRole('alertdialog'), 'Delete').click();
    await page.getByText(/Not deleted: used by order shipped, the layout main/).waitFor();
    const { body } = await dashboard.service.client().get<TemplateList>('/v1/templates');
    assert.match(body.data.find(({ name }) => name === 'order shipped')?.html ?? '', /Acme Ltd/);
    await page.context().close();
  },
);

inBrowser('a viewer can read layouts, but not change them', async () => {
  const page = await dashboard.open('/templates?view=layouts', { as: 'viewer' });
  await page.getByRole('link', { name: 'main', exact: true }).click();
  await editor(page).waitFor();
  await soon(async () => assert.equal(await button(page, 'Publish').count(), 0));
  await checkAccess(page);
  await page.context().close();
});
