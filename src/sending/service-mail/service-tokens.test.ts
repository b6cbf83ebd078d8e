import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { test } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { DAY_MS } from '../../model/day.ts';
import { firstUuidAt } from '../../model/ids.ts';
import { ServiceTokens } from './service-tokens.ts';

const tokens = new ServiceTokens(createSecretKey(Buffer.alloc(32, 1)));
const OTHERS = new ServiceTokens(createSecretKey(Buffer.alloc(32, 2)));
const NOW = Date.UTC(2026, 10, 28);
const messageIdOfAge = (ageMs: number, by = tokens) =>
  by.messageIdFor(firstUuidAt(new Date(NOW - ageMs)), 'hosted.example');

test('the Message-ID of service mail is live for seven days, as long as the longest link', () => {
  for (const [ageMs, isLive] of [
    [0, true],
    [7 * DAY_MS, true],
    [7 * DAY_MS + 1, false],
    // The clock of the machine that created the Message-ID may be ahead of ours.
    [-60_000, true],
    [-2 * 3_600_000, false],
  ] as const)
    assert.equal(tokens.isLive(messageIdOfAge(ageMs), NOW), isLive, String(ageMs));
});

test('a Message-ID has a timestamp and is valid in a header', () => {
  assert.match(messageIdOfAge(0), /^<svc\.[0-9a-f]{32}\.[0-9a-f]{32}@hosted\.example>$/);
});

test('a token is not live if another secret made it or any character was changed', () => {
  assert.equal(tokens.isLive(messageIdOfAge(0, OTHERS), NOW), false);
  const genuine = messageIdOfAge(0);
  for (let at = 0; at < genuine.indexOf('@'); at++) {
    const changed = `${genuine.slice(0, at)}${genuine[at] === '0' ? '1' : '0'}${genuine.slice(at + 1)}`;
    assert.equal(tokens.isLive(changed, NOW), false, changed);
  }
});

test('a token stays live when a server in transit changes the case or domain of the Message-ID', () => {
  const genuine = messageIdOfAge(0);
  assert.equal(tokens.isLive(genuine.toUpperCase(), NOW), true);
  assert.equal(tokens.isLive(genuine.replace('hosted.example', 'relay.example'), NOW), true);
});

test('no text other than a Message-ID of service mail is live', () => {
  for (const text of [null, '', '<>', '<svc.@x>', `<svc.${'0'.repeat(32)}.${'0'.repeat(32)}@x>`])
    assert.equal(tokens.isLive(text, NOW), false);
  fc.assert(
    fc.property(fc.string({ maxLength: 2_000 }), (text) => {
      assert.equal(tokens.isLive(text, NOW), false);
      assert.equal(tokens.isLive(`<svc.${text}@x>`, NOW), false);
    }),
    { numRuns: runs(1_000) },
  );
});
