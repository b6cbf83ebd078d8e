import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { formatCard } from './format-card.ts';
import { type Card, readCards } from './read-cards.ts';

const cardOf = (...lines: string[]): string => ['BEGIN:VCARD', ...lines, 'END:VCARD', ''].join('\r\n');
const read = (text: string): Card[] => readCards(text, 100).cards;

describe('readCards', () => {
  const cases: [what: string, text: string, expected: Card][] = [
    [
      'version 4.0',
      cardOf(
        'VERSION:4.0',
        'FN:Bo Svensson',
        'EMAIL:b@old.example',
        'EMAIL;PREF=1:bo@x.example',
        'NOTE:a\\nb\\, c',
      ),
      { name: 'Bo Svensson', note: 'a\nb, c', addresses: ['bo@x.example', 'b@old.example'] },
    ],
    [
      'version 3.0 with groups, types and folded lines',
      cardOf('VERSION:3.0', 'FN:Jörg', ' Müller', 'item1.EMAIL;type=INTERNET;type=pref:jm@x.exa', ' mple'),
      { name: 'JörgMüller', note: '', addresses: ['jm@x.example'] },
    ],
    [
      'version 2.1 in quoted-printable with a soft line break',
      cardOf(
        'N;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:M=C3=BCller;J=',
        '=C3=B6rg;;;',
        'EMAIL;PREF;INTERNET:jm@x.example',
      ),
      { name: 'Jörg Müller', note: '', addresses: ['jm@x.example'] },
    ],
    [
      'a structured name instead of a formatted name',
      cardOf('FN:', 'N:Svensson;Bo;Ove;Dr.;', 'EMAIL:mailto:bo@x.example'),
      { name: 'Dr. Bo Ove Svensson', note: '', addresses: ['bo@x.example'] },
    ],
    [
      'an organization without a person',
      cardOf('N:;;;;', 'ORG:Acme;Sales', 'EMAIL:sales@acme.example'),
      { name: 'Acme Sales', note: '', addresses: ['sales@acme.example'] },
    ],
    [
      'parameters with quoted separators',
      cardOf('EMAIL;X-LABEL="a:b;c":x@y.example', 'PHOTO;ENCODING=b:AAAA'),
      { name: null, note: '', addresses: ['x@y.example'] },
    ],
  ];
  for (const [what, text, expected] of cases)
    it(`reads ${what}`, () => {
      assert.deepEqual(read(text), [expected]);
    });

  it('reads all complete cards of a file, and counts those beyond the limit', () => {
    const text = cardOf('FN:A') + cardOf('FN:B') + cardOf('FN:C') + 'BEGIN:VCARD\r\nFN:D';
    const { cards, skipped } = readCards(text, 2);
    assert.deepEqual(
      cards.map(({ name }) => name),
      ['A', 'B'],
    );
    assert.equal(skipped, 1);
  });

  it('accepts any text, and takes time in proportion to its length', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        for (const { addresses } of read(`BEGIN:VCARD\n${text}\nEND:VCARD`))
          assert.ok(Array.isArray(addresses));
      }),
    );
    const hostile = [
      'EMAIL;'.repeat(2_000),
      'EMAIL;A="'.repeat(1_500),
      '\\;'.repeat(8_000),
      '\r\n '.repeat(50_000),
    ];
    const begin = performance.now();
    for (const value of hostile) for (const name of ['', 'N:', 'FN:']) read(cardOf(`${name}${value}`));
    assert.ok(performance.now() - begin < 2_000);
  });
});

describe('formatCard', () => {
  it('writes cards that are read again unchanged, in lines of at most 75 octets', () => {
    const word = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 120 })
      .map((text) => text.replace(/[\s\p{C}]/gu, 'x'));
    const card = fc.record({
      name: word,
      note: fc.array(word, { maxLength: 4 }).map((lines) => lines.join('\n')),
      addresses: fc.array(
        word.map((text) => `${text.replaceAll(':', '.')}@x.example`),
        { minLength: 1, maxLength: 3 },
      ),
    });
    fc.assert(
      fc.property(card, (written) => {
        const text = formatCard(written);
        assert.deepEqual(read(text), [{ ...written }]);
        for (const line of text.split('\r\n')) assert.ok(Buffer.byteLength(line) <= 75);
      }),
    );
  });
});
