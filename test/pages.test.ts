/** Checks that paths in the pages of `docs/` exist. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const ROOT = new URL('../', import.meta.url);
/** The checked pages. Pages in `docs/decisions` are excluded, because they may name files that no longer exist. */
const PAGES = [
  'README.md',
  ...['docs', 'docs/operate'].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, ROOT))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];
/** Matches a path in backticks without a placeholder. Excludes folders that exist only after the SDK was built or a benchmark was run. */
const PATH = /`((?!sdk\/dist|bench\/results)(?:src|test|bench|sdk)\/[\w./-]*)`/g;

for (const page of PAGES) {
  test(`${page} refers only to files and folders that exist`, () => {
    const text = readFileSync(new URL(page, ROOT), 'utf8');
    const gone = Array.from(text.matchAll(PATH), ([, path = '']) => path).filter(
      (path) => !existsSync(new URL(path, ROOT)),
    );
    assert.deepEqual(gone, []);
  });
}
