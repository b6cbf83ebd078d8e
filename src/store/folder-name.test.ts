import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkFolderName, normalFolderName } from './folder-name.ts';

const VALID: [name: string, path: string][] = [
  ['Work/2026', 'Work/2026'],
  ['inbox/Bills', 'INBOX/Bills'],
  ['U\u0308bung', 'Übung'],
  ['a/#b', 'a/#b'],
  [Array(10).fill('x').join('/'), Array(10).fill('x').join('/')],
  ['x'.repeat(255), 'x'.repeat(255)],
];

const INVALID: [name: string, fault: string][] = [
  ['', 'is empty'],
  ['/a', 'has an empty level: two / in a row, or a / at the start or end'],
  ['a//b', 'has an empty level: two / in a row, or a / at the start or end'],
  [Array(11).fill('x').join('/'), 'has more than 10 levels'],
  ['x'.repeat(256), 'has more than 255 characters'],
  ['100% sure', 'contains % or *'],
  ['star*name', 'contains % or *'],
  ['a\u0001', 'contains a control character or a line separator'],
  ['a\u2028b', 'contains a control character or a line separator'],
  ['a\ud800', 'is not valid Unicode'],
  ['#hash', 'starts with #'],
  ['Trailing space ', 'has a level that starts or ends with a space'],
  ['a/ b', 'has a level that starts or ends with a space'],
];

for (const [name, path] of VALID)
  test(`checkFolderName accepts ${JSON.stringify(name.slice(0, 30))}`, () => {
    assert.deepEqual(checkFolderName(name), { path });
    assert.equal(normalFolderName(name), path);
  });

for (const [name, fault] of INVALID)
  test(`checkFolderName says that ${JSON.stringify(name.slice(0, 30))} ${fault}`, () => {
    assert.deepEqual(checkFolderName(name), { fault });
    assert.equal(normalFolderName(name), null);
  });
