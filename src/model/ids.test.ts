import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import fc from 'fast-check';
import { decodeId, encodeId, firstUuidAt, newUuid, restartIds, timeOf } from './ids.ts';

// Tests create ids with distant times. Without a restart, later ids would continue from these times.
afterEach(restartIds);

test('a new UUID is a version 7 UUID of the current millisecond', () => {
  const before = Date.now();
  const uuid = newUuid();
  assert.match(uuid, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  assert.ok(timeOf(uuid).getTime() >= before);
});

test('UUIDs of a process ascend, even within a millisecond and after the clock goes back', () => {
  const times = [
    5_000_000_000_000,
    ...Array.from({ length: 10_000 }, () => 5_000_000_000_000),
    4_999_999_999_000,
  ];
  const uuids = times.map((ms) => newUuid(ms));
  assert.deepEqual([...uuids].sort(), uuids);
  assert.equal(new Set(uuids).size, uuids.length);
});

test('an id is its prefix and 26 characters of Crockford base32', () => {
  assert.match(encodeId('em', newUuid()), /^em_[0-9A-HJKMNP-TV-Z]{26}$/);
});

test('every id decodes to the encoded UUID, and ids sort like their UUIDs', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.uuid(), (a, b) => {
      assert.equal(decodeId('em', encodeId('em', a)), a);
      assert.equal(encodeId('em', a) < encodeId('em', b), a < b);
    }),
  );
});

test('decoding rejects texts that are not an id with the prefix', () => {
  const id = encodeId('em', newUuid());
  const wrong = [
    '',
    'em_',
    id.slice(0, -1),
    `${id}0`,
    id.replace('em_', 'evt_'),
    `em_8${id.slice(4)}`,
    id.toLowerCase(),
    `em_${'U'.repeat(26)}`,
  ];
  for (const text of wrong) assert.equal(decodeId('em', text), null, text);
});

test('decoding never throws, and encoding a decoded id returns the same text', () => {
  fc.assert(
    fc.property(fc.string(), fc.stringMatching(/^[0-9A-Z]{26}$/), (any, body) => {
      assert.equal(decodeId('em', any), null);
      const uuid = decodeId('em', `em_${body}`);
      if (uuid !== null) assert.equal(encodeId('em', uuid), `em_${body}`);
    }),
  );
});

test('the first UUID of a millisecond is a lower bound for all UUIDs of this millisecond', () => {
  const ms = 6_000_000_000_000;
  const uuid = newUuid(ms);
  assert.ok(firstUuidAt(new Date(ms)) <= uuid);
  assert.ok(firstUuidAt(new Date(ms + 1)) > uuid);
});
