/**
 * Takes screenshots of pages, narrow and wide, light and dark: `deploy/node test/web/pictures.ts <folder> [--widths 390,1440] <path>...`. A
 * path belongs to the dashboard, such as `/emails`, or to the web client, such as `/mail/inbox`, `/mail/settings/reading` or `/mail/sign-in`.
 * `/mail/conversation` shows an open conversation, `/mail/compose` a reply, and `/mail` the pages that users see first.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Page } from 'playwright-core';
import { type OpenedDashboard, openDashboard } from '../support/dashboard.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { appendSampleMail } from '../support/sample-mail.ts';

const { values, positionals } = parseArgs({
  options: { widths: { type: 'string', default: '390,1440' } },
  allowPositionals: true,
});
const [folder, ...requested] = positionals;
if (folder === undefined)
  throw new Error(`usage: ${fileURLToPath(import.meta.url)} <folder> [--widths 390,1440] <path>...`);
const FIRST_OF_MAIL = ['sign-in', 'inbox', 'conversation', 'compose', 'settings/account', 'settings/reading'];
const paths = (requested.length === 0 ? ['/'] : requested).flatMap((path) =>
  path === '/mail' ? FIRST_OF_MAIL.map((each) => `/mail/${each}`) : [path],
);
const VIEWPORTS = values.widths.split(',').map((width) => ({
  width: Number(width),
  // The heights of a phone, a large screen and a laptop.
  height: Number(width) < 768 ? 844 : Number(width) > 1_920 ? 1_440 : 900,
}));

interface Appearance {
  viewport: { width: number; height: number };
  colorScheme: 'light' | 'dark';
}

mkdirSync(folder, { recursive: true });
await using stack = new AsyncDisposableStack();
let dashboard: OpenedDashboard | undefined;
let client: OpenedMailClient | undefined;
for (const path of paths) {
  for (const viewport of VIEWPORTS) {
    for (const colorScheme of ['light', 'dark'] as const) {
      const appearance = { viewport, colorScheme };
      const page = path.startsWith('/mail/')
        ? await openMail(path, appearance)
        : await openDashboardAt(path, appearance);
      await page.waitForLoadState('networkidle');
      const name = path.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'start';
      const file = join(folder, `${name}-${viewport.width}-${colorScheme}.png`);
      await page.screenshot({ path: file, fullPage: true });
      process.stdout.write(`${file}\n`);
      await page.context().close();
    }
  }
}

async function openDashboardAt(path: string, appearance: Appearance): Promise<Page> {
  dashboard ??= stack.use(await openDashboard({}));
  const as = path.startsWith('/sign-in') ? null : path.startsWith('/system') ? 'operator' : 'owner';
  const page = await dashboard.open(path, { as, ...appearance });
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  return page;
}

async function openMail(path: string, appearance: Appearance): Promise<Page> {
  if (client === undefined) {
    client = stack.use(await openMailClient({}));
    await appendSampleMail(client, 'ann');
  }
  const below = path.slice('/mail'.length);
  if (below === '/sign-in') {
    const page = await client.open(below, { as: null, ...appearance });
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    return page;
  }
  const isWithin = below === '/conversation' || below === '/compose';
  const page = await client.open(isWithin ? '/inbox' : below, appearance);
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  if (isWithin) {
    await page.getByRole('link', { name: 'The plans for the new building' }).first().click();
    await page.getByRole('button', { name: 'Reply', exact: true }).last().waitFor();
    // A message under the pointer shows its actions, so the pointer moves away.
    await page.mouse.move(0, 0);
  }
  if (below === '/compose') {
    await page.keyboard.press('r');
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    await page.keyboard.type('I bring the cake.');
  }
  return page;
}
