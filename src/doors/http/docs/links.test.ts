/** Checks every link of every page, and the limits and the menu of the pages. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Element } from './page.fixture.ts';
import { openSite } from './site.fixture.ts';

const { site, pages } = await openSite();
/** Paths that are not documentation pages. */
const ELSEWHERE = [/^\/$/, /^\/dashboard(?:\/|$)/, /^\/openapi\.(?:json|yaml)$/, /^\/llms\.txt$/];
const FILES = ['icon.svg', 'style.css', 'early.js', 'script.js', 'postman.json'];
/** The maximum size of a page's HTML, without the markup for the colors of code. A larger page is hard to read. */
const MAX_BYTES = 64_000;
/** Pages that may be longer. The contract contains all rules, because code comments cite its headings. The schema of a message is the largest. */
const LONGER: Readonly<Record<string, number>> = { contract: 90_000, 'api/routes': 100_000 };

const urlOf = (path: string) => new URL(path === '' ? '/docs' : `/docs/${path}`, 'http://pages');
const idsOf = (elements: readonly Element[]) =>
  new Set(elements.flatMap(({ attributes }) => attributes['id'] ?? []));

for (const [path, elements] of pages) {
  test(`every link and image of /docs/${path} has an existing target`, () => {
    for (const { attributes } of elements) {
      const target = attributes['href'] ?? attributes['src'];
      if (target === undefined || target.startsWith('https://')) continue;
      assert.match(target, /^(?:#|\.\.?\/)/, target);
      const { pathname, hash } = new URL(target, urlOf(path));
      if (ELSEWHERE.some((each) => each.test(pathname))) continue;
      const to = pathname === '/docs' ? '' : pathname.slice('/docs/'.length);
      if (site.markdownPaths.includes(to)) continue;
      const found = pages.get(to);
      assert.ok(found !== undefined || FILES.includes(to) || site.files.has(to), `${path}: ${target}`);
      if (hash !== '') assert.ok(found && idsOf(found).has(decodeURI(hash.slice(1))), `${path}: ${target}`);
    }
  });
}

test('no page is larger than its limit', () => {
  const large = site.paths.filter(
    (path) =>
      Buffer.byteLength((site.page(path) ?? '').replaceAll(/<\/?span[^>]*>/g, '')) >
      (LONGER[path] ?? MAX_BYTES),
  );
  assert.deepEqual(large, []);
});

test('every page is in the menu once, and links to its previous and next page', () => {
  const ends: string[] = [];
  for (const [path, elements] of pages) {
    const current = elements.filter(({ attributes }) => attributes['aria-current'] === 'page');
    assert.equal(current.length, 1, path);
    const turns = elements.flatMap(({ attributes }) => attributes['rel'] ?? []);
    for (const end of ['prev', 'next']) if (!turns.includes(end)) ends.push(`${path} ${end}`);
  }
  assert.deepEqual(ends, [' prev', 'changelog next']);
});

test('the search index contains every page and every heading with its anchor', async () => {
  const found = await site.searchPages();
  assert.deepEqual(found.map(({ path }) => path).toSorted(), site.paths.toSorted());
  for (const { path, title, sections } of found) {
    assert.ok(title !== '' && sections.some(({ text }) => text !== ''), path);
    const ids = idsOf(pages.get(path) ?? []);
    for (const { id, text } of sections) {
      assert.ok(id === '' || ids.has(id), `${path}#${id}`);
      assert.doesNotMatch(text, /&(?:amp|lt|gt|quot|#39);/);
    }
  }
});
