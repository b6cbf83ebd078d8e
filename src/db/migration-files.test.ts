import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { builtIndex, isConcurrent, parseMigration, readMigrations } from './migration-files.ts';
import { splitStatements } from './migration-files.ts';

test('every migration of this code can be parsed and has a unique number', () => {
  const numbers = readMigrations().map(({ name }) => /^(\d{4})-[\w-]+\.sql$/.exec(name)?.[1]);
  assert.equal(new Set(numbers).size, readMigrations().length);
  assert.ok(!numbers.includes(undefined));
});

test('every migration that reached main still exists unchanged', () => {
  // Only append lines to names.txt. A line never changes or disappears, and new files sort last. Otherwise a database that ran the old file
  // would differ from a new database.
  const folder = new URL('./migrations/', import.meta.url);
  const frozen = readFileSync(new URL('names.txt', folder), 'utf8').trim().split('\n');
  const digest = (name: string) =>
    createHash('sha256')
      .update(readFileSync(new URL(name, folder)))
      .digest('hex');
  assert.deepEqual(
    readMigrations().map(({ name }) => `${name} ${digest(name)}`),
    frozen,
    'a new file needs a line "<name> <sha256sum of the file>" in names.txt',
  );
});

test('by default, a migration runs in a transaction and supports all versions', () => {
  const text = '-- A reason.\nselect 1; select 2;';
  assert.deepEqual(parseMigration('a', text), {
    name: 'a',
    runs: 'together',
    statements: [text],
    servesFrom: null,
  });
  assert.deepEqual(
    parseMigration(
      'a',
      '-- migration: one by one\n-- migration: serves from 0.3.0\nselect 1;\n-- Two.\nselect 2;\n',
    ),
    { name: 'a', runs: 'one by one', statements: ['select 1', '-- Two.\nselect 2'], servesFrom: '0.3.0' },
  );
});

for (const text of [
  '-- migration: one by one \nselect 1;',
  '-- migration: One by one\nselect 1;',
  '-- migration: serves from 0.3\nselect 1;',
  '-- migration: serves from 0.3.0\n-- migration: serves from 0.3.0\nselect 1;',
  'select 1;\n-- migration: one by one\n',
  '-- A reason.\n-- migration: one by one\nselect 1;',
  '-- migration: one by one\nselect 1',
  '-- migration: one by one\ncreate index concurrently a on b (c);',
  '-- migration: one by one\ncreate index concurrently if not exists on b (c);',
]) {
  test(`parseMigration rejects ${JSON.stringify(text)}`, () => {
    assert.throws(() => parseMigration('a', text));
  });
}

test('splitStatements ignores semicolons in strings, names, comments and dollar-quoted bodies', () => {
  const statements = [
    "select 'a;''b;'",
    'select ";" -- one; two\n, 2',
    '/* ; */ select 1',
    'do $$ begin null; end $$',
    "do $body$ begin perform ';$$;'; end $body$",
  ];
  assert.deepEqual(splitStatements(`${statements.join(';\n')};\n-- The end.\n`), statements);
});

test('builtIndex returns the name of an index that is built concurrently', () => {
  const statement = '-- Why.\ncreate unique index concurrently\n  if not exists emails_by on emails (id)';
  assert.equal(builtIndex(statement), 'emails_by');
  assert.ok(isConcurrent(statement));
  assert.equal(builtIndex('create index emails_by on emails (id)'), null);
  assert.ok(!isConcurrent('-- Not concurrently.\ncreate index emails_by on emails (id)'));
});
