import assert from 'node:assert/strict';
import { test } from 'node:test';
import { GENUINE } from '../../../receiving/spam/spam-mail.fixture.ts';
import { spamWords } from './spam-words.ts';

const VERDICT = {
  score: 3.2,
  reasons: [
    { rule: 'SUBJECT_SHOUTS', weight: 1.2 },
    { rule: 'SENDER_KNOWN', weight: -3 },
    { rule: 'X_OF_RSPAMD', weight: 5 },
    { rule: 'ADDRESS_LISTED:zen.spamhaus.org', weight: 2.9 },
    { rule: 'DOMAIN_LISTED:dbl.spamhaus.org', weight: 2.8 },
  ],
};

test('the spam check is explained with the score, the limit of the mailbox, and the reasons from the strongest to the weakest', () => {
  assert.deepEqual(spamWords(VERDICT, GENUINE, 'high'), {
    text: 'Spam score: 3.2. Mail with a score of 4 or more is put into Junk.',
    details: [
      '+5: X_OF_RSPAMD',
      '−3: the mailbox wrote to this author, or treated mail of this author or this mailing list as wanted',
      '+2.9: the sending address is on zen.spamhaus.org',
      '+2.8: a link leads to a domain on dbl.spamhaus.org',
      '+1.2: a Subject all in capitals',
    ],
  });
});

test('a DMARC policy is the reason for Junk whatever the score is, and a filter that is off is called off', () => {
  const forged = { ...GENUINE, policy: 'quarantine' as const };
  assert.match(
    spamWords(VERDICT, forged, 'medium')?.text ?? '',
    /^Put into Junk, because acme\.example asks/,
  );
  assert.match(spamWords(VERDICT, GENUINE, 'off')?.text ?? '', /is off/);
  assert.equal(spamWords(null, null, 'medium'), null);
});
