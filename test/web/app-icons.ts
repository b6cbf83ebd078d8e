/**
 * Draws the icons of the installed web client from the logo: `deploy/node test/web/app-icons.ts`. The results are committed, because the
 * build must not need a browser.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { startBrowser } from '../support/browser.ts';

const ROOT = join(import.meta.dirname, '../..');
const LOGO = readFileSync(join(ROOT, 'src/doors/http/docs/files/icon.svg'), 'utf8');
const FOLDER = join(ROOT, 'web/mail/public');

/** The shapes of the logo without its background. */
const SHAPES = LOGO.replace(/^<svg[^>]*>\s*<rect[^>]*\/>|<\/svg>\s*$/g, '');
const [, BACKGROUND = ''] = /<rect[^>]*fill="([^"]+)"/.exec(LOGO) ?? [];

const svg = (inside: string) => `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${inside}</svg>`;
/** Platforms cut the edge of a maskable icon off, up to a circle of 80 % of its width. */
const scaled = (by: number) =>
  `<g transform="translate(16 16) scale(${by}) translate(-16 -16)">${SHAPES}</g>`;
const filled = svg(`<rect width="32" height="32" fill="${BACKGROUND}"/>${scaled(0.75)}`);

const ICONS: readonly { name: string; px: number; image: string }[] = [
  { name: 'icon-192.png', px: 192, image: LOGO },
  { name: 'icon-512.png', px: 512, image: LOGO },
  { name: 'icon-maskable.png', px: 512, image: filled },
  { name: 'icon-apple.png', px: 180, image: filled },
  // Android shows only the shape of a badge, in its own color.
  { name: 'badge.png', px: 96, image: svg(SHAPES) },
];

mkdirSync(FOLDER, { recursive: true });
await using opened = await startBrowser();
for (const { name, px, image } of ICONS) {
  const page = await opened.browser.newPage({ viewport: { width: px, height: px } });
  await page.setContent(`<style>body { margin: 0 } svg { display: block; width: ${px}px }</style>${image}`);
  await page.screenshot({ path: join(FOLDER, name), omitBackground: true });
  await page.close();
}
