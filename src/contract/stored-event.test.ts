import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { EventDetail } from './events.ts';
import { storedDetail, storedEvent, wasRelayed } from './stored-event.ts';

const REPLY = {
  smtp_code: 250,
  enhanced_code: '2.0.0',
  response: 'OK',
  remote_mta: 'mx.dst.test',
  tls: true,
};

test('a dialogue with any text is read as it was written, and takes fewer bytes when stored', () => {
  const line = fc
    .tuple(fc.nat(), fc.constantFrom('client', 'server', 'note'), fc.string({ unit: 'binary' }))
    .map(([atMs, by, text]) => ({ at_ms: atMs, by, text }));
  fc.assert(
    fc.property(fc.array(line, { minLength: 1 }), (dialogue) => {
      const detail: EventDetail<'sent'> = { ...REPLY, dialogue, provider_message_id: '<1@src.test>' };
      const stored = storedDetail(detail);
      assert.deepEqual(storedEvent({ type: 'sent', detail: stored }).detail, detail);
      assert.ok(JSON.stringify(stored).length < JSON.stringify(detail).length - 25 * dialogue.length);
    }),
  );
});

test('details without a dialogue, and dialogues that were stored as objects, are read unchanged', () => {
  for (const detail of [null, REPLY, { ...REPLY, dialogue: [{ at_ms: 1, by: 'note', text: 'a' }] }])
    assert.deepEqual(storedEvent({ type: 'sent', detail }).detail, detail);
});

test('whether an attempt was made at a server in transit is stored, and is no part of an event', () => {
  const dialogue = [{ at_ms: 1, by: 'note' as const, text: 'a' }];
  for (const detail of [
    { ...REPLY, provider_message_id: null },
    { ...REPLY, provider_message_id: null, dialogue },
  ])
    for (const isRelayed of [false, true]) {
      const stored = storedDetail(detail, isRelayed);
      assert.equal(wasRelayed(stored), isRelayed);
      assert.deepEqual(storedEvent({ type: 'sent', detail: stored }).detail, detail);
    }
});
