import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { processorClock } from '../../../../test/support/processor-time.ts';
import { cleanHtml } from './clean-html.ts';

/** What is left when the quote is folded; null: there is none. */
function folded(html: string): string | null {
  const { html: clean, quote } = cleanHtml(html);
  return quote === null
    ? null
    : clean
        .slice(0, quote.at)
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim();
}

describe('what is quoted at the end is folded, with the line that says who wrote it', () => {
  for (const [program, html] of [
    [
      'Gmail',
      '<div>Yes</div><br><div class="gmail_quote"><div class="gmail_attr">On Monday:</div><blockquote class="gmail_quote">No?</blockquote></div>',
    ],
    [
      'Thunderbird',
      '<p>Yes</p><div class="moz-cite-prefix">Ann wrote:<br></div><blockquote type="cite"><p>No?</p></blockquote><p></p>',
    ],
    [
      'Apple Mail',
      '<body>Yes<br><div><br><blockquote type="cite"><div>On Monday, Ann wrote:</div><br><div>No?</div></blockquote></div><br></body>',
    ],
    ['Outlook', '<div>Yes</div><hr><div id="divRplyFwdMsg">From: Ann</div><div>No?</div>'],
    [
      'this service',
      '<p>Yes</p><div>On Mon, 3 Nov 2025 at 11:00 UTC, Ann wrote:</div><blockquote type="cite"><p>No?</p></blockquote>',
    ],
    ['one that has no such line', '<p>Yes</p><blockquote type="cite"><p>No?</p></blockquote>'],
    ['others', '<p>Yes</p><p>Ann wrote:</p><blockquote>No?</blockquote>'],
  ])
    test(program, () => assert.equal(folded(html ?? ''), 'Yes'));
});

describe('nothing is folded where', () => {
  for (const [why, html] of [
    ['something stands below the quote', '<p>Yes</p><blockquote type="cite">No?</blockquote><p>Or so.</p>'],
    [
      'a picture stands below it',
      '<p>Yes</p><blockquote type="cite">No?</blockquote><p><img src="cid:a"></p>',
    ],
    ['nothing stands above it', '<br><blockquote type="cite">No?</blockquote>'],
    [
      'the message is handed on',
      '<p>Look</p><div class="gmail_quote">---------- Forwarded message ---------<br>No?</div>',
    ],
    ['nobody is quoted', '<p>He said it well.</p><blockquote>No?</blockquote>'],
  ])
    test(why ?? '', () => assert.equal(folded(html ?? ''), null));
});

test('a quote is found in time, however many there are and however deep', () => {
  const deep = `<p>Yes</p>${'<blockquote type="cite">'.repeat(350)}x`;
  const many = `<p>Yes</p>${'<blockquote type="cite">x</blockquote>'.repeat(10_000)}`;
  for (const html of [deep, many]) {
    const clock = processorClock();
    assert.equal(folded(html)?.startsWith('Yes'), true);
    assert.ok(clock() < 10_000, `${clock()} ms`);
  }
});
