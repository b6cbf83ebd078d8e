import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fieldValue, readHeader, unfoldedValue } from './header.ts';

function read(text: string): ReturnType<typeof readHeader> {
  const raw = Buffer.from(text, 'latin1');
  return readHeader(raw, 0, raw.length);
}

describe('readHeader', () => {
  it('readHeader unfolds fields and returns the start of the body', () => {
    const { fields, bodyStart } = read('From: a@b.example\r\nSubject: one\r\n\t two\r\n three\r\n\r\nbody');
    assert.deepEqual(fields, [
      { name: 'from', value: 'a@b.example' },
      { name: 'subject', value: 'one two three', unfolded: 'one\t two three' },
    ]);
    assert.equal(unfoldedValue(fields, 'subject'), 'one\t two three');
    assert.equal(unfoldedValue(fields, 'from'), 'a@b.example');
    assert.equal(bodyStart, 'From: a@b.example\r\nSubject: one\r\n\t two\r\n three\r\n\r\n'.length);
  });

  it('readHeader treats bare line feeds as line ends', () => {
    assert.deepEqual(read('A: 1\nB: 2\n\nbody').fields, [
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
    ]);
  });

  it('readHeader skips the From line of an mbox file and lines that are not fields', () => {
    const { fields } = read('From MAILER-DAEMON Thu Jan 1\nA: 1\nno field\n at all\nB : 2\n\n');
    assert.deepEqual(fields, [
      { name: 'a', value: '1' },
      { name: 'b', value: '2' },
    ]);
  });

  it('readHeader returns no header if the first line is not a field', () => {
    assert.deepEqual(read('just text\nA: 1\n\nx'), { fields: [], bodyStart: 0 });
    assert.deepEqual(read('\nbody: 1\n'), { fields: [], bodyStart: 1 });
  });

  it('readHeader decodes octets outside ASCII as UTF-8, or as windows-1252 if invalid', () => {
    assert.equal(fieldValue(read(Buffer.from('S: ü\n\n').toString('latin1')).fields, 's'), 'ü');
    assert.equal(fieldValue(read('S: \xfc\n\n').fields, 's'), 'ü');
  });

  it('readHeader limits the fields of a hostile header', () => {
    const many = read('A: 1\n'.repeat(100_000));
    assert.ok(many.fields.length <= 2_000);
    const long = read(`A: ${' x'.repeat(1_000_000)}\nB: 1\n\n`);
    assert.ok((fieldValue(long.fields, 'a') ?? '').length <= 16_384);
    const folded = read(`A: 1\n${' y\n'.repeat(1_000_000)}`);
    assert.ok((fieldValue(folded.fields, 'a') ?? '').length <= 16_384);
  });

  it('readHeader never throws for any octets, and never reads outside its range', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), fc.nat(300), (octets, a, b) => {
        const raw = Buffer.from(octets);
        const [start, end] = [Math.min(a, b, raw.length), Math.min(Math.max(a, b), raw.length)];
        const { bodyStart } = readHeader(raw, start, end);
        assert.ok(bodyStart >= start && bodyStart <= end);
      }),
    );
  });
});
