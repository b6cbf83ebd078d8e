import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withoutValues } from './statements.ts';

test('no value of a statement is shown', () => {
  for (const [text, shown] of [
    ["select * from emails\n  where sender = 'ann@acme.example'", "select * from emails where sender = '…'"],
    ["select 'it''s ann' -- ann\n, 1", "select '…' , 1"],
    ['select $$ann$$, $q$ann$q$, $1', "select '…', '…', $1"],
    ["select 'ann is cut of", "select '…'"],
  ] as const)
    assert.equal(withoutValues(text), shown);
});
