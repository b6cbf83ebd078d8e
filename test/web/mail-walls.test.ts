/**
 * Two walls stop the scripts of a message: the sanitizers, and the policy of its frame. Each of them alone stops every hostile message. The
 * tests take the other wall away on the way from the service to the browser.
 */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Page } from 'playwright-core';
import {
  mailCookie,
  startMailClient,
  type TestMailClient,
  type TestOwner,
} from '../../src/doors/http/mail/mail-client.fixture.ts';
import { encodeId } from '../../src/model/ids.ts';
import { readMessageFacts } from '../../src/store/facts/message-facts.ts';
import { Store } from '../../src/store/store.ts';
import { HOSTILE_HTML } from '../../src/webmail/read/html/hostile-html.fixture.ts';
import { NO_BROWSER, startBrowser, type TestBrowser } from '../support/browser.ts';
import { newMessage } from '../support/mail.ts';
import { SCRIPTS } from './hostile-scripts.ts';

const SANDBOX = 'allow-scripts allow-popups allow-popups-to-escape-sandbox';
const AT_ONCE = 12;

/** The hostile messages, with scripts that report that they run instead of navigating. */
const REPORTING = [...HOSTILE_HTML, ...SCRIPTS].map(
  ([name, html]) =>
    [
      name,
      html.replaceAll(/(?:(?:top|parent)\.)?location\s*=/g, 'ran=').replaceAll('EVIL', 'http://127.0.0.1:9'),
    ] as const,
);

type Walls = 'both' | 'sanitizers' | 'policy' | 'none';

let mail: TestMailClient;
let store: Store;
let ann: TestOwner;
let chromium: TestBrowser;
let context: BrowserContext;

before(async () => {
  if (NO_BROWSER !== false) return;
  mail = await startMailClient();
  store = new Store(mail.db.database);
  ann = await mail.newOwner('ann');
  chromium = await startBrowser();
  context = await chromium.browser.newContext();
  const [name = '', value = ''] = mailCookie(ann).split('=');
  await context.addCookies([{ name, value, url: mail.baseUrl, sameSite: 'Lax' }]);
});
after(async () => {
  if (NO_BROWSER !== false) return;
  await chromium[Symbol.asyncDispose]();
  await mail[Symbol.asyncDispose]();
});

async function deliver(html: string): Promise<string> {
  const bytes = Buffer.from(
    `From: Eve <eve@evil.example>\r\nSubject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${html}\r\n`,
  );
  const [stored] = await store.append([newMessage(ann, { bytes, facts: readMessageFacts(bytes) })]);
  assert.equal(stored?.outcome, 'stored');
  return `${mail.baseUrl}/mail/api/mailboxes/${ann.mailbox}/messages/${encodeId('msg', stored.objectId)}/html`;
}

/** Opens messages behind some of the walls, clicks what a user could click, and returns the names of those whose scripts ran. */
async function running(
  messages: readonly (readonly [name: string, html: string])[],
  walls: Walls,
): Promise<string[]> {
  const ran = new Set<string>();
  const page = await context.newPage();
  await page.exposeBinding('report', ({ frame }) => {
    const at = Number(/#(\d+)$/.exec(frame.parentFrame() === null ? '' : outermost(frame).url())?.[1] ?? -1);
    ran.add(messages[at]?.[0] ?? `the page or a window: ${frame.url()}`);
  });
  // A script of a message runs one of these.
  await page.addInitScript(`Object.defineProperty(globalThis, 'ran', { set: () => report() });
    for (const name of ['alert', 'fetch', 'open']) globalThis[name] = () => report();`);
  const sources = new Map<string, string>();
  for (const [, html] of messages) sources.set(await deliver(html), html);
  await page.route('**/html', async (route) => {
    const response = await route.fetch();
    const headers = { ...response.headers() };
    const shown = await response.text();
    const head = shown.slice(0, shown.indexOf('</style>') + '</style>'.length);
    assert.match(headers['content-security-policy'] ?? '', /script-src 'sha256-/);
    const hasSanitizers = walls === 'both' || walls === 'sanitizers';
    const hasPolicy = walls === 'both' || walls === 'policy';
    if (!hasPolicy) delete headers['content-security-policy'];
    const body = hasSanitizers ? shown : head + sources.get(route.request().url().replace(/#.*/, ''));
    await route.fulfill({ status: 200, headers, body });
  });
  const sandbox = walls === 'both' || walls === 'policy' ? `sandbox="${SANDBOX}"` : '';
  const around = `${mail.baseUrl}/around`;
  await page.route(around, (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<!doctype html>${[...sources.keys()].map((url, at) => `<iframe ${sandbox} width=700 height=200 src="${url}#${at}"></iframe>`).join('')}`,
    }),
  );
  await page.goto(around, { waitUntil: 'load' });
  for (const frame of page.frames().filter((each) => each.parentFrame() === page.mainFrame()))
    for (const target of (
      await frame
        .locator('[onclick], summary, label, input, button, area, [href^="javascript" i], svg a')
        .all()
    ).slice(0, 4))
      await target.click({ force: true, noWaitAfter: true, timeout: 150 }).catch(() => {});
  await page.screenshot();
  const windows = context.pages().filter((each) => each !== page);
  for (const each of windows) await each.close();
  await page.close();
  return [...ran];
}

function outermost(frame: ReturnType<Page['mainFrame']>): ReturnType<Page['mainFrame']> {
  let outer = frame;
  while (outer.parentFrame()?.parentFrame() != null) outer = outer.parentFrame() as typeof outer;
  return outer;
}

describe('the scripts of a message', { skip: NO_BROWSER, timeout: 600_000 }, () => {
  for (const [walls, name] of [
    ['both', 'do not run'],
    ['sanitizers', 'do not run, even if the frame has neither a policy nor a sandbox'],
    ['policy', 'do not run, even if both sanitizers let them through'],
  ] as const)
    test(`the scripts of a message ${name}`, async () => {
      for (let at = 0; at < REPORTING.length; at += AT_ONCE)
        assert.deepEqual(await running(REPORTING.slice(at, at + AT_ONCE), walls), []);
    });

  test('the scripts of a message would run without any wall', async () => {
    const ran = await running(SCRIPTS, 'none');
    assert.deepEqual(ran.sort(), SCRIPTS.map(([name]) => name).sort());
  });
});
