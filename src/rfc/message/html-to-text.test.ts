import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { processorClock } from '../../../test/support/processor-time.ts';
import { htmlToText } from './html-to-text.ts';

/** Pieces of HTML for random texts. */
const PIECES = [
  '<|>|/|!|-|"|\'|=| |\n|\r|\t|&|#|;|x|\0|\u00a0|😀|<p>|</p>|<br>|<a href="https://a.test">|</a>|<ul>|<ol>|<li>|</ul>',
  '<pre>|</pre>|<!--|-->|<script>|</script>|<blockquote>|<td>|<div hidden>|</div>|<img alt="|&#10;|&#133;|&#x7f;',
];

/** Units for which a parser might search the rest of the text again and again. */
const UNITS = [
  '<|</|<a|<a |<a href="|<a b=\'|<a b=|<!|<!--|<!-->|<a href=https://a.test>b|<script>|<script></|<title></titl',
  '<div hidden>|<ul><li>a|<blockquote>a<br>|<pre>\n\n|</p>|&|&#|&#x|&amp|&aaaaaaaaaa| | \u00a0|a\n|<td>',
  '<b style="display ">|<p style=display: a>',
];

describe('htmlToText', () => {
  const cases: [behaviour: string, html: string, text: string][] = [
    ['keeps plain text', 'Hello', 'Hello'],
    ['makes one space of white space', '  a \n\t b  ', 'a b'],
    ['keeps the space between inline elements', 'a<b> b </b>c<i>d</i> <u>e</u>', 'a b cd e'],
    ['takes a no-break space for a space', 'a&nbsp;&nbsp;b<p>&nbsp;</p>c', 'a b\n\nc'],
    ['ends lines at blocks', '<div>a</div><div>b<div>c</div></div>d', 'a\nb\nc\nd'],
    ['puts empty lines around paragraphs', 'a<p>b</p><p>c</p>d', 'a\n\nb\n\nc\n\nd'],
    ['puts empty lines around headings', '<h1>a</h1><div>b</div>', 'a\n\nb'],
    ['leaves no empty lines at the ends', '<p></p><p>a</p><p></p>', 'a'],
    ['ends lines at <br>', 'a<br>b<BR/>c', 'a\nb\nc'],
    ['leaves one empty line for many <br>', 'a<br><br><br><br>b', 'a\n\nb'],
    ['keeps a <br> that is an empty line', '<div>a</div><div><br></div><div>b</div>', 'a\n\nb'],
    ['draws <hr>', 'a<hr>b', 'a\n\n---\n\nb'],
    ['marks list items', 'a<ul><li>b</li><li>c</li></ul>d', 'a\n\n- b\n- c\n\nd'],
    ['numbers ordered lists', '<ol><li>a<li>b</ol>', '1. a\n2. b'],
    ['indents nested lists', '<ul><li>a<ol><li>b</li></ol></li><li>c</li></ul>', '- a\n  1. b\n- c'],
    ['indents the further lines of an item', '<ul><li>a<br>b</li></ul>', '- a\n  b'],
    ['quotes', '<blockquote>a<br>b<blockquote>c</blockquote></blockquote>d', '> a\n> b\n\n> > c\n\nd'],
    [
      'puts rows on lines and cells beside each other',
      '<table><tr><th>a</th><td>b</td></tr><tr><td>c</table>',
      'a  b\nc',
    ],
    ['keeps preformatted text', 'a<pre>\n  b\n\n c  \n</pre>d', 'a\n\n  b\n\n c\n\nd'],
    ['gives the alternative of an image', 'a <img src="x" alt="b &amp; c"> d<img src="y">', 'a b & c d'],
    [
      'gives the URL of a link',
      '<a href="https://a.test/?b=1&amp;c=2">d</a> e',
      'd (https://a.test/?b=1&c=2) e',
    ],
    [
      'gives the URL behind the text of a block',
      '<a href=https://a.test/x><div>b</div></a>c',
      'b (https://a.test/x)\nc',
    ],
    [
      'gives a URL once',
      '<a href="https://a.test/">https://a.test</a> <a href="http://b.test">b.test</a>',
      'https://a.test b.test',
    ],
    [
      'gives a URL once in a list',
      '<ul><li><a href="https://a.test">https://a.test</a></ul>',
      '- https://a.test',
    ],
    ['gives the URL of a link without text', '<a href="https://a.test"><img src="x"></a>', 'https://a.test'],
    [
      'gives the address of a mailto link',
      '<a href="mailto:a@b.test">Write</a> <a href="mailto:a@b.test">a@b.test</a>',
      'Write (a@b.test) a@b.test',
    ],
    [
      'gives no URL that leads nowhere',
      '<a href="#x">a</a> <a href="javascript:x()">b</a> <a href="/c">c</a> <a>d</a>',
      'a b c d',
    ],
    ['keeps a URL in one piece', '<a href=" https://a.test/b\n c ">d</a>', 'd (https://a.test/b%20c)'],
    [
      'takes the first of two attributes',
      '<a href="https://a.test" href="https://b.test">c</a>',
      'c (https://a.test)',
    ],
    [
      'closes a link where the next one begins',
      '<a href="https://a.test">a<a href="https://b.test">b',
      'a (https://a.test)b (https://b.test)',
    ],
    ['decodes names', '&lt;&eacute;&Eacute;&euro;&hellip;&szlig;&copy;&omega;&apos;&zwj;', "<éÉ€…ß©ω'\u200d"],
    [
      'decodes numbers',
      '&#65;&#x42;&#X1F600;&#150;&#0;&#xD800;&#x110000;&#99999999999;',
      'AB😀–\ufffd\ufffd\ufffd&#99999999999;',
    ],
    [
      'decodes old names without a semicolon, but not within words',
      'a&amp b&lt; &copy=1 &notit; &euro 5',
      'a& b< &copy=1 &notit; &euro 5',
    ],
    ['decodes once', '&amp;lt;', '&lt;'],
    ['keeps a < that begins no tag', 'a < b <3 << c', 'a < b <3 << c'],
    ['leaves out comments', 'a<!-- b > c -->d<!-->e<!doctype html>f<?xml g?>h<![endif]>', 'adefh'],
    ['leaves out conditional comments', 'a<!--[if mso]><p>b</p><![endif]-->c<![if !mso]>d<![endif]>', 'acd'],
    [
      'leaves out scripts, styles and titles',
      '<title>a</title><style>b</style>c<SCRIPT>"</p>" < d</Script >e',
      'ce',
    ],
    [
      'leaves out what is hidden',
      '<div style="color:red; DISPLAY : none">a<div>b</div>c</div>d<p hidden>e</p>f',
      'df',
    ],
    ['goes on after hidden elements without content', 'a<img style="display:none" alt="x">b', 'ab'],
    ['leaves out pictures with text in them', 'a<svg><title>b</title><text>c</text></svg>d<svg/>e', 'ade'],
    ['shows nothing for characters that show nothing', 'a\u00adb\u200b\u034f\ufeff\u0007c', 'abc'],
    ['lets a > stand in an attribute', '<p title="a > b" data-x=\'>\'>c</p>', 'c'],
    ['drops a tag that does not end', 'a<p title="b', 'a'],
    ['copes with end tags alone', '</ul></ol></blockquote></a></pre></p>a', 'a'],
    ['keeps to names with a prefix', '<o:p>a</o:p>', 'a'],
    ['gives nothing for nothing', '', ''],
  ];
  for (const [behaviour, html, text] of cases) {
    it(behaviour, () => assert.equal(htmlToText(html), text));
  }

  it('never throws, and leaves no control character but tabs, and no space at a line end', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...PIECES.join('|').split('|')), { maxLength: 40 }), (pieces) => {
        const text = htmlToText(pieces.join(''));
        assert.doesNotMatch(text, /[[\p{Cc}]--[\t\n]]|[ \t]$/mv);
      }),
      { numRuns: runs(3_000) },
    );
  });

  describe('takes linear time for a megabyte of', () => {
    const units = UNITS.join('|').split('|');
    for (const unit of units) {
      it(JSON.stringify(unit), () => {
        const html = unit.repeat(Math.floor(2 ** 20 / unit.length));
        const usedMs = processorClock();
        const text = htmlToText(html);
        // Linear time is about 50 ms. A search to the end for each unit would be a minute.
        assert.ok(usedMs() < 3_000);
        assert.ok(text.length <= html.length * 4);
      });
    }
  });
});
