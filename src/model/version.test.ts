import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareVersions, isVersion, VERSION } from './version.ts';

test('versions are compared by their numbers', () => {
  const versions = ['0.10.0', '1.0.0', '0.2.10', '0.2.9', '0.2.0'];
  assert.deepEqual(versions.toSorted(compareVersions), ['0.2.0', '0.2.9', '0.2.10', '0.10.0', '1.0.0']);
  assert.equal(compareVersions('0.2.0', '0.2.0'), 0);
});

test('a valid version has exactly three numbers, and the version of this program is valid', () => {
  for (const text of ['1.0', '1.0.0-rc.1', 'v1.0.0', '1.0.01', '', '1.0.0 '])
    assert.ok(!isVersion(text), text);
  assert.ok(isVersion(VERSION));
});
