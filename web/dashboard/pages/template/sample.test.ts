import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withMissing } from './sample.ts';

test('missing values are added to the sample, and existing values are unchanged', () => {
  const added = withMissing('{"name":"Ada","order":{"id":1},"list":[1]}', [
    'order.url',
    'a.b.c',
    'name.first',
    'list.x',
    'items[0].name',
  ]);
  assert.deepEqual(JSON.parse(added ?? ''), {
    name: 'Ada',
    order: { id: 1, url: 'url' },
    list: [1],
    a: { b: { c: 'c' } },
  });
});

test('the result is null if the sample is not an object, or if no missing name can be added', () => {
  assert.equal(withMissing('[]', ['a']), null);
  assert.equal(withMissing('{', ['a']), null);
  assert.equal(withMissing('{"a":1}', ['a', 'b[0]']), null);
});
