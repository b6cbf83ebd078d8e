import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { processorClock } from '../../../test/support/processor-time.ts';
import { htmlToText } from './html-to-text.ts';

/** HTML fragments for random texts. */
const PIECES = [
  '<|>|/|!|-|"|\'|=| |\n|\r|\t|&|#|;|x|\0|\u00a0|😀|<p>|</p>|<br>|<a href="https://a.test">|</a>|<ul>|<ol>|<li>|</ul>',
  '<pre>|</pre>|<!--|-->|<script>|</script>|<blockquote>|<td>|<div hidden>|</div>|<img alt="|&#10;|&#133;|&#x7f;',
];

/** Texts whose repetition could make a parser search the rest of the text again and again. */
const UNITS = [
  '<|</|<a|<a |<a href="|<a b=\'|<a b=|<!|<!--|<!-->|<a href=https://a.test>b|<script>|<script></|<title></titl',
  '<div hidden>|<ul><li>a|<blockquote>a<br>|<pre>\n\n|</p>|&|&#|&#x|&amp|&aaaaaaaaaa| | \u00a0|a\n|<td>',
  '<b style="display ">|<p style=display: a>',
];

describe('htmlToText', () => {
  const cases: [behavior: string, html: string, text: string][] = [
    ['keeps plain text', 'Hello', 'Hello'],
    ['collapses whitespace to one space', '  a \n\t b  ', 'a b'],
    ['keeps the space between inline elements', 'a<b> b </b>c<i>d</i> <u>e</u>', 'a b cd e'],
    ['treats a no-break space as a space', 'a&nbsp;&nbsp;b<p>&nbsp;</p>c', 'a b\n\nc'],
    ['starts new lines at block elements', '<div>a</div><div>b<div>c</div></div>d', 'a\nb\nc\nd'],
    ['puts empty lines around paragraphs', 'a<p>b</p><p>c</p>d', 'a\n\nb\n\nc\n\nd'],
    ['puts empty lines around headings', '<h1>a</h1><div>b</div>', 'a\n\nb'],
    ['leaves no empty lines at the start or end', '<p></p><p>a</p><p></p>', 'a'],
    ['ends lines at <br>', 'a<br>b<BR/>c', 'a\nb\nc'],
    ['collapses many <br> to one empty line', 'a<br><br><br><br>b', 'a\n\nb'],
    ['keeps the empty line of a lone <br>', '<div>a</div><div><br></div><div>b</div>', 'a\n\nb'],
    ['draws a line for <hr>', 'a<hr>b', 'a\n\n---\n\nb'],
    ['marks list items', 'a<ul><li>b</li><li>c</li></ul>d', 'a\n\n- b\n- c\n\nd'],
    ['numbers ordered lists', '<ol><li>a<li>b</ol>', '1. a\n2. b'],
    ['indents nested lists', '<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>', '- a\n  1. b\n- c'],
    ['indents continuation lines of an item', '<ul><li>a<br>b</li></ul>', '- a\n  b'],
    ['marks quotes', '<blockquote>a<br>b<blockquote>c</blockquote></blockquote>d', '> a\n> b\n\n> > c\n\nd'],
    [
      'puts each table row on a line, with its cells separated',
      '<table><tr><th>a</th><td>b</td></tr><tr><td>c</table>',
      'a  b\nc',
    ],
    ['keeps preformatted text', 'a<pre>\n  b\n\n c  \n</pre>d', 'a\n\n  b\n\n c\n\nd'],
    ['shows the alt text of an image', 'a <img src="x" alt="b &amp; c"> d<img src="y">', 'a b & c d'],
    [
      'shows the URL of a link',
      '<a href="https://a.test/?b=1&amp;c=2">d</a> e',
      'd (https://a.test/?b=1&c=2) e',
    ],
    [
      'shows the URL after the text of a block',
      '<a href=https://a.test/x><div>b</div></a>c',
      'b (https://a.test/x)\nc',
    ],
    [
      'shows a URL once',
      '<a href="https://a.test/">https://a.test</a> <a href="http://b.test">b.test</a>',
      'https://a.test b.test',
    ],
    [
      'shows a URL once in a list',
      '<ul><li><a href="https://a.test">https://a.test</a></ul>',
      '- https://a.test',
    ],
    ['shows the URL of a link without text', '<a href="https://a.test"><img src="x"></a>', 'https://a.test'],
    [
      'shows the address of a mailto link',
      '<a href="mailto:a@b.test">Write</a> <a href="mailto:a@b.test">a@b.test</a>',
      'Write (a@b.test) a@b.test',
    ],
    [
      'omits URLs that do not work in plain text',
      '<a href="#x">a</a> <a href="javascript:x()">b</a> <a href="/c">c</a> <a>d</a>',
      'a b c d',
    ],
    ['keeps a URL in one piece', '<a href=" https://a.test/b\n c ">d</a>', 'd (https://a.test/b%20c)'],
    [
      'uses the first of two href attributes',
      '<a href="https://a.test" href="https://b.test">c</a>',
      'c (https://a.test)',
    ],
    [
      'closes a link where the next one begins',
      '<a href="https://a.test">a<a href="https://b.test">b',
      'a (https://a.test)b (https://b.test)',
    ],
    [
      'decodes named references',
      '&lt;&eacute;&Eacute;&euro;&hellip;&szlig;&copy;&omega;&apos;&zwj;',
      "<éÉ€…ß©ω'\u200d",
    ],
    [
      'decodes numeric references',
      '&#65;&#x42;&#X1F600;&#150;&#0;&#xD800;&#x110000;&#99999999999;',
      'AB😀–\ufffd\ufffd\ufffd&#99999999999;',
    ],
    [
      'decodes legacy names without a semicolon, but not inside words',
      'a&amp b&lt; &copy=1 &notit; &euro 5',
      'a& b< &copy=1 &notit; &euro 5',
    ],
    ['decodes references only once', '&amp;lt;', '&lt;'],
    ['keeps a < that does not start a tag', 'a < b <3 << c', 'a < b <3 << c'],
    ['omits comments', 'a<!-- b > c -->d<!-->e<!doctype html>f<?xml g?>h<![endif]>', 'adefh'],
    ['omits conditional comments', 'a<!--[if mso]><p>b</p><![endif]-->c<![if !mso]>d<![endif]>', 'acd'],
    [
      'omits scripts, styles and titles',
      '<title>a</title><style>b</style>c<SCRIPT>"</p>" < d</Script >e',
      'ce',
    ],
    [
      'omits hidden elements',
      '<div style="color:red; DISPLAY : none">a<div>b</div>c</div>d<p hidden>e</p>f',
      'df',
    ],
    ['continues after hidden void elements', 'a<img style="display:none" alt="x">b', 'ab'],
    ['omits SVG images, including their text', 'a<svg><title>b</title><text>c</text></svg>d<svg/>e', 'ade'],
    ['removes invisible characters', 'a\u00adb\u200b\u034f\ufeff\u0007c', 'abc'],
    ['allows > in an attribute', '<p title="a > b" data-x=\'>\'>c</p>', 'c'],
    ['drops an unterminated tag', 'a<p title="b', 'a'],
    ['ignores end tags without start tags', '</ul></ol></blockquote></a></pre></p>a', 'a'],
    ['treats an element with a prefix as unknown', '<o:p>a</o:p>', 'a'],
    ['returns an empty text for an empty text', '', ''],
  ];
  for (const [behavior, html, text] of cases) {
    it(`htmlToText ${behavior}`, () => assert.equal(htmlToText(html), text));
  }

  it('htmlToText never throws, and returns no control characters except tabs and no trailing spaces', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES.join('|').split('|')), { maxLength: 40 }), (pieces) => {
        const text = htmlToText(pieces.join(''));
        assert.doesNotMatch(text, /[[\p{Cc}]--[\t\n]]|[ \t]$/mv);
      }),
      { numRuns: runs(3_000) },
    );
  });

  describe('htmlToText takes linear time', () => {
    const units = UNITS.join('|').split('|');
    for (const unit of units) {
      it(`htmlToText takes linear time for a megabyte of ${JSON.stringify(unit)}`, () => {
        const html = unit.repeat(Math.floor(2 ** 20 / unit.length));
        const usedMs = processorClock();
        const text = htmlToText(html);
        // Linear time is about 50 ms. Searching to the end for each unit would take a minute.
        assert.ok(usedMs() < 3_000);
        assert.ok(text.length <= html.length * 4);
      });
    }
  });
});
