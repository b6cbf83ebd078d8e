import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SpamLevel } from '../../model/spam-levels.ts';
import type { Authentication, DmarcPolicy } from '../authenticate/authentication.ts';
import { type SpamDecision, folderForVerdict, type SpamVerdict, spamStatus, verdictOf } from './verdict.ts';

const GENUINE: Authentication = {
  spf: { result: 'pass', domain: 'acme.example' },
  dkim: [],
  dmarc: { result: 'pass', domain: 'acme.example', published: 'reject' },
  arc: { result: 'none', sealers: [] },
  iprev: { result: 'pass', name: 'mx.acme.example' },
  policy: 'none',
  header: '',
};

function folderAt(level: SpamLevel, score: number, policy: DmarcPolicy = 'none'): SpamDecision['outcome'] {
  return folderForVerdict({ ...GENUINE, policy }, { score, reasons: [] }, level).outcome;
}

const BOUNDS: [level: SpamLevel, junk: number, refuse: number][] = [
  ['low', 10, 25],
  ['medium', 6, 15],
  ['high', 4, 10],
];

describe('the verdict on a message', () => {
  for (const [level, junk, refuse] of BOUNDS) {
    it(`at the level ${level} is Junk from a score of ${junk} and rejection from a score of ${refuse}`, () => {
      assert.equal(folderAt(level, junk - 0.1), 'inbox');
      assert.equal(folderAt(level, junk), 'junk');
      assert.equal(folderAt(level, refuse - 0.1), 'junk');
      assert.equal(folderAt(level, refuse), 'refuse');
    });

    it(`at the level ${level} follows the DMARC policy of the author's domain`, () => {
      assert.equal(folderAt(level, 0, 'quarantine'), 'junk');
      assert.equal(folderAt(level, 0, 'reject'), 'refuse');
    });
  }

  it('at the level off ignores the spam score and never rejects the message', () => {
    assert.equal(folderAt('off', 1_000), 'inbox');
    assert.equal(folderAt('off', 0, 'quarantine'), 'junk');
    assert.equal(folderAt('off', 0, 'reject'), 'junk');
  });

  it('lets no learned words speak for a message of a marked sender', () => {
    const marked = { rule: 'SENDER_MARKED', weight: Infinity };
    for (const rule of ['LEARNED_05', 'LEARNED_20', 'LEARNED_WANTED'])
      assert.equal(verdictOf([marked, { rule, weight: -2.5 }], 'medium').score, 6);
    const { score } = verdictOf([marked, { rule: 'SENDER_SAFE', weight: -100 }], 'medium');
    assert.equal(score, -94);
  });

  it('rejects only if the rules that are no estimates suffice for it', () => {
    const estimates = [
      { rule: 'LEARNED_VARIANT', weight: 6 },
      { rule: 'SENDER_MARKED', weight: 6 },
      { rule: 'VERY_LIKE_SPAM', weight: 6 },
      { rule: 'NAME_IS_OTHER_COMPANY', weight: 3 },
    ];
    const placeOf = (reasons: SpamVerdict['reasons']) =>
      folderForVerdict(GENUINE, verdictOf(reasons, 'medium'), 'medium').outcome;
    const rules = (weight: number) => [{ rule: 'FILE_PROGRAM', weight }];
    assert.equal(placeOf(estimates), 'junk');
    assert.equal(placeOf([...estimates, ...rules(14.9)]), 'junk');
    assert.equal(placeOf([...estimates, ...rules(15)]), 'refuse');
    assert.equal(placeOf([{ rule: 'SENDER_KNOWN', weight: -3 }, ...rules(17.9)]), 'junk');
  });

  it('names the domain whose policy rejects the message', () => {
    const refused = folderForVerdict({ ...GENUINE, policy: 'reject' }, { score: 0, reasons: [] }, 'medium');
    assert.deepEqual(refused, {
      outcome: 'refuse',
      reply: '5.7.1 acme.example has a DMARC policy that rejects this message',
    });
  });
});

describe('X-Spam-Status', () => {
  const verdict: SpamVerdict = {
    score: 6.5,
    reasons: [
      { rule: 'NO_DATE', weight: 1.5 },
      { rule: 'URL_IP', weight: 5 },
    ],
  };

  it('contains the verdict for the spam level, the score and the reasons', () => {
    assert.equal(spamStatus(verdict, 'medium'), 'Yes, score=6.5 required=6.0 tests=NO_DATE(1.5), URL_IP(5)');
    assert.equal(spamStatus(verdict, 'low'), 'No, score=6.5 required=10.0 tests=NO_DATE(1.5), URL_IP(5)');
    assert.equal(spamStatus({ score: 0, reasons: [] }, 'off'), 'No, score=0.0 tests=none');
  });
});
