import assert from 'node:assert/strict';
import { test } from 'node:test';
import { destinationOf } from './destination-of.ts';

test("a destination is a forward-path's domain or address literal", () => {
  assert.equal(destinationOf('ann@Example.NET'), 'example.net');
  assert.equal(destinationOf('"a@b"@example.net'), 'example.net');
  assert.equal(destinationOf('ann@[192.0.2.1]'), '[192.0.2.1]');
});
