import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUuid } from '../../model/ids.ts';
import { formatObjectId, readObjectId } from './object-ids.ts';

test('an object id of another kind or in another form is rejected', () => {
  const uuid = newUuid();
  const id = formatObjectId('email', uuid);
  assert.match(id, /^[\w-]{1,255}$/);
  assert.equal(readObjectId('email', id), uuid);
  for (const other of [formatObjectId('thread', uuid), `${id}0`, id.slice(1), uuid, '', id.toUpperCase()])
    assert.equal(readObjectId('email', other), null, other);
});
