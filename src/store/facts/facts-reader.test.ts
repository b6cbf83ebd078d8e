import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FactsReader } from './facts-reader.ts';
import { type MessageFacts, readMessageFacts } from './message-facts.ts';
import { PartsReader } from './parts-reader.ts';
import { READINGS } from './readings.ts';
import { TIMINGS } from './timings.ts';

const MIB = 1_048_576;
const HEAD = 'From: Zoë <z@x.test>\r\nSubject: large\r\nMIME-Version: 1.0\r\n';

/** A message with a text part, and an attachment of about this many octets. */
function withAttachment(octets: number): Buffer {
  const base64 = `${'QUJD'.repeat(19)}\r\n`;
  return Buffer.from(
    `${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\nthe words\r\n` +
      '--b\r\nContent-Type: application/pdf; name="a.pdf"\r\nContent-Transfer-Encoding: base64\r\n\r\n' +
      `${base64.repeat(Math.ceil(octets / base64.length))}\r\n--b--\r\n`,
  );
}

describe('FactsReader', () => {
  it('reads small messages inline and large ones in a thread, with the same result', async () => {
    await using reader = new FactsReader();
    const small = withAttachment(10_000);
    assert.deepEqual(reader.read(small), readMessageFacts(small));
    const large = [withAttachment(100_000), withAttachment(MIB)];
    const read = await Promise.all(large.map(async (raw) => reader.read(raw)));
    assert.deepEqual(
      read,
      large.map((raw) => readMessageFacts(raw)),
    );
    assert.equal((read[1] as MessageFacts).preview, 'the words');
  });

  it('returns only the facts from the header if reading a message takes too long', async () => {
    const timings = { ...TIMINGS, threadAnswerMs: 0 };
    await using reader = new FactsReader({ timings });
    const raw = withAttachment(MIB);
    const facts = await reader.read(raw);
    assert.equal(facts.subject, 'large');
    assert.match(facts.bodyStructure, /^\("application" "octet-stream" NIL NIL NIL "binary" \d+ NIL/);
    timings.threadAnswerMs = TIMINGS.threadAnswerMs;
    assert.deepEqual(await reader.read(raw), readMessageFacts(raw));
  });

  it('does not block the event loop', async () => {
    await using reader = new FactsReader();
    await reader.read(withAttachment(MIB));
    const raw = withAttachment(10 * MIB);
    let ticks = 0;
    let isDone = false;
    const tick = (): void => {
      ticks++;
      if (!isDone) setImmediate(tick);
    };
    tick();
    await reader.read(raw);
    isDone = true;
    // The event loop runs between the steps in which the message is copied for the thread.
    assert.ok(ticks >= 10, `${ticks}`);
  });
});

describe('PartsReader', () => {
  it('finds the parts of small and of large messages', async () => {
    await using reader = new PartsReader();
    for (const octets of [1_000, 100_000]) {
      const raw = withAttachment(octets);
      const parts = await reader.read(raw);
      assert.deepEqual(parts, READINGS.parts.read(raw));
      assert.equal(parts.parts.length, 2);
    }
    const raw = withAttachment(MIB);
    await using late = new PartsReader({ timings: { ...TIMINGS, threadAnswerMs: 0 } });
    const { bodyStart, end, parts } = await late.read(raw);
    assert.deepEqual([bodyStart, end, parts], [READINGS.parts.read(raw).bodyStart, raw.length, []]);
  });
});
