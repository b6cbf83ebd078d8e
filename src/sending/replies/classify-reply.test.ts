import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { BOUNCE_REPLIES, BOUNCE_SENTENCES, BOUNCE_WORDINGS } from '../../../test/support/bounce-replies.ts';
import { processorClock } from '../../../test/support/processor-time.ts';
import { BOUNCE_CATEGORIES } from '../../model/bounce.ts';
import { classifyReply, type ReportedReply } from './classify-reply.ts';
import { findEnhancedCodes, findReplyCode } from './reply-codes.ts';
import { CAUSES, EXISTS, NOT, TAKES, THINGS, WRONGS } from './vocabulary.ts';

function read(reply: string): ReportedReply {
  return { replyCode: findReplyCode(reply), enhancedCode: findEnhancedCodes(reply)[0] ?? null, text: reply };
}

describe('classifyReply', () => {
  for (const [provider, reply, [type, category, suppress]] of BOUNCE_REPLIES) {
    it(`classifies a reply of ${provider}: ${reply.slice(0, 90)}`, () => {
      assert.deepEqual(classifyReply(read(reply)), { type, category, suppress: suppress !== undefined });
    });
  }

  for (const [[type, category, suppress], ...sentences] of BOUNCE_SENTENCES) {
    it(`classifies ${sentences.length} sentences as ${type} ${category}`, () => {
      for (const sentence of sentences) {
        const classified = classifyReply({ replyCode: 550, enhancedCode: null, text: sentence });
        assert.deepEqual(classified, { type, category, suppress: suppress !== undefined }, sentence);
      }
    });
  }

  it('distinguishes dead addresses from live addresses in other wordings', () => {
    for (const type of ['hard', 'soft'] as const) {
      for (const wording of BOUNCE_WORDINGS[type]) {
        const classified = classifyReply(read(wording));
        assert.equal(classified.type, type, wording);
        if (type === 'soft') assert.equal(classified.suppress, false, wording);
      }
    }
  });

  const none = { text: '', replyCode: null, enhancedCode: null };

  it('classifies a reply without text by its codes alone, if they are specific', () => {
    assert.deepEqual(classifyReply({ ...none, replyCode: 550, enhancedCode: '5.1.1' }), {
      type: 'hard',
      category: 'unknown_user',
      suppress: true,
    });
    assert.equal(classifyReply({ ...none, replyCode: 552, enhancedCode: '5.2.2' }).category, 'mailbox_full');
  });

  it('classifies a rejection without details as soft', () => {
    for (const replyCode of [null, 421, 451, 500, 550, 554]) {
      assert.equal(classifyReply({ ...none, replyCode }).type, 'soft');
    }
  });

  it('classifies 551 with a new address as a user who moved, however the sentences of the reply are joined', () => {
    for (const text of [
      'No longer here',
      'bob no longer works here',
      'Address changed',
      '<bob@dst.test>',
      'User not local',
    ]) {
      for (const between of ['; please try', '; try', ', please try', ' try', '. Please try', ' - try']) {
        const reply = { replyCode: 551, enhancedCode: null, text: `${text}${between} <new@example.org>` };
        const moved = { type: 'hard', category: 'unknown_user', suppress: false };
        assert.deepEqual(classifyReply(reply), moved, reply.text);
      }
    }
  });

  it('classifies 551 with another address by its text if the text names another cause', () => {
    const text = 'Relaying denied; please try <postmaster@example.org>';
    assert.equal(classifyReply({ replyCode: 551, enhancedCode: null, text }).category, 'policy');
    assert.equal(
      classifyReply({ replyCode: 551, enhancedCode: '5.7.1', text: 'Moved; try <a@b.test>' }).category,
      'policy',
    );
    assert.equal(
      classifyReply({ replyCode: 550, enhancedCode: null, text: 'Sorry; try <a@b.test>' }).type,
      'soft',
    );
  });

  it('suppresses no address after a reply of class 4 or 5.7.x, whatever the text', () => {
    for (const enhancedCode of ['4.1.1', '4.0.0', '5.7.0', '5.7.1', '5.7.26', '5.7.999']) {
      for (const [, text] of BOUNCE_REPLIES) {
        const { suppress } = classifyReply({ replyCode: null, enhancedCode, text });
        assert.equal(suppress, false, `${enhancedCode} ${text}`);
      }
    }
    assert.equal(classifyReply({ replyCode: 450, enhancedCode: null, text: 'no such user' }).type, 'soft');
  });

  it('finds no cause in the standard texts that reports put around replies', () => {
    const texts = [
      "I'm sorry to have to inform you that your message could not be delivered to one or more recipients. It's attached below. For further assistance, please send mail to postmaster.",
      'A message that you sent could not be delivered to one or more of its recipients. This is a permanent error. The following address(es) failed:',
      "I'm afraid I wasn't able to deliver your message to the following addresses. This is a permanent error; I've given up. Sorry it didn't work out.",
      '----- The following addresses had permanent fatal errors ----- ----- Transcript of session follows -----',
      'This is an automatically generated Delivery Status Notification. Delivery to the following recipients failed.',
      'This report relates to a message you sent with the following header fields: Your message cannot be delivered to the following recipients:',
      'Your message did not reach some or all of the intended recipients. The following recipient(s) could not be reached:',
      '** Message not delivered ** There was a problem delivering your message. See the technical details below.',
      'An error occurred while trying to deliver the mail to the following recipients:',
      'Diagnostic information for administrators: Generating server: mx.example.org',
    ];
    for (const text of texts) assert.equal(classifyReply({ ...none, text }).category, 'other', text);
  });

  const samples: readonly (readonly [ReportedReply])[] = [
    ...BOUNCE_REPLIES.map(([, reply]) => [read(reply)] as const),
    ...BOUNCE_SENTENCES.flatMap(([, ...sentences]) =>
      sentences.map((text) => [{ replyCode: 550, enhancedCode: null, text }] as const),
    ),
  ];

  it('has only vocabulary words that at least one sample needs', () => {
    const lower = samples.map(([{ text }]) => text.toLowerCase().replace(/\s+/g, ' '));
    const before = samples.map(([reply]) => JSON.stringify(classifyReply(reply)));
    const lists = [...[CAUSES, THINGS, WRONGS].flatMap((kinds) => Object.values(kinds)), EXISTS, NOT, TAKES];
    const idle: string[] = [];
    for (const list of lists as string[][]) {
      for (const [index, word] of [...list].entries()) {
        list.splice(index, 1);
        const isNeeded = samples.some(
          ([reply], at) =>
            lower[at]?.includes(word.replaceAll('*', '')) &&
            JSON.stringify(classifyReply(reply)) !== before[at],
        );
        list.splice(index, 0, word);
        if (!isNeeded) idle.push(word);
      }
    }
    assert.deepEqual(idle, []);
  });

  const unknown = fc.constantFrom(
    'No such user',
    'User unknown',
    'This user does not exist',
    "This user doesn't have a mailbox here",
    'The account could not be found',
    'Unknown recipient address',
  );
  const greeting = fc.constantFrom(
    '',
    'Sorry! ',
    'Message rejected. ',
    'Your message could not be delivered. ',
    'We refused this for policy reasons: ',
    'Guten Tag. ',
  );
  const advice = fc.constantFrom(
    '',
    '. For more information see https://mx.example/policy/spam-and-blocklists',
    '. Please contact your administrator',
    '. Message rejected due to local policy',
    '. We protect our users from spam and viruses',
    '. Check the address, and try again',
  );

  it('recognizes an unknown user, whatever text surrounds the sentence', () => {
    const codes = fc.constantFrom<[number, string | null]>(
      [550, null],
      [550, '5.1.1'],
      [554, '5.0.0'],
      [553, '5.3.0'],
    );
    fc.assert(
      fc.property(codes, greeting, unknown, advice, ([replyCode, enhancedCode], before, sentence, after) => {
        const reply = { replyCode, enhancedCode, text: `${replyCode} ${before}${sentence}${after}` };
        assert.deepEqual(classifyReply(reply), { type: 'hard', category: 'unknown_user', suppress: true });
      }),
    );
  });

  it('ranks an unknown-recipient code above general words such as "rejected" or "policy"', () => {
    const words = fc.constantFrom(
      'rejected',
      'denied',
      'policy',
      'blocked',
      'not allowed',
      'prohibited',
      'refused',
    );
    const code = fc.constantFrom('5.1.1', '5.1.2', '5.1.3');
    fc.assert(
      fc.property(code, fc.array(words, { maxLength: 5 }), (enhancedCode, list) => {
        const { type, suppress } = classifyReply({
          replyCode: 550,
          enhancedCode,
          text: `It was ${list.join(', ')}`,
        });
        assert.deepEqual([type, suppress], ['hard', true]);
      }),
    );
  });

  it('never suppresses the recipient if the sender is reported as unknown', () => {
    const sender = fc.constantFrom('sender', 'sender address', 'your address', 'return path', 'HELO name');
    const wrong = fc.constantFrom('unknown', 'does not exist', 'not found', 'invalid', 'rejected');
    fc.assert(
      fc.property(greeting, sender, wrong, advice, (before, thing, said, after) => {
        const text = `550 ${before}The ${thing} is ${said}${after}`;
        assert.equal(classifyReply({ replyCode: 550, enhancedCode: null, text }).suppress, false);
      }),
    );
  });

  it('ignores case and white space', () => {
    fc.assert(
      fc.property(
        greeting,
        unknown,
        advice,
        fc.constantFrom(' ', '  ', '\r\n ', '\t'),
        (before, sentence, after, space) => {
          const text = `550 ${before}${sentence}${after}`;
          for (const other of [text.toUpperCase(), text.toLowerCase(), text.replaceAll(' ', space)]) {
            assert.deepEqual(
              classifyReply({ ...none, replyCode: 550, text: other }),
              classifyReply({ ...none, replyCode: 550, text }),
            );
          }
        },
      ),
    );
  });

  it('never throws, and returns a valid type and category for any text', () => {
    const code = fc.option(fc.integer({ min: -1, max: 1_000 }), { nil: null });
    const enhanced = fc.option(fc.oneof(fc.string(), fc.constantFrom('5.1.1', '5.7.1', '4.2.2')), {
      nil: null,
    });
    fc.assert(
      fc.property(code, enhanced, anyText(), (replyCode, enhancedCode, text) => {
        const { type, category } = classifyReply({ replyCode, enhancedCode, text });
        assert.ok(type === 'hard' || type === 'soft');
        assert.ok(BOUNCE_CATEGORIES.includes(category));
      }),
    );
  });

  it('takes bounded time for hostile texts', () => {
    for (const unit of [
      'a',
      '@',
      'a@',
      ' ',
      '[',
      'a.',
      '1.',
      'user ',
      'mailbox ',
      '<a@b>',
      'in reply to ',
      '5.1.1 ',
    ]) {
      const usedMs = processorClock();
      classifyReply(read(unit.repeat(200_000)));
      assert.ok(usedMs() < 2_000, JSON.stringify(unit));
    }
  });
});
