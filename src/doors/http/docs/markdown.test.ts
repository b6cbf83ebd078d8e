import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../../test/support/property-runs.ts';
import { inline, type MarkdownOptions, renderMarkdown } from './markdown.ts';
import { elementsOf } from './page.fixture.ts';

const LINKS: MarkdownOptions = {
  resolve: (href) => (/^(?:errors\.md|pictures\/)/.test(href) ? `../${href}` : null),
};

const inlineCases: readonly [source: string, rendered: string][] = [
  ['a `b < c` **d `e`**', 'a <code>b &lt; c</code> <strong>d <code>e</code></strong>'],
  ['**bold** and 2 * 3 * 4', '<strong>bold</strong> and 2 * 3 * 4'],
  ['a *b `c`*', 'a <em>b <code>c</code></em>'],
  ['![A "cat"](pictures/cat.png)', '<img src="../pictures/cat.png" alt="A &quot;cat&quot;" loading="lazy">'],
  ['![Gone](elsewhere.png)', 'Gone'],
  ['`[no](link)`', '<code>[no](link)</code>'],
  ['[here](#there)', '<a href="#there">here</a>'],
  ['[`errors`](errors.md)', '<a href="../errors.md"><code>errors</code></a>'],
  ['[a file](verify.ts)', 'a file'],
  ['[mail-errors.md](errors.md)', '<a href="../errors.md">mail errors</a>'],
  ['[web](https://example.org/?a&b)', '<a href="https://example.org/?a&amp;b">web</a>'],
  ['[bad](javascript:alert`1`)', 'bad'],
  ['[proto](__proto__)', 'proto'],
  ['<b>&amp;</b>', '&lt;b&gt;&amp;amp;&lt;/b&gt;'],
  ['an ` alone, a ** alone, a [ alone', 'an ` alone, a ** alone, a [ alone'],
];
for (const [source, rendered] of inlineCases) {
  test(`inline Markdown is rendered: ${source}`, () =>
    assert.equal(inline(source, LINKS).toString(), rendered));
}

const blockCases: readonly [what: string, source: string, rendered: string][] = [
  ['a paragraph of several lines', 'a\nb\n\nc', '<p>a b</p>\n<p>c</p>\n'],
  ['a list with a long item', '- a\n  b\n- c\n\nd', '<ul>\n<li>a b</li>\n<li>c</li>\n</ul>\n<p>d</p>\n'],
  ['a numbered list', '1. a\n2. b', '<ol>\n<li>a</li>\n<li>b</li>\n</ol>\n'],
  ['a list right after a paragraph', 'a\n- b', '<p>a</p>\n<ul>\n<li>b</li>\n</ul>\n'],
  [
    'code without inner markup',
    '```js\n# <b>\n\n- x\n```\na',
    '<div class="code"><pre tabindex="0"><code class="language-js"># &lt;b&gt;\n\n- x</code></pre></div>\n<p>a</p>\n',
  ],
  [
    'code with the colors of its language, escaped',
    "```sh\ncurl -d '<b>' # c\n```",
    '<div class="code"><pre tabindex="0"><code class="language-sh"><span class="code-keyword">curl</span> <span class="code-name">-d</span> <span class="code-string">&#39;&lt;b&gt;&#39;</span> <span class="code-comment"># c</span></code></pre></div>\n',
  ],
  [
    'unterminated code',
    '```\na',
    '<div class="code"><pre tabindex="0"><code class="language-text">a</code></pre></div>\n',
  ],
  [
    'a table',
    '| a | b |\n|---|---|\n| `c` | d |\n\ne',
    '<div class="scroll" tabindex="0"><table>\n<thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>\n<tbody>\n<tr><td><code>c</code></td><td>d</td></tr>\n</tbody>\n</table></div>\n<p>e</p>\n',
  ],
  [
    'a table without column names',
    '| | b |\n|---|---|\n| c | d |',
    '<div class="scroll" tabindex="0"><table>\n<thead><tr><td></td><th scope="col">b</th></tr></thead>\n<tbody>\n<tr><td>c</td><td>d</td></tr>\n</tbody>\n</table></div>\n',
  ],
  ['a bar that does not start a table', '| a', '<p>| a</p>\n'],
];
for (const [what, source, rendered] of blockCases) {
  test(`a Markdown block is rendered: ${what}`, () =>
    assert.equal(renderMarkdown(source).body.toString(), rendered));
}

test('the first heading is the title, and all other headings have the same anchors as on GitHub', () => {
  const { title, headings } = renderMarkdown(
    '# The `title`\n\n## `email.sent`\n\n### Not so, is it?\n\n## `email.sent`',
  );
  assert.equal(title, 'The title');
  assert.deepEqual(headings, [
    { level: 2, id: 'emailsent', text: 'email.sent' },
    { level: 3, id: 'not-so-is-it', text: 'Not so, is it?' },
    { level: 2, id: 'emailsent-1', text: 'email.sent' },
  ]);
});

test('an embedded document shifts its heading levels and prefixes its anchors', () => {
  const { body, headings } = renderMarkdown('# T\n\n## A\n\n[a](#a)', { shift: 1, idPrefix: 'x-' });
  assert.deepEqual(headings, [{ level: 3, id: 'x-a', text: 'A' }]);
  assert.ok(body.toString().includes('<a href="#x-a">a</a>'));
});

test('any text becomes well-formed HTML with only allowed tags', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      '`',
      '```',
      '```js\n',
      '**',
      '[',
      '](',
      ')',
      '\n',
      '\n\n',
      '# ',
      '### ',
      '- ',
      '1. ',
      '|',
      '\n|-|\n',
    ),
    fc.constantFrom('<script>', '</p>', '"', "'", '&', 'javascript:', 'https://', '#x', '  '),
    fc.string({ unit: 'grapheme', maxLength: 5 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const { body } = renderMarkdown(pieces.join(''));
      const elements = elementsOf(`<!doctype html>\n<main>${body.toString()}</main>`);
      assert.ok(elements.every(({ name, attributes }) => name !== 'script' && !('onclick' in attributes)));
      for (const { attributes } of elements) assert.match(attributes['href'] ?? '#', /^(?:#|https:\/\/)/);
    }),
    { numRuns: runs(300) },
  );
});
