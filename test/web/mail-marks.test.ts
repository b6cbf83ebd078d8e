/** No message can hide the warning after a misleading link or move it out of view, in a browser with the web client's document. */
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Frame, Page } from 'playwright-core';
import { prepareForDisplay } from '../../src/webmail/read/html/clean-html.ts';
import { MARK_COVERS } from '../../src/webmail/read/html/hostile-marks.fixture.ts';
import { mailDocument } from '../../src/webmail/read/html/mail-document.ts';
import { NO_BROWSER, startBrowser, type TestBrowser } from '../support/browser.ts';

/** The size of a message frame. */
const SIZE = { width: 700, height: 300 };

let chromium: TestBrowser;
let page: Page;
/** A frame for the message, as in the web client. A screenshot of a wide or right-to-left page would show another part of the message. */
let frame: Frame;
before(async () => {
  if (NO_BROWSER !== false) return;
  chromium = await startBrowser();
  page = await (await chromium.browser.newContext({ viewport: SIZE })).newPage();
  await page.setContent('<iframe style="position:fixed;inset:0;width:100%;height:100%;border:0"></iframe>');
  frame = page.frames()[1] ?? assert.fail('there is no frame');
});
after(() => chromium?.[Symbol.asyncDispose]());

interface Mark {
  /** The position and size on the screen, in pixels. */
  box: { x: number; y: number; width: number; height: number };
  /** Whether the whole mark is visible without horizontal scrolling. */
  isReachable: boolean;
  /** The elements in front of the mark, at a grid of points. */
  inFront: string[];
}

/** Finds the mark. A string because it runs in the browser. */
const FIND = `(() => {
  const mark = [...document.querySelectorAll('span')].find((each) => each.children.length === 0 && each.textContent === '⚠ leads to evil.example');
  if (mark === undefined) return null;
  mark.scrollIntoView({ block: 'center', inline: 'nearest' });
  const { x, y, width, height } = mark.getBoundingClientRect();
  const inFront = [];
  for (let down = y + 1; down < y + height; down += 3)
    for (let right = x + 2; right < x + width - 1; right += 5) {
      const found = document.elementFromPoint(right, down);
      if (found !== mark) inFront.push(found === null ? 'nothing' : found.outerHTML.slice(0, 100));
    }
  return { box: { x, y, width, height }, inFront, isReachable: scrollX === 0 && x >= 0 && x + width <= innerWidth && y >= 0 };
})()`;

/** The fractions of a screenshot that have the two colors of a mark. */
const COLORS = `(async (base64) => {
  const image = await createImageBitmap(await (await fetch('data:image/png;base64,' + base64)).blob());
  const canvas = new OffscreenCanvas(image.width, image.height).getContext('2d');
  canvas.drawImage(image, 0, 0);
  const { data } = canvas.getImageData(0, 0, image.width, image.height);
  const found = { red: 0, white: 0 };
  for (let at = 0; at < data.length; at += 4) {
    if (Math.abs(data[at] - 0xb4) + Math.abs(data[at + 1] - 0x23) + Math.abs(data[at + 2] - 0x18) < 12) found.red += 4 / data.length;
    else if (data[at] > 0xd8 && data[at + 1] > 0xd0 && data[at + 2] > 0xd0) found.white += 4 / data.length;
  }
  return found;
})`;

async function show(html: string): Promise<{ mark: Mark | null; red: number; white: number }> {
  const document = mailDocument(prepareForDisplay(html).html, {
    theme: 'light',
    remote: null,
    inline: () => null,
    writing: () => null,
  });
  await frame.setContent(document);
  const mark = await frame.evaluate<Mark | null>(FIND);
  if (mark === null || mark.box.width < 1 || mark.box.height < 1 || !mark.isReachable)
    return { mark, red: 0, white: 0 };
  const picture = await page.screenshot({ clip: mark.box });
  const colors = await page.evaluate<{ red: number; white: number }>(
    `${COLORS}('${picture.toString('base64')}')`,
  );
  return { mark, ...colors };
}

describe('the warning after a misleading link is fully visible despite', { skip: NO_BROWSER }, () => {
  for (const [name, html] of MARK_COVERS)
    test(name, async () => {
      const { mark, red, white } = await show(html);
      assert.ok(mark !== null, 'the mark is missing');
      assert.ok(mark.isReachable, `the mark is outside the window: ${JSON.stringify(mark.box)}`);
      assert.deepEqual(mark.inFront, []);
      assert.ok(mark.box.width > 120 && mark.box.height > 12, JSON.stringify(mark.box));
      // The letters cover about a fifth of the mark.
      assert.ok(red > 0.5 && white > 0.04, `${red} of the mark is red, and ${white} is white`);
    });
});
