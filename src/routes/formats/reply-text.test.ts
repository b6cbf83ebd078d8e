import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { runs } from '../../../test/support/property-runs.ts';
import { replyText } from './reply-text.ts';

const HEADER = [
  'From: Ann <ann@acme.example>',
  'Sent: Monday, 5 January 2026 10:00',
  'To: Bob',
  'Subject: Order',
];

const REPLIES: readonly [what: string, lines: readonly string[], reply: string][] = [
  [
    'a quote at the end',
    ['Thanks!', '', 'On Mon, Jan 5, 2026 at 10:00, Ann <a@x.example> wrote:', '', '> Hi', '>', '> Bye', ''],
    'Thanks!',
  ],
  [
    'a wrapped attribution',
    ['Thanks!', 'On Mon, Jan 5, 2026 at 10:00, Ann Example', '<ann@x.example> wrote:', '> Hi'],
    'Thanks!',
  ],
  ['a quote above the answer', ['On Mon, Jan 5, 2026, Ann wrote:', '> Hi', '', 'Thanks!'], 'Thanks!'],
  ['a quote without attribution', ['Thanks!', '', '> Hi'], 'Thanks!'],
  [
    'an attribution in German with the name at the end',
    ['Danke', '', 'Am 05.01.26 um 10:00 schrieb Ann:', '> Hallo'],
    'Danke',
  ],
  [
    'an attribution in French',
    ['Merci', '', 'Le lun. 5 janv. 2026 à 10:00, Ann <a@x.example> a écrit :', '> Salut'],
    'Merci',
  ],
  [
    'an attribution with a date and an address only',
    ['はい', '', '2026年1月5日(月) 10:00 Ann <a@x.example>:', '> x'],
    'はい',
  ],
  [
    'an attribution above an unmarked copy',
    ['Yes', '', 'On 5 Jan 2026, at 10:00, Ann wrote:', '', 'Hi', 'Bye'],
    'Yes',
  ],
  ['a copied header', ['Yes', '', ...HEADER, '', 'Hi'], 'Yes'],
  [
    'a copied header below a rule',
    ['Yes', '', '________________________________', ...HEADER, '', 'Hi'],
    'Yes',
  ],
  [
    'a copied header in German',
    ['Ja', '', 'Von: Ann', 'Gesendet: Montag', 'An: Bob', 'Betreff: x', '', 'Hallo'],
    'Ja',
  ],
  [
    'a copied header in bold',
    ['Yes', '', '*From:* Ann', '*Sent:* Monday', '*To:* Bob', '*Subject:* x', '', 'Hi'],
    'Yes',
  ],
  ['the words Original Message', ['Yes', '-----Original Message-----', 'From: Ann', '', 'Hi'], 'Yes'],
  ['answers between quotes', ['> One?', 'Yes.', '> Two?', 'No.'], '> One?\nYes.\n> Two?\nNo.'],
  [
    'answers between quotes, with a quote at the end',
    ['> One?', 'Yes.', '> Two?', 'No.', '', '> Bye'],
    '> One?\nYes.\n> Two?\nNo.',
  ],
  ['a sentence before a quote', ['As you said:', '> Yes', 'I agree.'], 'As you said:\nI agree.'],
  [
    'a forwarded message',
    ['See below', '---------- Forwarded message ---------', ...HEADER, '', 'Hi'],
    `See below\n---------- Forwarded message ---------\n${HEADER.join('\n')}\n\nHi`,
  ],
  ['nothing of its own', ['> Hi'], '> Hi'],
  ['no quote', ['From: the heart', 'to: you', '', 'Bye  ', ''], 'From: the heart\nto: you\n\nBye'],
  ['a signature', ['Yes', '', '-- ', 'Bob', '', 'On 5 Jan 2026 Ann wrote:', '> Hi'], 'Yes\n\n-- \nBob'],
  ['no text', [], ''],
];

suite('the reply', () => {
  for (const [what, lines, reply] of REPLIES)
    test(`of a message with ${what}`, () => assert.equal(replyText(lines.join('\n')), reply));

  test('consists of lines of the message, in their order', () => {
    const line = fc.oneof(
      anyText({ maxLength: 40 }).map((text) => text.replaceAll('\n', ' ')),
      fc.constantFrom(
        '> a',
        '',
        '-----Original Message-----',
        'On 1 Jan 2026 a@b wrote:',
        ...HEADER,
        '____________',
      ),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 40 }), (lines) => {
        let at = 0;
        const reply = replyText(lines.join('\n'));
        for (const own of reply === '' ? [] : reply.split('\n')) {
          at = lines.findIndex((each, index) => index >= at && (each === own || each.trimEnd() === own)) + 1;
          assert.notEqual(at, 0, own);
        }
      }),
      { numRuns: runs(20_000) },
    );
  });

  for (const piece of [
    ' ',
    '>',
    '> ',
    '\n',
    'wrote:',
    'From: ',
    '-',
    '_',
    'On 1:00 a@b wrote:\n',
    '> a\nb\n',
    'From: a\nTo: b\n',
    `${' '.repeat(399)}\n`,
    `From: a\n${`To${' '.repeat(390)}\n`.repeat(6)}`,
  ])
    test(`of four megabytes of ${JSON.stringify(piece.slice(0, 20))} is found in time`, () => {
      const started = process.cpuUsage();
      replyText(piece.repeat((4 * 1_048_576) / piece.length));
      assert.ok(process.cpuUsage(started).user < 2_000_000);
    });
});
