import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { JSDOM } from 'jsdom';
import { runs } from '../../../../test/support/property-runs.ts';
import { processorClock } from '../../../../test/support/processor-time.ts';
import { ELEMENTS } from '../../../rfc/html/write-shown.ts';
import { prepareForDisplay } from './clean-html.ts';
import { FRAME_SCRIPT } from './frame-script.ts';
import { HOSTILE_HTML } from './hostile-html.fixture.ts';
import { mailDocument } from './mail-document.ts';
import { isTooMuch } from './size.ts';

const PROXY = '/proxy?url=';
const proxied = (url: string): string => PROXY + encodeURIComponent(url);
const inline = (id: string): string => `/inline/${encodeURIComponent(id)}`;
const writing = (mailto: string): string => `/write?to=${encodeURIComponent(mailto)}`;

/** PNG, 1 × 1. */
const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** `PIXEL` with a larger declared size. @param n makes the image unique */
function bomb(width = 20_000, n = 0): string {
  const bytes = Buffer.from(PIXEL, 'base64');
  bytes.writeUInt32BE(width, 16);
  bytes.writeUInt32BE(width, 20);
  bytes.writeUInt8(n, bytes.length - 1);
  return bytes.toString('base64');
}

function documentOf(html: string, remote = true, theme: 'light' | 'dark' = 'light'): string {
  return mailDocument(prepareForDisplay(html).html, {
    theme,
    inline,
    writing,
    remote: remote ? proxied : null,
  });
}

/** The body of the document. */
function shown(html: string, remote = true): string {
  return documentOf(html, remote)
    .replace(/^.*?<\/style>/s, '')
    .replaceAll(/<\/?(?:html|head|body)>/g, '');
}

const { DOMParser } = new JSDOM('').window as unknown as {
  DOMParser: new () => { parseFromString(html: string, type: string): Parsed };
};
interface Parsed {
  body: { textContent: string };
  querySelectorAll(selector: string): Iterable<ParsedElement>;
}
interface ParsedElement {
  localName: string;
  namespaceURI: string;
  textContent: string;
  attributes: Iterable<{ name: string; value: string }>;
}

const LOADING = new Set([
  'src',
  'background',
  'srcset',
  'poster',
  'data',
  'action',
  'formaction',
  'ping',
  'longdesc',
  'xlink:href',
]);

/** Asserts that in a browser no code runs, and resources and links have allowed addresses only. */
function assertHarmless(html: string, remote: boolean): Parsed {
  const read = new DOMParser().parseFromString(html, 'text/html');
  assert.equal([...read.querySelectorAll('script')].length, 1);
  for (const { localName, namespaceURI, attributes, textContent } of read.querySelectorAll('*')) {
    const isOurs = ['meta', 'title', 'style', 'script'].includes(localName);
    assert.ok(isOurs || ELEMENTS.has(localName), `<${localName}>`);
    assert.equal(namespaceURI, 'http://www.w3.org/1999/xhtml');
    if (localName === 'script') assert.equal(textContent, FRAME_SCRIPT);
    if (localName === 'style') assertHarmlessStyle(textContent, remote);
    for (const { name, value } of attributes) {
      assert.doesNotMatch(name, /^on|^is$|^slot$|^form/i, name);
      if (LOADING.has(name))
        assert.match(
          value,
          remote
            ? /^(?:\/proxy\?url=|\/inline\/|data:image\/(?!svg))/
            : /^(?:\/inline\/|data:image\/(?!svg))/i,
        );
      if (name === 'href') assert.match(value, /^(?:https?:\/\/|\/write\?to=mailto%3A|#)/);
      if (name === 'http-equiv') assert.fail('http-equiv');
      if (name === 'style') assertHarmlessStyle(value, remote);
    }
  }
  return read;
}

/** Asserts that a style, after decoding its escapes, only loads from allowed addresses. */
function assertHarmlessStyle(style: string, remote: boolean): void {
  const read = style.replaceAll(/"[^"\n]*"/g, (whole) =>
    /^"(?:\/proxy\?url=|data:image\/(?!svg)|\/inline\/)/.test(whole) ? whole : '""',
  );
  assert.doesNotMatch(read, /\\0{0,4}(?:4[1-9a-f]|5[0-9a]|6[1-9a-f]|7[0-9a])/i, 'an escaped letter');
  assert.doesNotMatch(
    read,
    /(?:^|[{};])\s*@(?!media|supports)|expression\s*\(|image-set|behavior|binding|position\s*:\s*(?:fixed|absolute|sticky)/i,
  );
  for (const [, argument = ''] of read.matchAll(/url\s*\(([^)]*)/gi))
    assert.match(
      argument,
      remote ? /^"(?:\/proxy|\/inline|data:image\/(?!svg))/ : /^"(?:\/inline|data:image\/(?!svg))/,
    );
}

describe('hostile HTML becomes harmless and stays readable', () => {
  for (const [name, html] of HOSTILE_HTML)
    test(`${name}: the HTML becomes harmless and stays readable`, () => {
      const hostile = html.replaceAll('EVIL', 'https://evil.example');
      for (const remote of [false, true]) {
        const read = assertHarmless(documentOf(hostile, remote), remote);
        assert.match(read.body.textContent, /Readable/);
      }
    });

  const soup = fc.array(
    fc.constantFrom(
      ...'<svg>|</svg>|<math>|</math>|<mtext>|<mglyph>|<style>|</style>|<table>|</table>|<td>|<p>|</p>|<a href="|<img src=|<!--|-->|<title>|</title>|<noscript>|</noscript>'.split(
        '|',
      ),
      ...'<textarea>|</textarea>|<form>|<select>|<template>|</template>|<foreignObject>|<annotation-xml encoding="text/html">|<script>|</script>|<iframe>|<plaintext>|<b>|</b>'.split(
        '|',
      ),
      ...'"|\'|>|<|/|=| |x|onerror=alert(1)|https://e.example/x|javascript:alert(1)|url(|)|{|}|;|:|@import |\\|\\75|/*|*/|background|position|fixed|&lt;|&quot;|&#|\0|\n|--a|(|['.split(
        '|',
      ),
      ...' onclick=alert(1) | style="|<p style="|<div id=location>|data:image/svg+xml,<svg/onload=1>|data:image/png;base64,AA|//e.example|cid:x@y|<meta http-equiv=refresh content="0;//e">|<base href=//e>'.split(
        '|',
      ),
    ),
    { maxLength: 40 },
  );

  test('random combinations of dangerous pieces become harmless', () => {
    fc.assert(
      fc.property(soup, fc.boolean(), (pieces, remote) => {
        assertHarmless(documentOf(pieces.join(''), remote), remote);
        // Cuts the document at the quote, where any of these elements may still be open.
        const { html, quote } = prepareForDisplay(`${pieces.join('')}<blockquote type="cite">x</blockquote>`);
        const cut = html.slice(0, quote?.at);
        assertHarmless(mailDocument(cut, { theme: 'light', inline, writing, remote: null }), false);
      }),
      { numRuns: runs(500) },
    );
  });
});

describe('the document of a message', () => {
  for (const [what, html, expected = html] of [
    ['keeps text and its elements', '<p>Hello <b>Ada</b></p>'],
    [
      'keeps tables',
      '<table width="600" bgcolor="#ffffff" cellpadding="0"><tbody><tr><td align="center" valign="top">1</td></tr></tbody></table>',
    ],
    [
      'keeps styles in comments',
      '<style><!-- p.MsoNormal { margin: 0 } --></style><p class="MsoNormal">x</p>',
      '<style> p.MsoNormal { margin: 0 }</style><p class="MsoNormal">x</p>',
    ],
    [
      'keeps media queries',
      '<style>@media (max-width: 600px) { .a > b { width: 100% !important } }</style><p>x</p>',
    ],
    [
      'keeps style attributes',
      '<p style="color:red;font-family:&quot;Segoe UI&quot;,Arial">x</p>',
      '<p style="color:red;font-family:&quot;Segoe UI&quot;,Arial">x</p>',
    ],
    ['keeps obsolete elements', '<center><font color="red" face="Arial" size="2">x</font></center>'],
    ['keeps lists', '<ol start="3" type="a"><li value="4">x</li></ol>'],
    ['keeps embedded images', `<img src="data:image/png;base64,${PIXEL}" alt="x">`],
    [
      'gives embedded images their real type',
      `<img src="data:image/gif;base64,\n${PIXEL.slice(0, 8)}%0A ${PIXEL.slice(8).replace('=', '%3D')}">`,
      `<img src="data:image/png;base64,${PIXEL}">`,
    ],
    [
      'removes images that are too large or invalid',
      `<img src="data:image/png;base64,${bomb()}"><img src="data:image/png;base64,PHN2Zz4="><img src="data:image/png,%89PNG">`,
      '<img><img><img>',
    ],
    [
      'removes overrides of the letter order',
      '<bdo dir="rtl">\u202ecba</bdo><p style="unicode-bidi:bidi-override;direction:rtl">cba</p>',
      'cba<p style="direction:rtl">cba</p>',
    ],
    [
      'removes generated text that looks like a host name',
      '<style>a::before{content:"bank.com";color:red}</style>',
      '<style>a::before{color:red}</style>',
    ],
    [
      'removes generated texts that look like a host name when joined or without invisible characters',
      '<style>a::before{content:"bank" "." "com"}b::before{content:"\\200b.com"}i::before{content:"bank" "\\ff0e" "com"}u::before{content:"1" "."}</style>',
      '<style>a::before{}b::before{}i::before{}u::before{content:"1" "."}</style>',
    ],
    [
      'removes lengths that depend on the height of the frame',
      '<style>p{height:100vh;width:50vw}b{min-height:calc(1px + 100DVH);--x:3vmax}</style><p style="height:1\\76 h;margin:5cqmin;color:red">x</p>',
      '<style>p{width:50vw}b{}</style><p style="color:red">x</p>',
    ],
    ['loads its own parts', '<img src="cid:a%40b">', '<img src="/inline/a%40b">'],
    [
      'loads images through the proxy',
      '<img src="https://a.example/i.png?a=1&amp;b=2" width="1">',
      '<img src="/proxy?url=https%3A%2F%2Fa.example%2Fi.png%3Fa%3D1%26b%3D2" width="1">',
    ],
    ['keeps internal links', '<a href="#top">Up</a>'],
    [
      'opens links in a new tab, with the target as title',
      '<a href="https://a.example/x">Go</a>',
      '<a href="https://a.example/x" target="_blank" rel="noopener noreferrer" title="a.example — https://a.example/x">Go</a>',
    ],
    [
      'opens mailto links on the compose page',
      '<a href="MAILTO:bo@a.example?subject=x">Write</a>',
      '<a href="/write?to=mailto%3Abo%40a.example%3Fsubject%3Dx" target="_blank" rel="noopener noreferrer" title="bo@a.example — mailto:bo@a.example?subject=x">Write</a>',
    ],
  ] as const)
    test(`the document of a message ${what}`, () => assert.equal(shown(html), expected));

  test('the document of a message loads all images in styles, whatever the screen of the reader', () => {
    const html = shown(
      '<style>@media (max-width: 600px) { p { background: url(https://a.example/w) } }</style><p>x</p>',
    );
    assert.match(html, /url\("\/proxy\?url=https%3A%2F%2Fa.example%2Fw"\)/);
    assert.match(
      html,
      /<img alt="" style="display:none!important" src="\/proxy\?url=https%3A%2F%2Fa.example%2Fw">$/,
    );
  });

  test('remote images are counted, and are not loaded until the reader allows remote images', () => {
    const html =
      '<img src="https://a.example/1"><table background="https://a.example/2"></table><p style="background:url(//a.example/3)">x</p><img src="https://a.example/1"><img src="http://user:pass@a.example/4"><img src="relative.png">';
    assert.deepEqual(prepareForDisplay(html).remote, [
      'https://a.example/1',
      'https://a.example/2',
      'https://a.example/3',
    ]);
    assert.doesNotMatch(shown(html, false), /a\.example|proxy/);
  });

  test('a misleading link is marked and listed', () => {
    const html = '<p><a href="https://evil.example/">https://bank.com/login</a></p>';
    assert.match(shown(html), /⚠ leads to evil\.example<\/span><\/span><\/p>/);
    assert.deepEqual(prepareForDisplay(html).problems, [
      'The link “https://bank.com/login” shows bank.com but leads to evil.example.',
    ]);
  });

  test('the estimated height includes one line for each mark', () => {
    const heightOf = (href: string) =>
      prepareForDisplay(`<p>x</p>${`<a href="${href}">https://bank.com</a> `.repeat(4)}`).height;
    assert.equal(heightOf('https://evil.example/') - heightOf('https://bank.com/'), 4 * 22);
  });

  test('a misleading link is marked even if it contains another link, or if its end is cut off with a quote', () => {
    const lie = '<a href="https://evil.example/">https://bank.com/login';
    const inner = '<table><tr><td><a href="https://bank.com/">x</a></td></tr></table>';
    assert.match(
      shown(`${lie}${inner}</a>`),
      /<\/table><\/a><span [^>]*><span [^>]*>⚠ leads to evil\.example<\/span><\/span>$/,
    );
    const { html, quote } = prepareForDisplay(`${lie}<blockquote type="cite">x</blockquote></a>`);
    const folded = mailDocument(html.slice(0, quote?.at), {
      theme: 'light',
      remote: null,
      inline,
      writing,
    });
    assert.match(folded, /login<\/a><span [^>]*><span [^>]*>⚠ leads to evil\.example<\/span><\/span>$/);
  });

  test('styles that could cover the mark of a link are removed from documents with a marked link only', () => {
    const styled =
      '<style>p{position:relative;margin:-4px;opacity:0.5;color:red}</style><p style="overflow:hidden;margin:4px">x</p>';
    assert.equal(shown(styled), styled);
    assert.ok(
      shown(`${styled}<a href="https://evil.example/">https://bank.com</a>`).startsWith(
        '<style>p{color:red}</style><p style="margin:4px">x</p>',
      ),
    );
  });

  test('attributes and lengths that could move the mark of a link are removed from documents with a marked link', () => {
    const lie = '<a href="https://evil.example/">https://bank.com</a>';
    const kept = [
      '<p align="right" style="margin:0 auto;padding:64px 10%;border:1px solid #12345678">x</p>',
      '<p style="border:2px solid rgb(200, 10, 90)!important;text-align:right;border-radius:999px">x</p>',
      '<table width="100%" cellpadding="8" border="1" align="center"><tbody><tr><td colspan="2" width="320">x</td></tr></tbody></table>',
    ];
    for (const html of kept) assert.ok(shown(html + lie).startsWith(html), html);
    const lost = [
      'dir="rtl"',
      'dir="auto"',
      'nowrap=""',
      'rowspan="2"',
      'align="left"',
      'width="321"',
      'width="101%"',
      'width="1e9"',
      'cellpadding="65"',
      'cellspacing="5000"',
      'border="99"',
    ];
    for (const attribute of lost) {
      const html = `<table ${attribute}><tbody><tr><td>x</td></tr></tbody></table>`;
      assert.equal(shown(html), html);
      assert.ok(shown(html + lie).startsWith('<table><tbody>'), attribute);
    }
    for (const declaration of [
      'padding:65px',
      'padding-right:1e3px',
      'margin:0 5000px',
      'margin:-1px',
      'padding:11%',
      'border:99px solid',
      'padding:4em',
      'padding:calc(9px*999)',
      'padding:5vw',
      'margin-left:+99px',
      'border-spacing:99px',
      'min-width:1px',
      'float:right',
      'text-align:-webkit-right',
      'direction:rtl',
      'white-space:nowrap',
    ]) {
      const html = `<p style="${declaration}">x</p>`;
      assert.equal(shown(html), html);
      assert.ok(shown(html + lie).startsWith('<p style="">x</p>'), declaration);
    }
  });

  test('a link is judged by its target despite invisible text, image maps and long texts', () => {
    const warning = /^The link “.*” shows bank\.com but leads to evil\.com\.$/;
    for (const text of [
      '<span style="font-size:0">evil.com </span>https://bank.com',
      '<span style="font-size:0">evil.com/</span>www.bank.com',
      `<i hidden>${'x'.repeat(3_000)} ${'y '.repeat(3_000)}</i> www.bank.com`,
      '<bdo dir=rtl>moc.knab.www</bdo>',
    ]) {
      const { problems } = prepareForDisplay(`<a href="https://evil.com">${text}</a>`);
      assert.equal(problems.length, 1, text);
      assert.match(problems[0] ?? '', warning);
    }
    const area = '<map name=m><area href="https://a.example/"></map><p>See www.bank.com';
    assert.deepEqual(prepareForDisplay(area).problems, []);
    assert.deepEqual(
      prepareForDisplay('<a href="https://a.example">https://a.ex<wbr>ample/x</a>').problems,
      [],
    );
  });

  test('large embedded images are shown only up to a limit, and a repeated image is counted once', () => {
    const images = Array.from(
      { length: 20 },
      (_, n) => `<img src="data:image/png;base64,${bomb(7_000, n % 10)}">`,
    );
    assert.equal(shown(images.join('')).match(/<img src=/g)?.length, 12);
  });

  test('all misleading links are marked, even after a thousand correct links, and the first twenty are listed', () => {
    const many = '<a href="https://a.example/">a.example</a>'.repeat(1_000);
    const lying = (n: number) => `<a href="https://evil${n}.example/">https://bank.com</a>`;
    assert.match(shown(many + lying(1)), /⚠ leads to evil1\.example<\/span><\/span>$/);
    assert.deepEqual(prepareForDisplay(many + lying(1)).problems, [
      'The link “https://bank.com” shows bank.com but leads to evil1.example.',
    ]);
    const all = Array.from({ length: 1_001 }, (_, n) => lying(n)).join('');
    assert.deepEqual(prepareForDisplay(all).problems.slice(20), ['981 more links are misleading.']);
    assert.match(shown(all), /⚠ leads to evil1000\.example<\/span><\/span>$/);
  });
});

describe('in a dark theme', () => {
  for (const [what, html, dark] of [
    ['a message without colors is dark', '<p style="margin:0">x</p>', 'converted'],
    ['a message with a white background is dark', '<p style="background:#fff">x</p>', 'converted'],
    ['a message with an almost white table is dark', '<table bgcolor="#f8f8f8"></table>', 'converted'],
    ['a message with a text color is dark', '<font color="#000">x</font>', 'converted'],
    [
      'a message with a color in its style sheet is dark',
      '<style>p{color:#333}</style><p>x</p>',
      'converted',
    ],
    ['a message with the color of Outlook is dark', '<p style="color:windowtext">x</p>', 'converted'],
    ['a message with a colored background is light', '<p style="background:#036;color:#fff">x</p>', null],
    ['a message with a colored table is light', '<table bgcolor="navy"></table>', null],
    ['a message with a gray background is light', '<style>p{background-color:#ddd}</style><p>x</p>', null],
    [
      'a message with a background image is light',
      '<p style="background:url(https://a.example/1)">x</p>',
      null,
    ],
    [
      'a message with a table over an image is light',
      '<table background="https://a.example/1"></table>',
      null,
    ],
    ['a message with a gradient is light', '<p style="background:linear-gradient(red,blue)">x</p>', null],
    ['a message with an unknown color is light', '<p style="color:var(--x)">x</p>', null],
    ['a message with an unknown background is light', '<p style="background:AccentColor">x</p>', null],
    [
      'a message that supports a dark theme is dark',
      '<meta name="color-scheme" content="light dark"><p style="color:#fff">x</p>',
      'own',
    ],
    [
      'a message with a media query for a dark theme is dark',
      '<style>p{color:#000}@media (prefers-color-scheme: dark){p{color:#fff}}</style><p>x</p>',
      'own',
    ],
  ] as const)
    test(`in a dark theme, ${what}`, () => assert.equal(prepareForDisplay(html).dark, dark));

  test('in a dark theme, text becomes light, white backgrounds disappear and images stay', () => {
    const html = `<table bgcolor="#ffffff"><tbody><tr><td style="color:#333;background:#fff;border:1px solid #ccc"><img src="data:image/png;base64,${PIXEL}"><font color="black">x</font></td></tr></tbody></table>`;
    const document = mailDocument(prepareForDisplay(html).html, {
      theme: 'dark',
      convertsColors: true,
      inline,
      writing,
      remote: null,
    });
    assert.match(
      document,
      new RegExp(
        `<table bgcolor="transparent"><tbody><tr><td style="color:#c4c4c4;background:transparent;border:1px solid #2e2e2e"><img src="data:image/png;base64,${PIXEL.replaceAll('+', '\\+')}"><font color="#eeeeee">x</font>`,
      ),
    );
    assertHarmless(document, false);
  });
});

describe('HTML that would take too long is rejected', () => {
  for (const [what, html] of [
    ['ten megabytes of nested tables', '<table><tr><td>'.repeat(700_000)],
    ['deep nesting', '<div>'.repeat(10_000)],
    ['many tags', '<br>'.repeat(30_000)],
    ['a long text', 'x'.repeat(3_000_000)],
    ['a long paragraph', `<p>${'word '.repeat(101_000)}`],
    ['nesting with unmatched end tags', '<div></i>'.repeat(10_000)],
    ['nesting with ignored end tags', `${'<div>'.repeat(90)}<object>${'</div>'.repeat(90)}`.repeat(20)],
    [
      'formatting elements that are reopened in each paragraph',
      `<p>${Array.from({ length: 300 }, (_, n) => `<font color=c${n}>`).join('')}</p>${'<p>x</p>'.repeat(1_000)}`,
    ],
    ['many deep elements', `${'<dd><dl>'.repeat(190)}${'<dd>x'.repeat(6_000)}`],
    ['a tag with many attributes', `<p ${Array.from({ length: 20_000 }, (_, n) => `a${n}`).join(' ')}>x`],
    ['unclosed tags within tags', '<a'.repeat(900_000)],
    ['unclosed tags with attributes', '<a '.repeat(600_000)],
  ] as const)
    test(`${what} is rejected as too much HTML`, () => {
      const usedMs = processorClock();
      assert.equal(isTooMuch(html), true);
      assert.ok(usedMs() < 2_000);
    });

  for (const [what, html] of [
    ['a long newsletter', '<table><tr><td><a href="x"><img src="y"></a></td></tr></table>'.repeat(2_000)],
    ['a long style sheet', `<style>${'p{color:red}'.repeat(60_000)}</style>x`],
    ['unclosed paragraphs', '<p>x<ul><li>y<li>z</ul><table><tr><td>a<td>b</table>'.repeat(1_000)],
  ] as const)
    test(`${what} is not rejected as too much HTML`, () => assert.equal(isTooMuch(html), false));
});
