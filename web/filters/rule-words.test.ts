import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  actionFrom,
  conditionFrom,
  wordsOfAction,
  wordsOfCondition,
} from '../../src/receiving/rules/rule-words.ts';
import {
  ACTIONS,
  actionForm,
  conditionForm,
  type ActionVerb,
  actionInWords,
  conditionInWords,
  SUBJECTS,
  type Subject,
  spoken,
  waysOf,
} from './rule-words.ts';

test('the service accepts every condition and action that the form offers', () => {
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

test('the size in a size condition is shown in MB', () => {
  assert.equal(spoken('not size over 5242880'), 'not size over 5 MB');
  assert.equal(spoken('subject is size over 5'), 'subject is size over 5');
});

test('the form of an existing rule produces the same rule', () => {
  for (const words of [
    'from contains a is b',
    'not header x-order matches *',
    'header from is x',
    'not subject starts not',
    'size over 5242880',
    'size under 1000',
    'spam over -1.5',
  ])
    assert.equal(wordsOfCondition(conditionFrom(conditionInWords(conditionForm(words)))), words);
  for (const words of ['file A b/c', 'mark read', 'flag', 'keyword x', 'refuse Not here', 'stop', 'delete'])
    assert.equal(wordsOfAction(actionFrom(actionInWords(actionForm(words)))), words);
  assert.equal(conditionInWords(conditionForm('not size over 1024')), 'size under 1k');
});
