/**
 * Takes screenshots of pages, narrow and wide, light and dark: `deploy/node test/web/pictures.ts <folder> [options] <path>...`. Without a
 * path, takes screenshots of all pages. A path is one of:
 *
 * - a page of the dashboard, such as `/emails`. `/emails/first` and `/emails/last` are items of that list.
 * - a page of the web client, such as `/mail/inbox`, `/mail/settings/reading` or `/mail/sign-in`. `/mail/conversation` shows an open
 *   conversation, `/mail/compose` shows a reply, and `/mail` shows the pages that users see first. `/mail/shared` shows a shared mailbox,
 *   `/mail/shared/answered` a message in it that a member answered, and `/mail/shared/read-only` a mailbox that the user can only read.
 * - a page of the documentation, such as `/docs/api/emails`; `/landing` is the page at `/`.
 * - a file link: `/link`, `/link/password` or `/link/expired`.
 *
 * Names of buttons may follow a path: `/api-keys > Create API key` shows the dialog. Each text that is cut off is listed on stdout.
 * The screenshots of the guides are made by `doc-images.ts`.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createTransport } from 'nodemailer';
import type { Page } from 'playwright-core';
import { makeResetLink } from '../../src/accounts/sign-in-links.ts';
import { invite } from '../../src/accounts/members/invitations.ts';
import { type LinkWorld, openLinks } from '../../src/doors/http/links/links.fixture.ts';
import { shareMailbox } from '../../src/mailboxes/sharing/grants.ts';
import type { MailboxAccess } from '../../src/model/mailbox-rights.ts';
import { type OpenedDashboard, openDashboard } from '../support/dashboard.ts';
import { type OpenedMailClient, openMailClient } from '../support/mail-client.ts';
import { appendSampleMail } from '../support/sample-mail.ts';
import { addSampleProject } from '../support/sample-project.ts';

const MAIL_FIRST = ['sign-in', 'inbox', 'conversation', 'compose', 'settings/account', 'settings/reading'];
const SETTINGS = [
  'sharing',
  'rules',
  'vacation',
  'forwarding',
  'blocked',
  'safe',
  'folders',
  'labels',
  'file-links',
  'writing',
  'notifications',
];
const SYSTEM = [
  'checks',
  'queue',
  'processes',
  'storage',
  'certificates',
  'tls',
  'mail',
  'versions',
  'sign-in',
  'log',
];
const EVERY_PATH = [
  ...linesOf(`
    /welcome
    /sign-in
    /invitation
    /invitation#wrong
    /reset
    /
    /emails
    /emails?q=nothing
    /emails > Send email
    /emails/first
  `),
  ...['text', 'html', 'source', 'headers', 'links', 'checks'].map((view) => `/emails/first?view=${view}`),
  ...linesOf(`
    /templates
    /templates/first
    /templates?view=layouts
    /templates?view=partials
    /metrics
    /domains
    /domains > Add domain
    /domains/last
    /suppressions
    /suppressions > Add addresses
    /suppressions > Import
    /api-keys
    /api-keys > Create API key
    /api-log
    /api-log/first
    /api-log?error=internal
    /webhooks
    /webhooks > Create webhook
    /webhooks/first
    /routes
    /routes > Create route
    /routes/first
    /routes/last
    /mailboxes
    /mailboxes > Create mailbox
    /mailboxes/first
    /aliases
    /aliases > Create alias
    /file-links
    /directory
    /directory?view=shares
    /people
    /people > Invite
    /usage
    /audit
    /settings
    /settings > Erase a person
    /settings?tab=organization
    /account
    /nothing
    /system?part=queue > Pause a destination
  `),
  ...SYSTEM.map((part) => `/system?part=${part}`),
  ...[...MAIL_FIRST, ...SETTINGS.map((each) => `settings/${each}`)].map((each) => `/mail/${each}`),
  ...linesOf(`
    /mail/settings/rules > Add rule
    /mail/shared
    /mail/shared/answered
    /mail/shared/read-only
    /mail/inbox > Mailbox ann@posthorn.localhost
    /mail/scheduled
    /mail/drafts
    /mail/search?q=nothing
    /landing
    /docs
    /docs/api
    /docs/api/emails
    /docs/migrate-from-resend
    /docs/frameworks
    /docs/performance
    /docs/gdpr
    /docs/nothing
    /link
    /link/password
    /link/expired
  `),
];

function linesOf(text: string): string[] {
  return text.trim().split(/\s*\n\s*/);
}

const { values, positionals } = parseArgs({
  options: {
    widths: { type: 'string', default: '390,1440' },
    schemes: { type: 'string', default: 'light,dark' },
    /** Whether to write the text of each page as well. */
    text: { type: 'boolean', default: false },
    /** Whether to leave out the sample data, to show the pages of a new project. */
    empty: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [folder, ...requested] = positionals;
if (folder === undefined)
  throw new Error(
    `usage: ${fileURLToPath(import.meta.url)} <folder> [--widths 390,1440] [--schemes light,dark] [--text] [--empty] <path>...`,
  );
const paths = (requested.length === 0 ? EVERY_PATH : requested).flatMap((path) =>
  path === '/mail' ? MAIL_FIRST.map((each) => `/mail/${each}`) : [path],
);
const VIEWPORTS = values.widths.split(',').map((width) => ({
  width: Number(width),
  // The heights belong to a phone, a large screen and a laptop.
  height: Number(width) < 768 ? 844 : Number(width) > 1_920 ? 1_440 : 900,
}));

interface Appearance {
  viewport: { width: number; height: number };
  colorScheme: 'light' | 'dark';
}

/** The texts that do not fit their element. Includes the page itself if it can be scrolled sideways. */
const CUT_OFF = `[
  ...(document.documentElement.scrollWidth > innerWidth ? ['the page is ' + document.documentElement.scrollWidth + ' px wide'] : []),
  ...[...document.querySelectorAll('body *')]
    .filter((each) => each.scrollWidth > each.clientWidth + 1 && each.clientWidth > 1)
    .filter((each) => ['hidden', 'clip'].includes(getComputedStyle(each).overflowX) && each.checkVisibility() && each.innerText)
    .map((each) => each.innerText.slice(0, 120)),
]`;

mkdirSync(folder, { recursive: true });
await using stack = new AsyncDisposableStack();
let dashboard: OpenedDashboard | undefined;
let client: OpenedMailClient | undefined;
let links: LinkWorld | undefined;
let fresh: OpenedDashboard | undefined;
for (const requestedPath of paths) {
  const [path = '/', ...buttons] = requestedPath.split(/\s*>\s*/);
  for (const viewport of VIEWPORTS) {
    for (const colorScheme of values.schemes.split(',') as Appearance['colorScheme'][]) {
      const name = requestedPath.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'start';
      const file = join(folder, `${name}-${viewport.width}-${colorScheme}.png`);
      try {
        await take(path, buttons, { viewport, colorScheme }, file);
      } catch (error) {
        process.stdout.write(`${file}: ${String(error)}\n`);
      }
    }
  }
}

async function take(path: string, buttons: string[], appearance: Appearance, file: string): Promise<void> {
  const page = await open(path, appearance);
  try {
    for (const name of buttons) await page.getByRole('button', { name, exact: true }).first().click();
    await page.waitForLoadState('networkidle');
    await page.screenshot({ path: file, fullPage: true });
    const cut = await page.evaluate<string[]>(CUT_OFF);
    process.stdout.write([file, ...cut.map((each) => `  cut off: ${JSON.stringify(each)}`), ''].join('\n'));
    if (values.text)
      writeFileSync(file.replace(/png$/, 'txt'), await page.evaluate<string>('document.body.innerText'));
  } finally {
    await page.context().close();
  }
}

function open(path: string, appearance: Appearance): Promise<Page> {
  if (path.startsWith('/mail/')) return openMail(path, appearance);
  if (path === '/link' || path.startsWith('/link/')) return openLink(path, appearance);
  return openDashboardAt(path, appearance);
}

async function sampleDashboard(): Promise<OpenedDashboard> {
  if (dashboard === undefined) {
    dashboard = stack.use(await openDashboard({}));
    if (!values.empty) await addSampleProject(dashboard);
  }
  return dashboard;
}

async function openDashboardAt(path: string, appearance: Appearance): Promise<Page> {
  if (path === '/welcome') {
    // The link for the first owner works only while the installation has no user.
    fresh ??= stack.use(await openDashboard({}));
    const [, token = ''] = /\/dashboard\/welcome(#[\w-]+)/.exec(fresh.service.output) ?? [];
    return opened(await fresh.open(`/welcome${token}`, { as: null, ...appearance }));
  }
  const sample = await sampleDashboard();
  const isPublic = path.startsWith('/docs') || path === '/landing';
  if (isPublic) {
    const page = await sample.open('/sign-in', { as: null, ...appearance });
    await page.goto(path === '/landing' ? '/' : path);
    return page;
  }
  const isSignedOut = /^\/(?:sign-in|invitation|reset)/.test(path);
  const as = isSignedOut ? null : path.startsWith('/system') ? 'operator' : 'owner';
  const [list = '/', position, query = ''] = path.split(/\/(first|last)/);
  const page = await opened(await sample.open(await withToken(sample, list), { as, ...appearance }));
  if (list !== path) {
    // Some items are dialogs above their list, so their links have a parameter.
    const links = page.locator(
      `main a[href^="/dashboard${list}/"], main tbody a[href^="/dashboard${list}?"]`,
    );
    await links.first().waitFor();
    const href = await links[position === 'last' ? 'last' : 'first']().getAttribute('href');
    await page.goto(`${href}${query.replace('?', '&')}`);
    await opened(page);
  }
  return page;
}

async function opened(page: Page): Promise<Page> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  return page;
}

/** Adds a valid token to the path of a page that is opened by a link. */
async function withToken({ service, organizationId, user }: OpenedDashboard, path: string): Promise<string> {
  if (path === '/reset') {
    const { token } = await makeResetLink(service.database, (await user('developer')).id);
    return `${path}#${token}`;
  }
  if (path === '/invitation') {
    const inviter = { role: 'owner', name: 'Ada', isOperator: false } as const;
    const invited = { email: 'bo@acme.example', role: 'developer', seesBodies: false } as const;
    const { token } = await invite(service.database, organizationId, inviter, invited, null, async () => {});
    return `${path}#${token}`;
  }
  return path;
}

async function openLink(path: string, appearance: Appearance): Promise<Page> {
  links ??= stack.use(await openLinks({ hasScanner: true }));
  const { path: below } = await links.newLink({
    files: [
      { name: 'walk-through.mov', type: 'video/quicktime', scan: 'clean' },
      { name: 'Ground floor.pdf', type: 'application/pdf', scan: 'unscanned' },
    ],
    ...(path === '/link/password' && { password: 'open sesame' }),
    ...(path === '/link/expired' && { seconds: -1 }),
  });
  const sample = await sampleDashboard();
  const { viewport, colorScheme } = appearance;
  const page = await (await sample.browser.newContext({ viewport, colorScheme })).newPage();
  await page.goto(links.baseUrl + below);
  return page;
}

async function share(
  { service, mailbox }: OpenedMailClient,
  from: string,
  to: string,
  access: MailboxAccess = 'write',
): Promise<void> {
  const { user: member } = await mailbox(to);
  const rights = { member, access, sending: 'as' } as const;
  await shareMailbox(service.database, (await mailbox(from)).mailbox, rights);
}

/** Shares two mailboxes with Ann. In one of them, Ben has answered a question. */
async function addSharedMailboxes(opened: OpenedMailClient): Promise<void> {
  const { service, mailbox } = opened;
  const [support, ben] = [await mailbox('support'), await mailbox('ben')];
  for (const [{ mailbox: key }, displayName] of [
    [support, 'Support'],
    [ben, 'Ben Adler'],
  ] as const)
    await service.database
      .updateTable('mailboxes')
      .set({ displayName })
      .where('id', '=', key.mailboxId)
      .execute();
  await share(opened, 'support', 'ann');
  await share(opened, 'support', 'ben');
  await share(opened, 'jobs', 'ann', 'read');
  const hourAgo = new Date(Date.now() - 3_600_000);
  for (const localPart of ['support', 'jobs'])
    await opened.append(
      localPart,
      [
        'From: Mara Lindt <mara@garden.example>\r\nSubject: Opening hours\r\n\r\nAre you open on Saturday?',
        'From: Carl Moss <carl@shop.example>\r\nMessage-ID: <price@shop.example>\r\nSubject: The price of a large order\r\n\r\nHow much are forty of them, and when can you deliver?',
      ],
      { at: hourAgo },
    );
  const app = createTransport({
    host: '127.0.0.1',
    port: service.submissionPort,
    auth: { user: ben.user, pass: ben.password },
    ignoreTLS: true,
  });
  await app.sendMail({
    from: `Support <${support.user}>`,
    to: 'carl@shop.example',
    subject: 'Re: The price of a large order',
    inReplyTo: '<price@shop.example>',
    references: '<price@shop.example>',
    text: 'Forty cost 380 euros, and arrive within a week.',
  });
  app.close();
}

async function openShared(opened: OpenedMailClient, path: string, appearance: Appearance): Promise<Page> {
  const { user } = await opened.mailbox(path === '/shared/read-only' ? 'jobs' : 'support');
  const page = await opened.open('/inbox', appearance);
  await page.goto(`/mail/${encodeURIComponent(user)}/inbox`);
  const question = page.getByRole('link', { name: /The price of a large order/ });
  await question.waitFor();
  if (path !== '/shared/answered') return page;
  await question.click();
  await page.getByRole('button', { name: 'Reply', exact: true }).last().waitFor();
  await page.keyboard.press(';');
  await page.getByText(/^Sent by/).waitFor();
  await page.mouse.move(0, 0);
  return page;
}

async function openMail(path: string, appearance: Appearance): Promise<Page> {
  if (client === undefined) {
    client = stack.use(await openMailClient({}));
    await appendSampleMail(client, 'ann');
    await share(client, 'ann', 'ben');
    await addSharedMailboxes(client);
  }
  const below = path.slice('/mail'.length);
  if (below.startsWith('/shared')) return openShared(client, below, appearance);
  if (below === '/sign-in') return opened(await client.open(below, { as: null, ...appearance }));
  const isWithin = below === '/conversation' || below === '/compose';
  const page = await opened(await client.open(isWithin ? '/inbox' : below, appearance));
  if (isWithin) {
    await page.getByRole('link', { name: 'The plans for the new building' }).first().click();
    await page.getByRole('button', { name: 'Reply', exact: true }).last().waitFor();
    // Move the pointer away, because a message under the pointer shows its actions.
    await page.mouse.move(0, 0);
  }
  if (below === '/compose') {
    await page.keyboard.press('r');
    await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
    await page.keyboard.type('I’ll bring the cake.');
  }
  return page;
}
