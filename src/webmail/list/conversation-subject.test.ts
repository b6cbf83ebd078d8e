import assert from 'node:assert/strict';
import { test } from 'node:test';
import { conversationSubject } from './conversation-subject.ts';

test('the subject of a conversation has no prefixes of replies, but keeps tags', () => {
  for (const [subject, shown] of [
    ['The plans', 'The plans'],
    ['Re: The plans', 'The plans'],
    ['RE: Fwd: re[2]: The plans', 'The plans'],
    ['[dev] Re: The plans', '[dev] The plans'],
    ['Re: [dev] The plans', '[dev] The plans'],
    ['[urgent] The plans', '[urgent] The plans'],
    ['Report: The plans', 'Report: The plans'],
    ['Re:', 'Re:'],
    ['', ''],
  ] as const)
    assert.equal(conversationSubject(subject), shown);
});
