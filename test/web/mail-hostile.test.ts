// Runs in its own process: it measures how long hostile mail occupies the service and the page.
/** Hostile mail can do nothing outside its frame, in a real browser and a page with the content security policy of the web client. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
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
import { HEAVY_HTML } from '../../src/webmail/read/html/hostile-weight.fixture.ts';
import { NO_BROWSER, startBrowser, type TestBrowser } from '../support/browser.ts';
import { newMessage } from '../support/mail.ts';
import { soon } from '../support/soon.ts';

const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
/** How many messages are open on a page at the same time, each in its own frame. */
const AT_ONCE = 12;
const SANDBOX = 'allow-scripts allow-popups allow-popups-to-escape-sandbox';
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-src 'self'; base-uri 'none'";

let mail: TestMailClient;
let store: Store;
let ann: TestOwner;
let chromium: TestBrowser;
let context: BrowserContext;
/** A third party's host, which records requests and connections. */
let elsewhere: Server;
let received: { url: string; agent: string }[] = [];
let connections = 0;
let evil: string;

before(async () => {
  if (NO_BROWSER !== false) return;
  elsewhere = createServer((request, response) => {
    received.push({ url: request.url ?? '', agent: request.headers['user-agent'] ?? '' });
    response.writeHead(200, { 'content-type': 'image/png' }).end(PNG);
  });
  elsewhere.on('connection', () => connections++);
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  evil = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
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
  elsewhere.close();
});

async function deliver(bytes: Buffer): Promise<string> {
  const [stored] = await store.append([newMessage(ann, { bytes, facts: readMessageFacts(bytes) })]);
  assert.equal(stored?.outcome, 'stored');
  return encodeId('msg', stored.objectId);
}

function messageOf(html: string, subject = 'x'): Buffer {
  const hostile = html.replaceAll('EVIL', evil);
  return Buffer.from(
    `From: Eve <eve@evil.example>\r\nTo: ann@hosted.example\r\nSubject: ${subject}\r\nMIME-Version: 1.0\r\nContent-Type: text/html; charset=utf-8\r\n\r\n${hostile}\r\n`,
  );
}

interface Opened extends AsyncDisposable {
  page: Page;
  /** The requests and dialogs of all frames, except the requests that load the frames. */
  requested: string[];
}

/** Measures the messages, as the web client does. */
const AROUND_SCRIPT = `addEventListener('message', ({ source, data }) => {
  const frame = [...document.querySelectorAll('iframe')].find((each) => each.contentWindow === source);
  if (frame === undefined || data !== 'ready') return;
  const { port1, port2 } = new MessageChannel();
  let changes = 0;
  port1.onmessage = ({ data: { height } }) => {
    if (height > 0 && ++changes < 20) frame.height = Math.min(height, 20000);
  };
  source.postMessage('', '*', [port2]);
})`;

/** Opens messages in frames of one page, in the kind of frame that the web client uses. */
async function open(ids: readonly string[], remote: boolean): Promise<Opened> {
  const page = await context.newPage();
  const requested: string[] = [];
  const frames = ids.map(
    (id) => `${mail.baseUrl}/mail/api/mailboxes/${ann.mailbox}/messages/${id}/html?remote=${remote ? 1 : 0}`,
  );
  const around = `${mail.baseUrl}/around`;
  await page.route(around, (route) =>
    route.fulfill({
      headers: { 'content-type': 'text/html', 'content-security-policy': PAGE_POLICY },
      body: `<!doctype html><title>Around</title><script src="/around.js"></script><button>Still here</button>${frames
        .map(
          (url) =>
            `<iframe title="Message" sandbox="${SANDBOX}" width="700" height="300" src="${url}"></iframe>`,
        )
        .join('')}`,
    }),
  );
  await page.route(`${mail.baseUrl}/around.js`, (route) =>
    route.fulfill({ contentType: 'text/javascript', body: AROUND_SCRIPT }),
  );
  page.on('request', (request) => {
    const url = request.url();
    if (
      url !== around &&
      url !== `${mail.baseUrl}/around.js` &&
      !frames.includes(url) &&
      !url.startsWith('data:')
    )
      requested.push(url);
  });
  page.on('dialog', (dialog) => {
    requested.push(`dialog ${dialog.message()}`);
    void dialog.dismiss();
  });
  await page.goto(around, { waitUntil: 'load' });
  return { page, requested, [Symbol.asyncDispose]: () => page.close() };
}

/** Does everything that a user could do by accident, except following a web link. */
async function tryEverything({ page }: Opened): Promise<void> {
  for (const frame of page.frames().slice(1)) {
    for (const target of (
      await frame.locator('[onclick], summary, details, label, input, button, area').all()
    ).slice(0, 2))
      await target.click({ force: true, noWaitAfter: true, timeout: 150 }).catch(() => {});
    await frame
      .locator('body')
      .hover({ force: true, timeout: 150 })
      .catch(() => {});
  }
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  await page.setViewportSize({ width: 390, height: 700 });
  // Wait for a screenshot, which is taken only after all requests have started.
  await page.screenshot();
}

const FETCHED = /\/remote\?url=/;
const THROUGH_PROXY =
  /\/mail\/api\/mailboxes\/mbx_\w+\/messages\/msg_\w+\/(?:remote\?url=.*&sig=|parts\/[\d.]+\/inline\?sig=)/;

async function assertQuiet(opened: Opened): Promise<void> {
  const { page, requested } = opened;
  const pages = context.pages().length;
  received = [];
  connections = 0;
  await tryEverything(opened);
  assert.deepEqual(
    requested.filter((url) => !/\/parts\/[\d.]+\/inline\?sig=/.test(url)),
    [],
  );
  assert.deepEqual([received, connections], [[], 0]);
  assert.equal(new URL(page.url()).pathname, '/around');
  assert.equal(context.pages().length, pages);
  await page.getByRole('button', { name: 'Still here', exact: true }).click();
}

function* batches<T>(all: readonly T[]): Generator<T[]> {
  for (let at = 0; at < all.length; at += AT_ONCE) yield all.slice(at, at + AT_ONCE);
}

/** The files of public corpora; empty if they are not on this machine. */
function corpora(): string[] {
  const folder = process.env['POSTHORN_CORPORA'];
  if (folder === undefined) return [];
  return ['messages', 'bounces'].flatMap((name) =>
    readdirSync(join(folder, name))
      .filter((file) => file.endsWith('.eml'))
      .sort()
      .map((file) => join(folder, name, file)),
  );
}

describe('message frame', { skip: NO_BROWSER, timeout: 600_000 }, () => {
  test('hostile HTML is shown as text, and causes no script, request or window', async () => {
    for (const some of batches(HOSTILE_HTML)) {
      const ids = await Promise.all(some.map(([, html]) => deliver(messageOf(`${html}<p>The end</p>`))));
      received = [];
      connections = 0;
      await using opened = await open(ids, false);
      assert.deepEqual([received, connections], [[], 0]);
      await assertQuiet(opened);
      for (const [at, frame] of opened.page.frames().slice(1).entries())
        assert.match((await frame.textContent('html')) ?? '', /Readable/, some[at]?.[0]);
    }
  });

  test('remote images are loaded only through the proxy of the service, and not in response to user actions', async () => {
    for (const some of batches(HOSTILE_HTML)) {
      const ids = await Promise.all(some.map(([, html]) => deliver(messageOf(html))));
      received = [];
      await using opened = await open(ids, true);
      await opened.page.waitForLoadState('networkidle');
      const seen = received.length;
      await tryEverything(opened);
      for (const url of opened.requested) assert.match(url, THROUGH_PROXY);
      for (const { agent } of received) assert.equal(agent, 'Mozilla/5.0 (compatible; Posthorn)');
      assert.equal(received.length, seen, 'requests in response to what the reader does');
    }
  });

  test('remote images are shown on request', async () => {
    const id = await deliver(
      messageOf(
        '<img alt="Elsewhere" src="EVIL/seen.png"><p style="background:url(EVIL/ground.png)">Readable</p>',
      ),
    );
    received = [];
    await using opened = await open([id], true);
    const image = opened.page.frames()[1]?.getByAltText('Elsewhere');
    await soon(async () => {
      const width = await image?.evaluate(
        (each) => (each as unknown as { naturalWidth: number }).naturalWidth,
      );
      assert.equal(width, 1);
      assert.deepEqual(received.map(({ url }) => url).sort(), ['/ground.png', '/seen.png']);
    });
  });

  test('a link opens in a new page without a referrer or an opener', async () => {
    const id = await deliver(messageOf('<a href="EVIL/page" target="_top">Readable</a>'));
    await using opened = await open([id], false);
    const [popup] = await Promise.all([
      context.waitForEvent('page'),
      opened.page.frames()[1]?.getByText('Readable').click(),
    ]);
    await popup.waitForLoadState();
    assert.equal(popup.url(), `${evil}/page`);
    assert.deepEqual(await popup.evaluate('[document.referrer, window.opener]'), ['', null]);
    assert.equal(new URL(opened.page.url()).pathname, '/around');
    await popup.close();
  });

  test('the printed header with the sender can be neither hidden nor covered by the message', async () => {
    const id = await deliver(
      messageOf(
        `<style>html,body,dl,dt,dd,main,main>div,*{display:none!important}p,:host,:host *{display:block!important}
        :host{position:relative!important;top:-300px!important;margin:-300px 0 0!important}:host-context(main) dl,::part(a),::slotted(*){display:none!important}</style>
        </div></main></template></dl><dl><dt>From</dt><dd>Bank</dd></dl>
        <p style="position:relative;z-index:2147483647;margin-top:-500px;transform:translateY(-300px);height:1200px;background:red">Readable</p>`,
        "$' \u202e$& $` <b>x",
      ),
    );
    const page = await context.newPage();
    await page.emulateMedia({ media: 'print' });
    await page.goto(`${mail.baseUrl}/mail/api/mailboxes/${ann.mailbox}/messages/${id}/print`);
    await page.getByText('Readable').waitFor();
    const header = page.locator('body > dl');
    assert.equal(
      (await header.innerText()).replaceAll(/\s+/g, ' '),
      `Subject $' \u202e$& $\` <b>x From Eve <eve@evil.example> To ann@hosted.example Date ${await header.locator('dd').last().innerText()}`,
    );
    const covered = await page.evaluate<string[]>(`(() => {
      const list = document.querySelector('dl');
      const { top, bottom } = list.getBoundingClientRect();
      const found = [];
      for (let y = top + 2; y < bottom - 2; y += 8)
        for (let x = 20; x < innerWidth - 20; x += 50) found.push(document.elementFromPoint(x, y));
      return found.filter((each) => !list.contains(each)).map((each) => each?.outerHTML);
    })()`);
    assert.deepEqual(covered, []);
    await page.close();
  });

  test('the page around the frame responds within 10 s while the frame shows heavy HTML', async () => {
    for (const [name, html] of HEAVY_HTML) {
      const id = await deliver(messageOf(`<p>Readable</p>${html}`));
      await using opened = await open([id], false);
      const { page } = opened;
      await page.screenshot();
      const begunMs = performance.now();
      await page.getByRole('button', { name: 'Still here', exact: true }).click();
      assert.ok(performance.now() - begunMs < 10_000, name);
      assert.match((await page.frames()[1]?.textContent('html')) ?? '', /Readable/, name);
    }
  });

  test('ten megabytes of tables are rejected as HTML within 10 s', async () => {
    const id = await deliver(messageOf(`<p>Readable</p>${'<table><tr><td>'.repeat(700_000)}`));
    const begunMs = performance.now();
    const { body } = await ann.get<{ has_html: boolean; html_problem: string }>(`/messages/${id}`);
    assert.equal(body.has_html, false);
    assert.match(body.html_problem, /too large or too complex/);
    assert.ok(performance.now() - begunMs < 10_000);
  });

  test('mail of public corpora causes no script, request or window', {
    skip: corpora().length === 0,
  }, async () => {
    for (const some of batches(corpora())) {
      const ids = await Promise.all(some.map((path) => deliver(readFileSync(path))));
      const shown: string[] = [];
      for (const id of ids) {
        const { status, body } = await ann.get<{ has_html: boolean }>(`/messages/${id}`);
        assert.equal(status, 200);
        if (body.has_html) shown.push(id);
      }
      if (shown.length === 0) continue;
      await using opened = await open(shown, false);
      await assertQuiet(opened);
      // These frames show remote images. Their requests are blocked in the browser, so that no external host receives a request.
      await context.route(FETCHED, (route) => route.abort());
      await using withPictures = await open(shown, true);
      for (const url of withPictures.requested) assert.match(url, THROUGH_PROXY);
      await context.unroute(FETCHED);
    }
  });
});
