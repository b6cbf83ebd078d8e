import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ConversationRow } from '../../../src/contract/mail/conversations.ts';
import { isInView, keyOf, viewOf } from './list-view.ts';

test('a URL selects a filter and an order, and unknown values select none', () => {
  for (const [search, view] of [
    [{}, {}],
    [
      { filter: 'unread', sort: 'size' },
      { filter: 'unread', sort: 'size' },
    ],
    [{ filter: 'toString', sort: 'newest', compose: 'new' }, {}],
    [{ filter: '', sort: 'constructor' }, {}],
  ] as const)
    assert.deepEqual(viewOf(search), view);
  assert.equal(keyOf({}), '');
});

test('a row is in a view if it matches its filter, in any order', () => {
  const row = { unread: 0, starred: 2, has_file: true } as ConversationRow;
  for (const [view, isIn] of [
    [{}, true],
    [{ sort: 'oldest' }, true],
    [{ filter: 'unread' }, false],
    [{ filter: 'starred', sort: 'sender' }, true],
    [{ filter: 'file' }, true],
  ] as const)
    assert.equal(isInView(keyOf(view), row), isIn, keyOf(view));
});
