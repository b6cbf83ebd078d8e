import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../test/support/any-text.ts';
import { runs } from '../../test/support/property-runs.ts';
import { AppError } from './app-error.ts';
import { cursorOf } from './cursor.ts';

const ID = '01890a5d-ac96-774b-bcce-b302099a8057';
const people = cursorOf('people', { name: 'text', id: 'uuid' });
const encoded = (...parts: unknown[]) => Buffer.from(JSON.stringify(parts)).toString('base64url');

suite('a cursor', () => {
  test('decodes to the encoded values', () => {
    fc.assert(
      fc.property(anyText(), fc.uuid(), fc.nat(2 ** 31 - 1), fc.boolean(), (text, id, uid, isOlder) => {
        const cursor = cursorOf('any', { text: 'text', id: 'uuid', uid: 'int', way: ['older', 'newer'] });
        const values = { text, id, uid, way: isOlder ? ('older' as const) : ('newer' as const) };
        const isStorable = !text.includes('\0') && text.isWellFormed();
        assert.deepEqual(cursor.read(cursor.encode(values)), isStorable ? values : null);
      }),
      { numRuns: runs(200) },
    );
  });

  test('rejects texts that it did not encode', () => {
    fc.assert(
      fc.property(anyText(), (text) => {
        assert.equal(people.read(text), null);
        assert.throws(() => people.decode(text), { code: 'validation-failed' });
      }),
      { numRuns: runs(200) },
    );
  });

  test('names the field that contains the cursor in its error', () => {
    const isOf = (field: string) => (error: unknown) =>
      error instanceof AppError && error.errors !== undefined && field in error.errors;
    assert.throws(() => people.decode('x'), isOf('cursor'));
    assert.throws(() => people.decode('x', 'all.continue'), isOf('all.continue'));
  });

  for (const [title, text] of [
    [
      'a cursor of another list',
      cursorOf('mailboxes', { name: 'text', id: 'uuid' }).encode({ name: 'Ada', id: ID }),
    ],
    ['a missing value', encoded('people', 'Ada')],
    ['an extra value', encoded('people', 'Ada', ID, 1)],
    ['an invalid id', encoded('people', 'Ada', 'x')],
    ['NUL, which PostgreSQL cannot store', encoded('people', 'A\0', ID)],
    ['another JSON notation', Buffer.from(`[ "people", "Ada", "${ID}" ]`).toString('base64url')],
    ['padding', `${people.encode({ name: 'Ada', id: ID })}=`],
  ] as const)
    test(`rejects ${title}`, () => {
      assert.equal(people.read(text), null);
    });

  for (const [kind, value, isTaken] of [
    ['int', 2 ** 31 - 1, true],
    ['int', 2 ** 31, false],
    ['int', -1, false],
    ['int', 1.5, false],
    ['int', '1', false],
    ['unsigned', '9007199254740993', true],
    ['unsigned', '-1', false],
    ['micros', '-62135596800000000', true],
    ['micros', '-999999999999999999', false],
    ['day', '2028-02-29', true],
    ['day', '2027-02-29', false],
    ['time', '2026-11-28 21:30:00.123456+00', true],
    ['time', '2026-11-28 21:30:00-03:30', true],
    ['time', '2026-02-31 21:30:00+00', false],
    ['time', '2026-11-28T21:30:00Z', false],
  ] as const)
    test(`${isTaken ? 'accepts' : 'rejects'} ${JSON.stringify(value)} as ${kind}`, () => {
      const cursor = cursorOf('one', { value: kind });
      assert.equal(cursor.read(encoded('one', value)) !== null, isTaken);
    });

  test('accepts only the listed texts of an enumeration', () => {
    const cursor = cursorOf('one', { way: ['older', 'newer'] });
    assert.deepEqual(cursor.read(encoded('one', 'newer')), { way: 'newer' });
    assert.equal(cursor.read(encoded('one', 'new')), null);
    assert.equal(cursor.read(encoded('one', ['newer'])), null);
  });
});
