import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { processorClock } from '../../../test/support/processor-time.ts';
import { selectSignedFields } from './signed-fields.ts';

const lines = (...fields: string[]) => fields.map((field) => `${field}\r\n`).join('');

describe('selectSignedFields', () => {
  test('selectSignedFields lists oversigned fields once more often than the header contains them', () => {
    const { names } = selectSignedFields(lines('From: a@example.com', 'Subject: x'));
    const count = (name: string) => names.filter((item) => item === name).length;
    assert.deepEqual([count('From'), count('Subject'), count('Reply-To')], [2, 2, 1]);
  });

  test('selectSignedFields lists other fields only if the header contains them', () => {
    const { names } = selectSignedFields(lines('From: a@example.com', 'References: <1@example.com>'));
    assert.equal(names.filter((name) => name === 'References').length, 1);
    assert.ok(!names.includes('In-Reply-To'));
  });

  test('selectSignedFields omits fields that are not signed', () => {
    const { names, canonical } = selectSignedFields(
      lines('X-Mailer: x', 'Received: y', 'From: a@example.com'),
    );
    assert.ok(!names.includes('X-Mailer') && !names.includes('Received'));
    assert.equal(canonical, 'from:a@example.com\r\n');
  });

  test('selectSignedFields lists fields of the same name from last to first', () => {
    const { canonical } = selectSignedFields(
      lines('List-Id: <one>', 'From: a@example.com', 'LIST-ID: <two>'),
    );
    assert.equal(canonical, 'from:a@example.com\r\nlist-id:<two>\r\nlist-id:<one>\r\n');
  });

  test('selectSignedFields reads folded fields, and field names followed by whitespace', () => {
    const { canonical } = selectSignedFields(
      lines('From : a@example.com', 'Subject: one\r\n two', 'X-A: b\r\n\tTo: c'),
    );
    assert.equal(canonical, 'from:a@example.com\r\nsubject:one two\r\n');
  });

  test('selectSignedFields skips a line that is not a field', () => {
    assert.equal(
      selectSignedFields(lines('nonsense', '', 'From: a@example.com')).canonical,
      'from:a@example.com\r\n',
    );
  });

  test('selectSignedFields takes linear time for a megabyte of lines without a colon', () => {
    const usedMs = processorClock();
    assert.equal(selectSignedFields('x\r\n'.repeat(350_000)).canonical, '');
    assert.ok(usedMs() < 2_000);
  });
});
