import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { isUnfinished, operatorsOf, termsOf, without, withTerm } from './search-text.ts';

test('operators are distinguished from words, including operators with quoted values', () => {
  const text = 'invoice from:ann -subject:"last year" "from: someone" has:file is:';
  assert.deepEqual(operatorsOf(text), ['from:ann', '-subject:"last year"', 'has:file']);
  assert.equal(without(text, '-subject:"last year"'), 'invoice from:ann "from: someone" has:file is:');
  assert.equal(withTerm('invoice has:file', 'has:file'), 'invoice has:file');
});

test('an operator without a value is incomplete', () => {
  for (const text of ['from:', 'a -subject:', 'in:"']) assert.ok(isUnfinished(text), text);
  for (const text of ['from:a', 'http:', 'from: ', '']) assert.ok(!isUnfinished(text), text);
});

test('the terms of any text are parts of the text, and contain all its characters except spaces', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const term of termsOf(text)) assert.ok(text.includes(term));
      assert.equal(termsOf(text).join('').replaceAll(/\s/g, ''), text.replaceAll(/\s/g, ''));
    }),
  );
});
