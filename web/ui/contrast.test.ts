/** The contrasts listed in docs/design.md match the colors (WCAG 2.2, 1.4.3 and 1.4.11). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const TOKENS = readFileSync(new URL('tokens.css', import.meta.url), 'utf8');
const DESIGN = readFileSync(new URL('../../docs/design.md', import.meta.url), 'utf8');

const colors = new Map(
  [...TOKENS.matchAll(/--color-([\w-]+): (?:light-dark\((#\w{6}), (#\w{6})\)|(#\w{6}));/g)].map(
    ([, name = '', light, dark, both]) => [name, [light ?? both ?? '', dark ?? both ?? '']] as const,
  ),
);
const rows = [...DESIGN.matchAll(/^\| `([\w-]+)` on `([\w-]+)` \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|$/gm)];

/** Relative luminance. @param color `#rrggbb` */
function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return part <= 0.040_45 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test('docs/design.md lists more than 20 contrasts', () => assert.ok(rows.length > 20));

for (const [, front = '', ground = '', light, dark, least] of rows) {
  test(`${front} on ${ground} has the contrast listed in docs/design.md`, () => {
    for (const [theme, documented] of [light, dark].entries()) {
      const found = contrast(colors.get(front)?.[theme] ?? '', colors.get(ground)?.[theme] ?? '');
      assert.ok(found >= Number(least), `${theme}: ${found}`);
      assert.equal((Math.floor(found * 10) / 10).toFixed(1), documented);
    }
  });
}
