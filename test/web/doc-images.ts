/** Takes the screenshots of the guides, into `docs/images`: `deploy/node test/web/doc-images.ts [name]...`. */
import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { linkTokenDigest, newLinkToken } from '../../src/file-links/tokens.ts';
import { openDashboard } from '../support/dashboard.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { appendSampleMail } from '../support/sample-mail.ts';
import { addSampleProject, insertFileLink } from '../support/sample-project.ts';

const FOLDER = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const MB = 1024 * 1024;
const requested = process.argv.slice(2);
const isRequested = (name: string): boolean => requested.length === 0 || requested.includes(name);

async function save(page: Page, name: string): Promise<void> {
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path });
  process.stdout.write(`${path}\n`);
  await page.context().close();
}

if (isRequested('overview') || isRequested('email')) {
  await using dashboard = await openDashboard({});
  await addSampleProject(dashboard);
  const viewport = { width: 1440, height: 960 };
  if (isRequested('overview')) {
    const page = await dashboard.open('/?range=30d', { viewport });
    await page.getByRole('heading', { name: 'Volume', exact: true }).waitFor();
    await page.waitForLoadState('networkidle');
    await save(page, 'overview');
  }
  if (isRequested('email')) {
    const page = await dashboard.open('/emails', { viewport });
    await page.getByRole('link', { name: /order 4000/ }).click();
    await page.getByRole('heading', { name: 'Timeline', exact: true }).waitFor();
    await page.mouse.move(0, 0);
    await page.waitForLoadState('networkidle');
    await save(page, 'email');
  }
}

if (
  ['web-client', 'web-client-compose', 'web-client-phone', 'file-link', 'file-link-download'].some(
    isRequested,
  )
) {
  await using client = await openMailClient({});
  await appendSampleMail(client, 'ann');
  if (isRequested('web-client-phone')) {
    const page = await openInbox(client, { width: 390, height: 844 }, 'dark');
    await save(page, 'web-client-phone');
  }
  if (isRequested('web-client')) {
    const page = await openInbox(client, { width: 1440, height: 820 });
    await openConversation(page);
    await save(page, 'web-client');
  }
  if (isRequested('web-client-compose')) {
    const page = await openInbox(client, { width: 1440, height: 900 });
    await openConversation(page);
    await page.keyboard.press('r');
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    await page.keyboard.type('I’ll bring the cake.');
    await save(page, 'web-client-compose');
  }
  if (isRequested('file-link')) await takeFileLink(client);
  if (isRequested('file-link-download')) {
    const { mailbox } = await client.mailbox('ann');
    await client.service.database
      .updateTable('mailboxes')
      .set({ displayName: 'Ann Weber' })
      .where('projectId', '=', mailbox.projectId)
      .where('id', '=', mailbox.mailboxId)
      .execute();
    const token = newLinkToken();
    await insertFileLink(client.service.database, mailbox, linkTokenDigest(token));
    const page = await client.open('/sign-in', { as: null, viewport: { width: 960, height: 560 } });
    await page.goto(`/s/${token}`);
    await page.getByRole('link', { name: /^Download/ }).waitFor();
    await save(page, 'file-link-download');
  }
}

async function openInbox(
  client: OpenedMailClient,
  viewport: { width: number; height: number },
  colorScheme: 'light' | 'dark' = 'light',
): Promise<Page> {
  const page = await client.open('/inbox', { viewport, colorScheme });
  await page.getByRole('link', { name: 'The plans for the new building' }).first().waitFor();
  await page.waitForLoadState('networkidle');
  return page;
}

async function openConversation(page: Page): Promise<void> {
  await page.getByRole('link', { name: 'The plans for the new building' }).first().click();
  await page.getByRole('button', { name: 'Reply', exact: true }).last().waitFor();
  // Move the pointer away, because a message under the pointer shows its actions.
  await page.mouse.move(0, 0);
  await page.waitForLoadState('networkidle');
}

/** Takes the picture of a message with a link to a large file that is being uploaded. */
async function takeFileLink(client: OpenedMailClient): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-images-'));
  const file = join(folder, 'walk-through.mov');
  writeFileSync(file, '');
  truncateSync(file, 1_200 * MB);
  try {
    const page = await openInbox(client, { width: 1440, height: 820 });
    await page.getByRole('button', { name: 'Compose', exact: true }).click();
    await page.getByRole('combobox', { name: 'To', exact: true }).fill('bo@acme.example');
    await page.keyboard.press('Enter');
    await page.getByLabel('Subject', { exact: true }).fill('The model, as a film');
    await page.getByRole('textbox', { name: 'Message', exact: true }).focus();
    await page.keyboard.type(
      'Hello Bo,\n\nhere is the walk-through of the new building. You can see the oak from the east side.\n',
    );
    await page.getByRole('button', { name: 'More attachment options', exact: true }).click();
    const choosing = page.waitForEvent('filechooser');
    await page.getByRole('menuitem', { name: 'Send file as link', exact: true }).click();
    await (await choosing).setFiles(file);
    await page.getByRole('list', { name: 'File links', exact: true }).getByText(/left$/).waitFor();
    await page.mouse.move(0, 0);
    const path = join(FOLDER, 'file-link.png');
    await page.screenshot({ path });
    process.stdout.write(`${path}\n`);
    await page.context().close();
  } finally {
    rmSync(folder, { recursive: true });
  }
}
