import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { forged, sentEmail } from '../../../src/doors/http/track/track.fixture.ts';
import { type RealApi, startRealApi } from '../../support/api.ts';
import { NO_BROWSER, startBrowser, type TestBrowser } from '../../support/browser.ts';

/** Runs in the page: for each text element its name, text color and background color. */
const COLORS = `Array.from(document.querySelectorAll('h1, p, button'), (element) => {
  const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
  const own = numbers(getComputedStyle(element).backgroundColor);
  const ground = own.length === 4 && own[3] === 0 ? numbers(getComputedStyle(document.body).backgroundColor) : own;
  return { name: element.localName, color: numbers(getComputedStyle(element).color), ground };
})`;

interface Drawn {
  name: string;
  /** The color of the text, as red, green and blue. `ground` is the color of the background. */
  color: number[];
  ground: number[];
}

/** The contrast ratio of two colors (WCAG 2.2). */
function contrast(one: number[], other: number[]): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance(color: number[]): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

async function check(page: Page): Promise<void> {
  const [inner, content] = await page.evaluate<number[]>(
    '[innerWidth, document.documentElement.scrollWidth]',
  );
  assert.ok((content ?? 0) <= (inner ?? 0), 'the content is wider than the window');
  const drawn = await page.evaluate<Drawn[]>(COLORS);
  assert.ok(drawn.length >= 2);
  for (const { name, color, ground } of drawn)
    assert.ok(contrast(color, ground) >= 7, `the contrast of ${name} is too low`);
  for (const button of await page.getByRole('button').all()) {
    const box = await button.boundingBox();
    assert.ok((box?.height ?? 0) >= 44, 'the button is too small for touch');
  }
}

describe('the pages for recipients', { skip: NO_BROWSER }, () => {
  let api: RealApi;
  let chromium: TestBrowser;
  before(async () => {
    [api, chromium] = await Promise.all([startRealApi(), startBrowser()]);
  });
  after(async () => {
    await chromium[Symbol.asyncDispose]();
    await api[Symbol.asyncDispose]();
  });

  for (const width of [1280, 360]) {
    for (const colorScheme of ['light', 'dark'] as const) {
      test(`the pages fit ${width} px and are readable in ${colorScheme} colors`, async () => {
        const context = await chromium.browser.newContext({ colorScheme, viewport: { width, height: 720 } });
        const page = await context.newPage();
        const complaints: string[] = [];
        page.on('console', (message) => complaints.push(message.text()));
        const email = await sentEmail(api, `${width}-${colorScheme}@dst.test`);

        await page.goto(email.unsubscribe);
        await check(page);
        assert.deepEqual(complaints, [], 'the page violated its policy or logged errors');
        await page.keyboard.press('Tab');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'You are unsubscribed' }).waitFor();
        await check(page);
        await page.goto(forged(email.click));
        await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
        await check(page);
        await context.close();
      });
    }
  }
});
