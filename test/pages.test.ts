/** What the pages of `docs/` say of the tree. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const ROOT = new URL('../', import.meta.url);
/** Decisions tell of the day on which they were made. */
const PAGES = [
  'README.md',
  ...['docs', 'docs/operate'].flatMap((folder) =>
    readdirSync(new URL(`${folder}/`, ROOT))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `${folder}/${name}`),
  ),
];
/** A path in code style, without a placeholder; sdk/dist is made when the SDK is built. */
const PATH = /`((?!sdk\/dist)(?:src|test|bench|sdk)\/[\w./-]*)`/g;

for (const page of PAGES) {
  test(`${page} names no file or folder that is not there`, () => {
    const text = readFileSync(new URL(page, ROOT), 'utf8');
    const gone = Array.from(text.matchAll(PATH), ([, path = '']) => path).filter(
      (path) => !existsSync(new URL(path, ROOT)),
    );
    assert.deepEqual(gone, []);
  });
}
