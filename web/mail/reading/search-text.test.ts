import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isUnfinished, operatorsOf, termsOf, without, withTerm } from './search-text.ts';

test('operators are told from words, with what is quoted in them', () => {
  const text = 'invoice from:ann -subject:"last year" "from: nobody" has:file is:';
  assert.deepEqual(operatorsOf(text), ['from:ann', '-subject:"last year"', 'has:file']);
  assert.equal(without(text, '-subject:"last year"'), 'invoice from:ann "from: nobody" has:file is:');
  assert.equal(withTerm('invoice has:file', 'has:file'), 'invoice has:file');
});

test('an operator waits for its value', () => {
  for (const text of ['from:', 'a -subject:', 'in:"']) assert.ok(isUnfinished(text), text);
  for (const text of ['from:a', 'http:', 'from: ', '']) assert.ok(!isUnfinished(text), text);
});

test('whatever is typed, its terms are made of it and nothing else', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const term of termsOf(text)) assert.ok(text.includes(term));
      assert.equal(termsOf(text).join('').replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''));
    }),
  );
});
