import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { spanContextOf, traceParentOf } from './trace-parent.ts';

const hex = (length: number) => fc.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`));
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

test('the context of a sampled span is unchanged after conversion to a traceparent and back', () => {
  fc.assert(
    fc.property(hex(32), hex(16), fc.integer({ min: 0, max: 127 }), (traceId, spanId, flags) => {
      fc.pre(!/^0+$/.test(traceId) && !/^0+$/.test(spanId));
      const traceFlags = flags * 2 + 1;
      const text = traceParentOf({ traceId, spanId, traceFlags });
      assert.match(text ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/);
      assert.deepEqual(spanContextOf(text ?? ''), { traceId, spanId, traceFlags, isRemote: true });
    }),
  );
});

test('a span that is not recorded has no traceparent', () => {
  assert.equal(traceParentOf({ traceId: TRACE, spanId: SPAN, traceFlags: 0 }), null);
  assert.equal(traceParentOf({ traceId: '0'.repeat(32), spanId: SPAN, traceFlags: 1 }), null);
  assert.equal(traceParentOf({ traceId: TRACE, spanId: '0'.repeat(16), traceFlags: 1 }), null);
});

test('an invalid traceparent is read as null', () => {
  const wrong = [
    '',
    `01-${TRACE}-${SPAN}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${'0'.repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}`,
  ];
  for (const text of wrong) assert.equal(spanContextOf(text), null, text);
  fc.assert(fc.property(fc.string(), (text) => spanContextOf(text) === null));
});
