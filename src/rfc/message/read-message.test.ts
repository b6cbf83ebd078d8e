import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import { baseSubject } from './base-subject.ts';
import { readMessageIds } from './message-ids.ts';
import { readDate } from './read-date.ts';

const DATES: readonly [text: string, iso: string | null][] = [
  ['Fri, 21 Nov 1997 09:55:06 -0600', '1997-11-21T15:55:06.000Z'],
  ['21 Nov 97 09:55:06 GMT', '1997-11-21T09:55:06.000Z'],
  ['Thu,\t13 Feb 1969 23:32 -0330 (Newfoundland Time)', '1969-02-14T03:02:00.000Z'],
  ['1 Jan 20 00:00:00 EST', '2020-01-01T05:00:00.000Z'],
  ['1 Jan 120 00:00:00 Z', '2020-01-01T00:00:00.000Z'],
  ['Mon, 1 January 2024 1:02:03 +0530', '2023-12-31T19:32:03.000Z'],
  ['1 Jan 2024', '2024-01-01T00:00:00.000Z'],
  ['31 Dec 2016 23:59:60 +0000', '2017-01-01T00:00:00.000Z'],
  ['31 Feb 2024 00:00:00 +0000', null],
  ['1 Jan 2024 25:00:00 +0000', null],
  ['1 Foo 2024 01:00:00 +0000', null],
  ['1 anf 2024 01:00:00 +0000', null],
  ['yesterday', null],
  ['', null],
];

const SUBJECTS: readonly [subject: string, base: string][] = [
  ['', ''],
  ['hello', 'hello'],
  ['Re: hello', 'hello'],
  ['RE : re:Fwd: FW: hello', 'hello'],
  ['Re[2]: hello', 'hello'],
  ['[list] Re: [list] hello', 'hello'],
  ['[a] [b] Re: hello (fwd) (FWD) ', 'hello'],
  ['[Fwd: Re: hello]', 'hello'],
  ['[fwd: [fwd: hello] (fwd)]', 'hello'],
  ['[only a blob]', '[only a blob]'],
  ['Re: [blob]', '[blob]'],
  ['Re:', ''],
  ['Aw: hello', 'Aw: hello'],
  ['one  \t two', 'one two'],
  ['Remember: this', 'Remember: this'],
];

describe('readDate', () => {
  for (const [text, iso] of DATES) {
    it(`readDate reads ${JSON.stringify(text)}`, () => {
      assert.equal(readDate(text)?.at.toISOString() ?? null, iso);
    });
  }

  it('readDate returns the original of any formatted date', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('1950-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          date.setUTCMilliseconds(0);
          assert.equal(readDate(date.toUTCString())?.at.getTime(), date.getTime());
        },
      ),
    );
  });
});

describe('baseSubject', () => {
  for (const [subject, base] of SUBJECTS) {
    it(`baseSubject returns ${JSON.stringify(base)} for ${JSON.stringify(subject)}`, () => {
      assert.equal(baseSubject(subject), base);
    });
  }

  it('baseSubject takes bounded time', () => {
    for (const unit of ['[a]', '[', 'Re:', 'Re', ' ', '(fwd)', '[fwd:', 'Re[', '[] ', 're [a']) {
      const usedMs = processorClock();
      baseSubject(unit.repeat(20_000));
      assert.ok(usedMs() < 1_000, unit);
    }
  });
});

describe('readMessageIds', () => {
  it('readMessageIds returns each id once, without folding, comments and words in between', () => {
    assert.deepEqual(readMessageIds('<a@b> your message\t<c@\r\n d> (x) <a@b> <> e@f <g', 10), [
      '<a@b>',
      '<c@d>',
    ]);
  });

  it('readMessageIds returns the first id and the last ids of a list that is too long', () => {
    const ids = Array.from({ length: 20 }, (_, n) => `<${n}@x>`);
    assert.deepEqual(readMessageIds(ids.join(''), 3), ['<0@x>', '<18@x>', '<19@x>']);
    assert.deepEqual(readMessageIds(ids.join(''), 1), ['<0@x>']);
  });
});
