import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { crlfGrowth, MultiLine, TopOfMessage } from './multi-line.ts';

const cases: [message: string, lines: string][] = [
  ['a\r\n', 'a\r\n.\r\n'],
  ['a', 'a\r\n.\r\n'],
  ['a\nb\n', 'a\r\nb\r\n.\r\n'],
  ['a\r', 'a\r\r\n.\r\n'],
  ['a\rb\r\n', 'a\rb\r\n.\r\n'],
  ['.\r\n', '..\r\n.\r\n'],
  ['a\r\n.\r\n..b\r\n', 'a\r\n..\r\n...b\r\n.\r\n'],
  ['a\n.\n', 'a\r\n..\r\n.\r\n'],
  ['\n\n', '\r\n\r\n.\r\n'],
  ['', '.\r\n'],
];
describe('MultiLine', () => {
  for (const [message, lines] of cases)
    test(`MultiLine dot-stuffs and terminates ${JSON.stringify(message)}`, () => {
      const out = new MultiLine();
      assert.equal(out.push(Buffer.from(message)).toString() + out.end(), lines);
    });
});

/** Removes the dot-stuffing of RFC 1939, line by line. */
function unstuffed(sent: string): string {
  assert.match(sent, /(?:^|\r\n)\.\r\n$/);
  return sent.slice(0, -3).replace(/(^|\r\n)\./g, '$1');
}

const octets = fc
  .array(fc.constantFrom('.', '\r\n', '\r', '\n', 'a', '\0', 'é', '\r\n.\r\n'), { maxLength: 60 })
  .map((parts) => Buffer.from(parts.join('')));
const cuts = fc.array(fc.nat(30), { maxLength: 10 });

test('MultiLine sends any message, in chunks of any size, with CRLF line endings and with as many bytes as `STAT` and `LIST` report', () => {
  fc.assert(
    fc.property(octets, cuts, (message, sizes) => {
      const out = new MultiLine();
      let sent = '';
      let at = 0;
      for (const size of [...sizes, message.length]) {
        sent += out.push(message.subarray(at, at + size)).toString('latin1');
        at += size;
      }
      const received = unstuffed(sent + out.end());
      assert.equal(received.length, message.length + crlfGrowth(message));
      assert.ok(received === '' || received.endsWith('\r\n'));
      assert.equal(
        received.replaceAll('\r\n', '\n').replace(/\n$/, ''),
        message.toString('latin1').replaceAll('\r\n', '\n').replace(/\n$/, ''),
      );
    }),
  );
});

test('MultiLine does not copy a chunk without changes', () => {
  const message = Buffer.from('a: b\r\n\r\n text.\r\n');
  assert.equal(new MultiLine().push(message), message);
});

const tops: [message: string, lines: number, top: string][] = [
  ['a: b\r\n\r\none\r\ntwo\r\n', 0, 'a: b\r\n\r\n'],
  ['a: b\r\n\r\none\r\ntwo\r\n', 1, 'a: b\r\n\r\none\r\n'],
  ['a: b\r\n\r\none\r\ntwo\r\n', 9, 'a: b\r\n\r\none\r\ntwo\r\n'],
  ['a: b\n\none\ntwo', 1, 'a: b\n\none\n'],
  ['a: b\r\n\r\n\r\n\r\nx', 1, 'a: b\r\n\r\n\r\n'],
  ['a: b\r\n', 0, 'a: b\r\n'],
  ['\r\nx\r\ny', 1, '\r\nx\r\n'],
  ['', 5, ''],
];
describe('TopOfMessage', () => {
  for (const [message, lines, expected] of tops)
    test(`TopOfMessage returns the header and ${lines} lines of ${JSON.stringify(message)}`, () => {
      for (const size of [1, 3, 100]) {
        const top = new TopOfMessage(lines);
        let shown = '';
        for (let at = 0; at < message.length && !top.isOver; at += size)
          shown += top.take(Buffer.from(message.slice(at, at + size))).toString();
        assert.equal(shown, expected);
      }
    });
});
