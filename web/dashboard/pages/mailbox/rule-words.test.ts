import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionFrom, conditionFrom } from '../../../../src/receiving/rules/rule-words.ts';
import {
  ACTIONS,
  type ActionVerb,
  actionInWords,
  conditionInWords,
  SUBJECTS,
  type Subject,
  spoken,
  waysOf,
} from './rule-words.ts';

test('the service takes every condition and every action that a form can have', () => {
  for (const on of Object.keys(SUBJECTS) as Subject[])
    for (const way of Object.keys(waysOf(on))) {
      const value = on === 'size' ? '5M' : on === 'spam' ? '-1.5' : 'is over 5';
      const condition = conditionFrom(conditionInWords({ on, field: 'X-Order', way, value }));
      assert.equal(condition.on, on);
      assert.equal(condition.not ?? false, way.startsWith('not '));
      assert.equal(condition.how, way.replace('not ', ''));
    }
  const values: Partial<Record<ActionVerb, string>> = {
    forward: 'anna@acme.example',
    file: 'Invoices',
    keyword: 'x',
  };
  for (const verb of Object.keys(ACTIONS) as ActionVerb[])
    assert.ok(actionFrom(actionInWords({ verb, value: values[verb] ?? 'no' })), verb);
});

test('a size is said with its unit', () => {
  assert.equal(spoken('not size over 5242880'), 'not size over 5 MB');
  assert.equal(spoken('subject is size over 5'), 'subject is size over 5');
});
