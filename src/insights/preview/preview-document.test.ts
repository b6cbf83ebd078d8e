import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { nextMarkup } from '../../rfc/message/html-scan.ts';
import { previewDocument } from './preview-document.ts';

const shown = (html: string, remote = false, theme: 'light' | 'dark' = 'light'): string =>
  previewDocument(html, { theme, remote }).replace(/^.*?<\/style>/s, '');

const PIXEL = `https://mail.acme.example/t/o/${'A'.repeat(64)}`;

describe('the preview keeps', () => {
  for (const [what, html, expected = html] of [
    ['text and its elements', '<p>Hello <b>Ada</b></p>'],
    [
      'tables with their appearance',
      '<table width="600" bgcolor="#fff"><tr><td align="center">1</td></tr></table>',
    ],
    ['styles', '<style>p { color: red }</style><p style="color: blue">x</p>'],
    ['character references', '<p title="&quot;&amp;">1 &lt; 2 &nbsp;</p>'],
    ['a < that does not begin a tag', '1 < 2', '1 &lt; 2'],
    ['embedded images', '<img src="data:image/png;base64,AAAA" alt="x">'],
    ['links within the message', '<a href="#top">Up</a>'],
    ['the content of unknown elements', '<o:p>Word</o:p><center>x</center>', 'Word<center>x</center>'],
  ] as const)
    test(what, () => assert.equal(shown(html), expected));

  test('the text of links, with the URL as a title, but no link to follow', () => {
    assert.equal(
      shown('<a href="https://acme.example/?a=1&amp;b=2" target="_top" onclick="x()">Go</a>'),
      '<a href="#-posthorn-no-link" title="https://acme.example/?a=1&amp;b=2">Go</a>',
    );
  });
});

describe('the preview removes', () => {
  for (const [what, html, expected = ''] of [
    ['scripts', '<script>alert(1)</script>'],
    ['scripts in capitals and without an end tag', '<SCRIPT src=x>alert(1)'],
    ['handlers', '<img src=x onerror=alert(1)>', '<img>'],
    ['frames', '<iframe src="https://evil.example"></iframe><object data=x>y</object><embed src=x>'],
    [
      'forms and their fields',
      '<form action="https://evil.example"><input name=a><button>Send</button></form>',
      'Send',
    ],
    [
      'elements that redirect the page',
      '<meta http-equiv=refresh content="0;url=https://evil.example"><base href="https://evil.example">',
    ],
    [
      'elements that prefetch resources',
      '<link rel=preconnect href="https://evil.example"><link rel=stylesheet href=x>',
    ],
    [
      'remote images',
      '<img src="https://evil.example/x.png" srcset="https://evil.example/y.png 2x" alt="A">',
      '<img alt="A">',
    ],
    [
      'images on this host, which the browser would load with cookies of the user',
      '<img src="/dashboard/api/session"><td background="//x/y">',
      '<img><td>',
    ],
    [
      'images in styles',
      '<p style="background:url(https://evil.example/x)">x</p>',
      '<p style="background:none">x</p>',
    ],
    [
      'remote styles and fonts',
      '<style>@import "https://e.example/x"; @font-face { src: url(x) } p { color: red }</style>',
      '<style> p { color: red }</style>',
    ],
    [
      'SVG and MathML, which browsers parse differently',
      '<svg><style><a href="https://e.example"><img src=x></svg><math><b>x</math>y',
      'y',
    ],
    ['conditional comments', '<!--[if mso]><a href="x">y</a><![endif]-->z', 'z'],
  ] as const)
    test(what, () => assert.equal(shown(html), expected));

  test('pixels and links with which this service counts opens and clicks, even if remote images are loaded', () => {
    assert.equal(
      shown(`<img src="${PIXEL}"><img src="${PIXEL.replace('/o/', '/c/')}/aaaa">`, true),
      '<img><img>',
    );
  });

  test('an end tag that only appears because other text is removed', () => {
    assert.equal(shown('<style><@import x;/style><img src=x></style>').match(/<\/style>/g)?.length, 1);
  });
});

describe('remote images', () => {
  const html =
    '<img src="https://a.example/x.png"><img src="http://a.example/y.png"><img src="data:image/gif;base64,AA">';

  test('are loaded on request, while embedded images are always shown', () => {
    assert.equal(shown(html, true), html);
  });
});

describe('the preview in a dark theme', () => {
  const own = '<style>@media (prefers-color-scheme: dark) { p { color: #fff } }</style><p>x</p>';

  test("uses the message's own dark theme, whatever the theme of the page", () => {
    assert.match(shown(own, false, 'dark'), /@media \(min-width: 0px\)/);
    assert.match(shown(own, false, 'light'), /@media \(max-width: 0px\)/);
    assert.doesNotMatch(previewDocument(own, { theme: 'dark', remote: false }), /invert/);
  });

  test('is inverted, as in mail apps, if the message has no dark theme', () => {
    assert.match(previewDocument('<p>x</p>', { theme: 'dark', remote: false }), /invert/);
  });

  test('recognizes a dark theme declared by a meta element, too', () => {
    const html = '<meta name="color-scheme" content="light dark"><p>x</p>';
    assert.doesNotMatch(previewDocument(html, { theme: 'dark', remote: false }), /invert/);
  });
});

describe('a preview takes linear time', () => {
  for (const piece of [
    '@import ',
    '@font-face ',
    '@font-face{',
    'url(',
    'url( ',
    "url('",
    'url("',
    'color-scheme:',
    '(',
    ' ',
    '<',
    '<a ',
    '<a href=',
    '<!--',
    '</',
    '<svg>',
    '{',
  ])
    test(`for repeated ${piece}`, () => {
      const many = piece.repeat(Math.floor(1_000_000 / piece.length));
      const startedMs = performance.now();
      for (const html of [many, `<style>${many}{</style>`, `<p style='${many.replaceAll("'", '')}'>`])
        previewDocument(html, { theme: 'dark', remote: true });
      // Quadratic time would take minutes.
      assert.ok(performance.now() - startedMs < 5_000);
    });
});

test('every tag of a preview is on the allowlist, whatever the message contains', () => {
  const pieces = fc.constantFrom(
    '<',
    '>',
    '</',
    '<!--',
    '-->',
    '<svg',
    '<style>',
    '</style>',
    '<a href=',
    '"',
    "'",
    '/',
    ' ',
    '=',
    '<script',
    '</script>',
    '<img src=x',
    'x',
    '\0',
    '&lt;',
    '<plaintext>',
    '<title>',
    '@import ',
    ';',
    'url(',
    ')',
  );
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), (parts) => {
      const html = shown(parts.join(''), true);
      for (let at = nextMarkup(html, 0); at < html.length; at = nextMarkup(html, at + 1))
        assert.match(html.slice(at, at + 12), /^<\/?(?:a|img|style)\b/, JSON.stringify(html));
    }),
    { numRuns: runs(2_000) },
  );
});
