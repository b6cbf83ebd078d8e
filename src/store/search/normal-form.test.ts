import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { processorClock } from '../../../test/support/processor-time.ts';
import { normalForm } from './normal-form.ts';

const FORMS: readonly [form: string, ...texts: string[]][] = [
  ['cafe', 'CAFÉ', 'Cafe\u0301', 'ｃａｆｅ'],
  ['strasse', 'STRASSE', 'Straße', 'STRAẞE'],
  ['οδοσ', 'ΟΔΟΣ', 'οδος', 'ὁδός'],
  ['i', 'İ', 'I', 'i'],
  ['한국어', '한국어', '한국어'.normalize('NFD')],
  ['が', 'が', 'か\u3099'],
  ['fi 1', 'ﬁ①'.replace('①', ' ①'), 'FI\r\n\t1', 'f\u00adi\u00a01'],
];

describe('the normal form of texts', () => {
  for (const [form, ...texts] of FORMS) {
    it(`is ${JSON.stringify(form)} for ${texts.join(', ')}`, () => {
      for (const text of texts) assert.equal(normalForm(text), form, JSON.stringify(text));
    });
  }

  it('is one line that PostgreSQL accepts, for any text', () => {
    fc.assert(
      fc.property(anyText({ maxLength: 50 }), (text) => {
        const form = normalForm(text);
        assert.ok(form.isWellFormed());
        assert.doesNotMatch(form, /[\p{Cc}]| {2}/u);
      }),
    );
  });

  it('is computed in bounded time', () => {
    for (const unit of ['\u0316\u0301', '\u0301', 'ß', ' ', '\u00ad', '\ud800', 'ﷺ']) {
      const usedMs = processorClock();
      normalForm(unit.repeat(50_000));
      assert.ok(usedMs() < 1_000, JSON.stringify(unit));
    }
  });
});
