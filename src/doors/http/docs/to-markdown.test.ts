/** Checks the Markdown version of each page against the page. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { renderMarkdown } from './markdown.ts';
import { type Element, elementsOf } from './page.fixture.ts';
import { INSTANCE, openSite } from './site.fixture.ts';
import { toMarkdown } from './to-markdown.ts';

const { site, pages } = await openSite();
const markdownOf = (path: string) => site.markdown(`${path === '' ? 'index' : path}.md`) ?? '';

const CASES: [what: string, page: string, markdown: string][] = [
  ['headings', '<h2 id="a"><a class="anchor" href="#a">A <code>b</code></a></h2>', '## A `b`'],
  ['links', '<p>See <a href="x#y">the <em>page</em></a>.</p>', 'See [the *page*](x#y).'],
  ['nested lists', '<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>', '- a\n  1. b\n- c'],
  ['code in lists', '<ul><li>a<pre><code>b\n\nc</code></pre></li></ul>', '- a\n\n  ```\n  b\n\n  c\n  ```'],
  [
    'definitions',
    '<dl><div><dt><code>a</code> <span>string</span></dt><dd><p>B.</p></dd></div></dl>',
    '- `a` (string): B.',
  ],
  [
    'tables',
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td><code>b|c</code></td></tr></tbody></table>',
    '| a |\n| --- |\n| `b\\|c` |',
  ],
  ['code with fences', '<pre><code class="language-sh">```\na</code></pre>', '````sh\n```\na\n````'],
  [
    'characters of Markdown',
    '<p>1. *a* _b_ c_d &lt;e&gt; [f](g) `h`</p>',
    '1\\. \\*a\\* \\_b\\_ c_d \\<e> \\[f\\](g) \\`h\\`',
  ],
  ['no elements that need scripts', '<p hidden>a</p><div role="tablist"><p>b</p></div><p>c</p>', 'c'],
];
for (const [what, page, markdown] of CASES)
  test(`the Markdown of a page has ${what}`, () =>
    assert.equal(
      toMarkdown(page, (href) => href),
      `${markdown}\n`,
    ));

const inside = (element: Element, ancestor: Element): boolean =>
  element === ancestor || (element.parent !== null && inside(element.parent, ancestor));
/** Ignores whitespace, and the punctuation that replaces the layout of a list of definitions. */
const letters = (text: string) => text.replaceAll(/[\s(),:]/g, '');

/** The first difference, because the whole texts are too long for a message. */
function difference(one: string, other: string): [string, string] | null {
  if (one === other) return null;
  let at = 0;
  while (one[at] === other[at]) at += 1;
  return [one.slice(at, at + 60), other.slice(at, at + 60)];
}

test('the Markdown of each page has the text of the page, and becomes the same text when it is rendered', () => {
  for (const [path, elements] of pages) {
    const [content] = elements.filter(({ attributes }) => attributes['class'] === 'text');
    assert.ok(content);
    const left = elements.filter(
      ({ attributes: { class: name, role, hidden } }) =>
        name === 'turn' || role === 'tablist' || hidden !== undefined,
    );
    let text = content.text;
    for (const { text: part } of left.filter((element) => inside(element, content)))
      text = text.replace(part, '');
    const { title, body } = renderMarkdown(markdownOf(path), { resolve: (href) => href });
    const rendered = elementsOf(`<!doctype html>\n<div>${body.toString()}</div>`);
    assert.equal(difference(letters(rendered[0]?.text ?? ''), letters(text)), null, path);
    assert.equal(title, elements.find(({ name }) => name === 'h1')?.text, path);
  }
});

test('links in the Markdown of each page are complete URLs, and links to pages name their Markdown', () => {
  const root = `${INSTANCE.address}/docs/`;
  for (const path of site.paths)
    for (const [, href = ''] of markdownOf(path).matchAll(/(?<!\\)\]\(([^)\s]*)\)/g)) {
      if (href.startsWith('#')) continue;
      assert.ok(URL.canParse(href), `${path}: ${href}`);
      const [target = ''] = href.split('#');
      if (!target.startsWith(root) || target.endsWith('/docs/postman.json')) continue;
      const found = target.slice(root.length);
      assert.ok(site.markdownPaths.includes(found) || site.files.has(found), `${path}: ${href}`);
    }
});

test('llms.txt lists the Markdown of every page once, with a description', async () => {
  const lines = (await site.llms()).split('\n').filter((line) => line.startsWith('- ['));
  const listed = lines.flatMap((line) => {
    const [, url = '', description = ''] = /^- \[[^\]]+\]\(([^)]+)\): (.+)$/.exec(line) ?? [];
    assert.ok(description.length > 10, line);
    return url.endsWith('.md') ? [url.slice(`${INSTANCE.address}/docs/`.length)] : [];
  });
  assert.deepEqual(listed.toSorted(), site.markdownPaths.toSorted());
});
