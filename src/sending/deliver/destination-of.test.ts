import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinationOf } from './destination-of.ts';

test('destinationOf returns the domain or address literal of a forward-path', () => {
  assert.equal(destinationOf('ann@Example.NET'), 'example.net');
  assert.equal(destinationOf('"a@b"@example.net'), 'example.net');
  assert.equal(destinationOf('ann@[192.0.2.1]'), '[192.0.2.1]');
});
