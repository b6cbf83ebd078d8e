import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { anyText } from '../../../test/support/any-text.ts';
import { FLAG } from '../../store/flags.ts';
import { readMessageFacts } from '../../store/facts/message-facts.ts';
import { normalForm } from '../../store/search/normal-form.ts';
import { applyFilters, type FilterActions } from './apply-filters.ts';
import { isBlocked } from './sender-lists.ts';
import { compileRule } from './compile-rule.ts';
import { comparing } from './compile-rule.ts';
import { MailTexts } from './mail-texts.ts';
import { actionFrom, conditionFrom, wordsOfAction, wordsOfCondition } from './rule-words.ts';

const MESSAGE = [
  'From: =?utf-8?q?Andr=C3=A9_M=C3=BCller?= <andre@news.shop.example>',
  'To: Anna <anna@acme.example>, team@acme.example',
  'Cc: Boss <boss@acme.example>',
  'Subject: Your =?utf-8?q?Stra=C3=9Fe?= invoice 4711',
  'List-Id: Shop News <news.shop.example>',
  'X-Order: 12',
  'X-Order: 34',
  '',
  'Hello',
  '',
].join('\r\n');

function mail(raw = MESSAGE) {
  const texts = new MailTexts(readMessageFacts(Buffer.from(raw)), [
    { name: 'Invoice March.PDF', type: 'application/pdf' },
  ]);
  return { texts, octets: 5_000, score: 2.5 };
}

interface Rule {
  if: string[];
  do?: string[];
  any?: true;
}

function filters(rules: readonly Rule[], blocks: readonly string[] = []) {
  return {
    rules: rules.map((rule) =>
      compileRule({
        name: 'a rule',
        isAny: rule.any === true,
        conditions: rule.if.map(conditionFrom),
        actions: (rule.do ?? ['flag']).map(actionFrom),
      }),
    ),
    blocks: new Set(blocks),
  };
}

const SENDERS = ['andre@news.shop.example', 'bounce@mailer.example'];
const apply = (rules: readonly Rule[], defaultFolder: 'inbox' | 'junk' = 'inbox', raw = MESSAGE) =>
  applyFilters(filters(rules), mail(raw), SENDERS, defaultFolder);

describe('a condition', () => {
  const cases: [words: string, isMet: boolean][] = [
    ['from contains @news.shop.example', true],
    ['from contains ANDRE MULLER', true],
    ['from is andre@news.shop.example', true],
    ['from is news.shop.example', false],
    ['from matches *@*.example', true],
    ['from matches *@other.example', false],
    ['from starts andre', true],
    ['not from contains andre', false],
    ['to contains boss@', true],
    ['to is anna', true],
    ['to is nobody@acme.example', false],
    ['subject contains strasse', true],
    ['subject contains INVOICE 4711', true],
    ['subject starts your', true],
    ['subject matches *invoice*', true],
    ['subject matches invoice*', false],
    ['subject matches your*your*', false],
    ['subject is your strasse invoice 4711', true],
    ['list is news.shop.example', true],
    ['list contains shop news', true],
    ['list is other.example', false],
    ['header X-Order is 34', true],
    ['header x-order is 3', false],
    ['header X-Order matches *', true],
    ['header X-Other matches *', false],
    ['not header X-Other matches *', true],
    ['file matches *.pdf', true],
    ['file is application/pdf', true],
    ['file contains march', true],
    ['file matches *.exe', false],
    ['size over 4k', true],
    ['size over 5M', false],
    ['size under 5001', true],
    ['spam over 2', true],
    ['spam over 2.5', false],
    ['not spam under 3', false],
    ['spam over -1', true],
  ];
  for (const [words, isMet] of cases) {
    test(`"${words}" ${isMet ? 'matches' : 'does not match'} the message`, async () => {
      assert.equal((await apply([{ if: [words] }])).flags, isMet ? FLAG.flagged : 0);
    });
    test(`"${words}" as a condition is unchanged after a round trip`, () => {
      const condition = conditionFrom(words);
      assert.deepEqual(conditionFrom(wordsOfCondition(condition)), condition);
    });
  }

  for (const words of [
    '',
    'from',
    'from contains',
    'body contains x',
    'size over big',
    'spam over 3k',
    'header contains x',
  ]) {
    test(`rejects "${words}" as invalid`, () => assert.throws(() => conditionFrom(words), /valid/));
  }

  test('a value of invisible characters matches nothing', async () => {
    assert.equal((await apply([{ if: ['from contains \u200b'] }])).flags, 0);
  });
});

describe('the conditions of a rule', () => {
  const [met, unmet] = ['subject contains invoice', 'subject contains holiday'];
  test('must all match by default', async () => {
    assert.equal((await apply([{ if: [met, unmet] }])).flags, 0);
    assert.equal((await apply([{ if: [met, met] }])).flags, FLAG.flagged);
  });
  test('match with "any" if at least one of them matches', async () => {
    assert.equal((await apply([{ if: [unmet, met], any: true }])).flags, FLAG.flagged);
    assert.equal((await apply([{ if: [unmet], any: true }])).flags, 0);
  });
});

describe('actions', () => {
  const always = ['size over 0'];
  const INBOX: FilterActions = {
    folder: { role: 'inbox' },
    flags: 0,
    keywords: [],
    forwardTo: [],
    refusal: null,
  };
  const TRASH = { ...INBOX, folder: { role: 'trash' as const } };
  const filed = (name: string) => ({ ...INBOX, folder: { name, otherwise: 'inbox' as const } });
  const cases: [name: string, rules: Rule[], actions: FilterActions][] = [
    ['file', [{ if: always, do: ['file Shop/Invoices'] }], filed('Shop/Invoices')],
    [
      'mark read and flag',
      [{ if: always, do: ['mark read', 'flag'] }],
      { ...INBOX, flags: FLAG.seen | FLAG.flagged },
    ],
    ['keyword', [{ if: always, do: ['keyword Work'] }], { ...INBOX, keywords: ['Work'] }],
    ['forward', [{ if: always, do: ['forward b@EXAMPLE.org'] }], { ...INBOX, forwardTo: ['b@example.org'] }],
    ['delete', [{ if: always, do: ['delete'] }], TRASH],
    [
      'refuse',
      [{ if: always, do: ['flag', 'refuse No, thanks'] }],
      { ...TRASH, refusal: '5.7.1 No, thanks' },
    ],
    [
      'the first rule with a folder wins, and the flags of all rules apply',
      [
        { if: always, do: ['file One', 'mark read'] },
        { if: always, do: ['file Two', 'flag'] },
      ],
      { ...filed('One'), flags: FLAG.seen | FLAG.flagged },
    ],
    [
      'stop skips later rules',
      [
        { if: always, do: ['file One', 'stop'] },
        { if: always, do: ['flag'] },
      ],
      filed('One'),
    ],
    [
      'at most five forwards apply',
      Array.from({ length: 6 }, (_, n) => ({ if: always, do: [`forward b${n}@example.org`] })),
      { ...INBOX, forwardTo: Array.from({ length: 5 }, (_, n) => `b${n}@example.org`) },
    ],
  ];
  for (const [name, rules, actions] of cases) {
    test(name, async () => assert.deepEqual(await apply(rules), actions));
  }

  for (const words of [
    'file A/B',
    'mark read',
    'flag',
    'keyword work',
    'forward b@example.org',
    'delete',
    'refuse No',
    'stop',
  ]) {
    test(`"${words}" as an action is unchanged after a round trip`, () =>
      assert.equal(wordsOfAction(actionFrom(words)), words));
  }
  for (const words of [
    '',
    'file',
    'file a*',
    'file /',
    'keyword two words',
    'forward nobody',
    'forward N <b@x.example>',
    'forward b@[192.0.2.1]',
    'explode',
  ]) {
    test(`rejects "${words}" as invalid`, () => assert.throws(() => actionFrom(words), /valid/));
  }

  test('spam stays in Junk, whatever rules without a score condition say', async () => {
    const actions = await apply(
      [{ if: always, do: ['file Friends', 'flag', 'forward b@example.org'] }],
      'junk',
    );
    assert.deepEqual(actions, { ...INBOX, folder: { role: 'junk' } });
  });

  test('a rule with a score condition also applies to mail in Junk, but does not forward such mail', async () => {
    const rules = [{ if: ['spam over 1'], do: ['delete', 'mark read', 'forward b@example.org'] }];
    assert.deepEqual(await apply(rules, 'junk'), { ...TRASH, flags: FLAG.seen });
  });
});

describe('the block list', () => {
  const cases: [blocked: string, address: string, isBlocked: boolean][] = [
    ['b@shop.example', 'B@Shop.example', true],
    ['b@shop.example', 'bb@shop.example', false],
    ['shop.example', 'b@shop.example', true],
    ['shop.example', 'b@news.shop.example', true],
    ['shop.example', 'b@myshop.example', false],
    ['shop.example', 'b@shop.example.org', false],
    ['b.example', 'b@[192.0.2.1]', false],
    ['example', 'b', false],
  ];
  for (const [blocked, address, expected] of cases) {
    test(`with ${blocked} ${expected ? 'blocks' : 'does not block'} ${address}`, () =>
      assert.equal(isBlocked(new Set([blocked]), [address]), expected));
  }

  test('runs before all rules, and checks From and the return path', async () => {
    const rules = [{ if: ['size over 0'], do: ['file One', 'stop'] }];
    for (const sender of ['shop.example', 'bounce@mailer.example']) {
      const actions = await applyFilters(filters(rules, [sender]), mail(), SENDERS, 'inbox');
      assert.match(actions.refusal ?? '', /^5\.7\.1 /);
      assert.deepEqual(actions.folder, { role: 'trash' });
    }
  });

  test('matches an internationalized domain', async () => {
    const actions = await applyFilters(
      filters([], ['xn--bcher-kva.example']),
      mail(),
      ['b@bücher.example'],
      'inbox',
    );
    assert.notEqual(actions.refusal, null);
  });
});

describe('for any pattern and text', () => {
  test('a pattern matches its own text with each star replaced by letters', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z]*$/), { minLength: 1 }),
        fc.string(),
        (parts, between) => {
          const filler = between.toLowerCase().replaceAll(/[^a-z]/g, '');
          assert.equal(comparing('matches', parts.join('*'))(normalForm(parts.join(filler))), true);
        },
      ),
    );
  });

  test('matching never throws, and takes linear time', () => {
    fc.assert(
      fc.property(anyText(), anyText(), (value, text) => {
        for (const how of ['contains', 'is', 'starts', 'matches'] as const) comparing(how, value)(text);
      }),
    );
    const pattern = comparing('matches', `${'*a'.repeat(200)}*b`);
    assert.equal(pattern('a'.repeat(1_000_000)), false);
  });

  test('conditions never throw for any message', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), async (octets) => {
        const raw = Buffer.from(octets).toString('latin1');
        const rules = [
          { if: ['not subject is x', 'not header x is y', 'not list is z', 'not from is f', 'not to is t'] },
        ];
        assert.equal((await apply(rules, 'inbox', raw)).flags, FLAG.flagged);
      }),
    );
  });
});
