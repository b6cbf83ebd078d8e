import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../../test/support/property-runs.ts';
import { threadStepByStep } from './thread.fixture.ts';
import { threadByReferences, threadBySubject, type ThreadedMessage } from './thread.ts';

const yieldToOthers = async (): Promise<void> => {};

/** Creates messages. Missing fields get the values of a message without headers. */
function messagesOf(made: readonly Partial<Omit<ThreadedMessage, 'number'>>[]): ThreadedMessage[] {
  const plain = { messageId: null, ancestors: [], baseSubject: '', isAnswer: false };
  return made.map((one, at) => ({ ...plain, sentAtMs: at, ...one, number: at + 1 }));
}

async function threadsOf(made: readonly Partial<Omit<ThreadedMessage, 'number'>>[]): Promise<string> {
  return (await threadByReferences(messagesOf(made), yieldToOthers)).join('');
}

describe('threadByReferences', () => {
  it('threadByReferences puts replies under their parent, oldest first', async () => {
    const made = [
      { messageId: '<a>', sentAtMs: 10 },
      { messageId: '<b>', ancestors: ['<a>'], sentAtMs: 40 },
      { messageId: '<c>', ancestors: ['<a>', '<b>'], sentAtMs: 50 },
      { messageId: '<d>', ancestors: ['<a>'], sentAtMs: 30 },
    ];
    assert.equal(await threadsOf(made), '(1 (4)(2 3))');
    assert.equal(await threadsOf([]), '');
  });

  it('threadByReferences groups replies to a missing message', async () => {
    assert.equal(await threadsOf([{ ancestors: ['<x>'] }, { ancestors: ['<x>'] }]), '((1)(2))');
    assert.equal(await threadsOf([{ ancestors: ['<x>', '<y>'] }]), '(1)');
  });

  it('threadByReferences ignores quotes in ids, and uses the first of two messages with the same id', async () => {
    assert.equal(await threadsOf([{ messageId: '<"a\\"b"@c>' }, { ancestors: ['<a"b@c>'] }]), '(1 2)');
    const made = [{ messageId: '<a>' }, { messageId: '<a>' }, { ancestors: ['<a>'] }];
    assert.equal(await threadsOf(made), '(1 3)(2)');
  });

  it('threadByReferences merges threads with the same subject', async () => {
    const one = { baseSubject: 'one' };
    assert.equal(await threadsOf([one, { ...one, isAnswer: true }]), '(1 2)');
    assert.equal(await threadsOf([{ ...one, isAnswer: true }, one]), '(2 1)');
    assert.equal(await threadsOf([one, one]), '((1)(2))');
    assert.equal(
      await threadsOf([{ ...one, ancestors: ['<x>'] }, { ...one, ancestors: ['<x>'] }, one]),
      '((1)(2)(3))',
    );
  });

  it('threadByReferences lists each message once for any references, and terminates', async () => {
    const anyId = fc.constantFrom('<a>', '<b>', '<c>', '<d>', '<"a">');
    const anyMessage = fc.record({
      messageId: fc.option(anyId),
      ancestors: fc.array(anyId, { maxLength: 4 }),
      baseSubject: fc.constantFrom('', 'one', 'two'),
      isAnswer: fc.boolean(),
      sentAtMs: fc.integer({ min: 0, max: 5 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyMessage, { maxLength: 12 }), async (made) => {
        for (const text of [
          await threadsOf(made),
          (await threadBySubject(messagesOf(made), yieldToOthers)).join(''),
        ]) {
          const numbers = (text.match(/\d+/g) ?? []).map(Number).sort((a, b) => a - b);
          assert.deepEqual(
            numbers,
            made.map((_, at) => at + 1),
            text,
          );
          assert.ok(!/\( | \)|\(\)|\) /.test(text), text);
          let depth = 0;
          for (const sign of text) {
            depth += sign === '(' ? 1 : sign === ')' ? -1 : 0;
            assert.ok(depth >= 0);
          }
          assert.equal(depth, 0);
        }
      }),
      { numRuns: runs(500) },
    );
  });

  it('threadByReferences returns the result of the steps of RFC 5256 for any messages', async () => {
    const anyMessages = fc.integer({ min: 1, max: 40 }).chain((ids) => {
      const anyId = fc.integer({ min: 1, max: ids }).map((id) => `<${id}@example.com>`);
      return fc.array(
        fc.record({
          messageId: fc.option(anyId),
          ancestors: fc.array(anyId, { maxLength: 6 }),
          baseSubject: fc.constantFrom('', 'one', 'two', 'three'),
          isAnswer: fc.boolean(),
          sentAtMs: fc.integer({ min: 0, max: 9 }),
        }),
        { maxLength: 30 },
      );
    });
    await fc.assert(
      fc.asyncProperty(anyMessages, async (made) => {
        assert.equal(await threadsOf(made), threadStepByStep(messagesOf(made)));
      }),
      { numRuns: runs(500) },
    );
  });

  it('threadBySubject lists the messages of each subject under the first one, by time', async () => {
    const made = [
      { baseSubject: 'one', sentAtMs: 3 },
      { baseSubject: 'two', sentAtMs: 2 },
      { baseSubject: 'one', sentAtMs: 1 },
      { baseSubject: 'one', sentAtMs: 1 },
    ];
    assert.equal((await threadBySubject(messagesOf(made), yieldToOthers)).join(''), '(3 (4)(1))(2)');
  });

  it('threadByReferences threads chains of replies of any depth', async () => {
    const made = Array.from({ length: 20_000 }, (_, n) => ({
      messageId: `<${n}>`,
      ancestors: n === 0 ? [] : [`<${n - 1}>`],
    }));
    const text = await threadsOf(made);
    assert.equal((text.match(/\d+/g) ?? []).length, made.length);
    // In reverse order, each message becomes the parent of all earlier messages.
    assert.ok((await threadsOf(made.toReversed())).startsWith('(20000 19999 '));
  });

  it('threadByReferences groups messages at all levels of a chain of ids without messages, however long it is', async () => {
    // Attack: if each level of the chain had a list of the messages below it, the lists would take several gigabytes.
    const made = Array.from({ length: 3_000 }, (_, n) => ({
      ancestors: Array.from({ length: 100 }, (_unused, at) => `<${(n + 1) * 99 - at}>`),
    }));
    assert.equal(await threadsOf(made), `(${made.map((_, n) => `(${n + 1})`).join('')})`);
  });

  it('threadByReferences sorts large sets by time, and messages with the same time by arrival', async () => {
    const made = Array.from({ length: 5_500 }, (_, n) => ({
      messageId: `<${n}>`,
      sentAtMs: (n * 7_919) % 1_000,
    }));
    const expected = messagesOf(made).sort((a, b) => a.sentAtMs - b.sentAtMs);
    assert.equal(await threadsOf(made), expected.map(({ number }) => `(${number})`).join(''));
  });

  it('threadByReferences yields to the event loop after a fixed amount of work, not after a number of messages', async () => {
    const yieldsFor = async (made: Parameters<typeof messagesOf>[0], thread = threadByReferences) => {
      let yields = 0;
      await thread(messagesOf(made), async () => void yields++);
      return yields;
    };
    const plain = Array.from({ length: 20_000 }, (_, n) => ({ messageId: `<${n}>`, baseSubject: `${n}` }));
    const byReferences = await yieldsFor(plain);
    assert.ok(byReferences > 10 && byReferences < 200, `${byReferences}`);
    const bySubject = await yieldsFor(plain, threadBySubject);
    assert.ok(bySubject > 10 && bySubject < 200, `${bySubject}`);
    // Each message makes one chain of ids a hundred levels deeper.
    const hostile = Array.from({ length: 150 }, (_, n) => ({
      ancestors: Array.from({ length: 100 }, (_unused, at) => `<${n * 99 + at}>`),
    }));
    const chained = await yieldsFor(hostile);
    assert.ok(chained > 100, `${chained}`);
  });
});
