import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { processorClock } from '../../../../test/support/processor-time.ts';
import { prepareForDisplay } from './clean-html.ts';

/** The text that remains when the quote is collapsed; null if there is no quote. */
function collapsed(html: string): string | null {
  const { html: clean, quote } = prepareForDisplay(html);
  return quote === null
    ? null
    : clean
        .slice(0, quote.at)
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim();
}

describe('a quote at the end is collapsed together with its attribution line', () => {
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
    ['a mail app without attribution lines', '<p>Yes</p><blockquote type="cite"><p>No?</p></blockquote>'],
    ['other mail apps', '<p>Yes</p><p>Ann wrote:</p><blockquote>No?</blockquote>'],
  ])
    test(`a quote written by ${program} is collapsed`, () => assert.equal(collapsed(html ?? ''), 'Yes'));
});

describe('no quote is collapsed', () => {
  for (const [why, html] of [
    ['there is text below the quote', '<p>Yes</p><blockquote type="cite">No?</blockquote><p>Or so.</p>'],
    [
      'there is an image below the quote',
      '<p>Yes</p><blockquote type="cite">No?</blockquote><p><img src="cid:a"></p>',
    ],
    ['there is no text above the quote', '<br><blockquote type="cite">No?</blockquote>'],
    [
      'the message is forwarded',
      '<p>Look</p><div class="gmail_quote">---------- Forwarded message ---------<br>No?</div>',
    ],
    ['the blockquote is not a reply quote', '<p>He said it well.</p><blockquote>No?</blockquote>'],
  ])
    test(`no quote is collapsed if ${why}`, () => assert.equal(collapsed(html ?? ''), null));
});

test('a quote is found quickly, however many quotes there are and however deep they are nested', () => {
  const deep = `<p>Yes</p>${'<blockquote type="cite">'.repeat(350)}x`;
  const many = `<p>Yes</p>${'<blockquote type="cite">x</blockquote>'.repeat(10_000)}`;
  for (const html of [deep, many]) {
    const clock = processorClock();
    assert.equal(collapsed(html)?.startsWith('Yes'), true);
    assert.ok(clock() < 10_000, `${clock()} ms`);
  }
});
