import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isUnfinished } from './query-text.ts';

test('a search is unfinished if the next letter may complete the value of its last field', () => {
  for (const text of [
    'to:',
    'a tag:"',
    'status:b',
    'order Status:SEN',
    'stream:tr',
    'since:7',
    'until:2026-1',
    'since:2026-11-2',
    'since:2026-11-20T10',
    'since:2026-11-20T10:00',
    'until:2026-11-20T10:00+01:',
  ])
    assert.ok(isUnfinished(text), text);
  for (const text of [
    '',
    'b',
    'to:b',
    'status:bounced',
    'status:sent',
    'status:lost',
    'status:b order',
    'stream:bulk',
    'since:7d',
    'since:2026-11-20',
    'until:2026-11-20T10:00Z',
    'until:2026-11-20T10:00+01:00',
    'since:soon',
    'id:em_0',
  ])
    assert.ok(!isUnfinished(text), text);
});
