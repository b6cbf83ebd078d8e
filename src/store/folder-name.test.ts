import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { checkFolderName, checkNewFolderName, fittingFolderNames, normalFolderName } from './folder-name.ts';

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

const DEEP = Array.from({ length: 12 }, (_, at) => `l${at + 1}`);

const CASES: [what: string, names: string[], fitting: string[]][] = [
  ['valid names stay', ['Sent', 'a/b', 'Übung'], ['Sent', 'a/b', 'Übung']],
  ['wildcards become _', ['50% off', 'a*/b'], ['50_ off', 'a_/b']],
  ['a leading # becomes _', ['#news', 'a/#b'], ['_news', 'a/#b']],
  ['surrounding spaces are removed', ['Trailing ', 'a / b'], ['Trailing', 'a/b']],
  ['an empty level becomes _', ['a//b'], ['a/_/b']],
  ['levels below the tenth are joined', [DEEP.join('/')], [`${DEEP.slice(0, 10).join('/')} - l11 - l12`]],
  [
    '@ directly below Shared becomes _',
    ['Shared/a@b/c@d', 'Shared/a_b', 'Shared /@', 'Team/a@b'],
    ['Shared/a_b (2)/c@d', 'Shared/a_b', 'Shared (2)/@', 'Team/a@b'],
  ],
  ['a taken name gets a number', ['a_', 'a%', 'a*'], ['a_', 'a_ (2)', 'a_ (3)']],
  ['subfolders follow their parent', ['a_', 'a%', 'a%/b'], ['a_', 'a_ (2)', 'a_ (2)/b']],
  ['a long name is cut', ['é%'.repeat(200)], ['é_'.repeat(200).slice(0, 255)]],
];

for (const [what, names, fitting] of CASES)
  test(`fitting folder names: ${what}`, () => {
    for (const order of [names, names.toReversed()]) {
      const found = fittingFolderNames(order);
      assert.deepEqual(
        names.map((name) => found.get(name)),
        fitting,
      );
    }
  });

test('fitting folder names are valid and distinct, whatever the names', () => {
  const level = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom('a', '%', '*', '#', ' ', '_', 'a ', 'Shared', 'Shared ', 'a@'),
  );
  const names = fc.array(
    fc.array(level, { minLength: 1, maxLength: 14 }).map((levels) => levels.join('/')),
    { maxLength: 8 },
  );
  fc.assert(
    fc.property(names, (all) => {
      const fitting = fittingFolderNames(all);
      for (const [name, path] of fitting) {
        assert.deepEqual(checkNewFolderName(path), { path });
        const checked = checkNewFolderName(name);
        if ('path' in checked) assert.equal(path, checked.path);
      }
      const renamed = [...fitting].filter(([name]) => 'fault' in checkNewFolderName(name));
      assert.equal(new Set(renamed.map(([, path]) => path)).size, renamed.length);
    }),
  );
});
