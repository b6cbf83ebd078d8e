import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readCorpus } from '../../../test/spam/corpus.ts';
import { HIGHEST_WEIGHT, packModel, spamLikeness, unpackModel } from './classifier.ts';
import { featuresOf } from './features.ts';
import { isLikeSpam, isVeryLikeSpam } from './rules.ts';
import { versionsOf } from './signs.ts';
import { html, letter, parts, type SpamLetter } from './spam-mail.fixture.ts';

const [SPAM] = readCorpus('a', 'spam');
assert.ok(SPAM !== undefined);
const SUBJECT = 'You won';
const OFFER =
  'Dear friend, you won the online lottery. To claim your prize of 850,000 dollars send your full name, your address and your phone number to our agent today. Keep this award confidential. God bless you.';

const likenessOf = (given: SpamLetter) => spamLikeness(letter(given));

test('spam is more like spam than an ordinary message', () => {
  assert.ok(likenessOf({ fields: { Subject: SUBJECT }, body: OFFER }) > 1);
  assert.ok(likenessOf({}) < 0);
});

test('a message with little text has no result', () => {
  assert.equal(likenessOf({ body: 'ok\r\n' }), -Infinity);
});

test('invisible characters, capitals, accents and HTML do not change the result much', () => {
  const plain = likenessOf({ fields: { Subject: SUBJECT }, body: OFFER });
  for (const given of [
    { body: OFFER.replaceAll('l', 'l\u200b') },
    { body: OFFER.toUpperCase() },
    { body: OFFER.replaceAll('o', 'ó') },
    html(`<p>${OFFER}</p>`),
  ]) {
    const fields = { ...('fields' in given ? given.fields : {}), Subject: SUBJECT };
    const likeness = likenessOf({ ...given, fields });
    assert.ok(Math.abs(likeness - plain) < 0.5, `${likeness} instead of ${plain}`);
  }
});

const SMALL_TALK =
  'Hi Bob, thanks for the notes of our meeting yesterday. Tell me what is missing, and see you on Monday at the office with the others.';

const HARMLESS = Array.from(
  { length: 800 },
  (_, at) => `${'meeting notes budget garden'.split(' ')[at % 4]}${'abcdefghij'[at % 10]}`,
).join(' ');
const alternative = (plain: string, rich: string): SpamLetter => {
  const { body = '' } = parts(['Content-Type: text/plain', plain], ['Content-Type: text/html', rich]);
  return { fields: { 'Content-Type': 'multipart/alternative; boundary=b' }, body };
};

const HIDING: [name: string, given: SpamLetter][] = [
  ['a harmless plain version', alternative(HARMLESS.slice(0, 4_500), `<p>${OFFER}</p>`)],
  ['a harmless HTML version', alternative(OFFER, `<p>${HARMLESS}</p>`)],
  ['a Subject of 800 words', { fields: { Subject: `${SUBJECT} ${HARMLESS}` }, body: OFFER }],
  ['a name of 200 words', { fields: { From: `${HARMLESS.slice(0, 1_900)} <a@b.example>` }, body: OFFER }],
];
for (const [name, given] of HIDING) {
  const letterOf = () => letter({ ...given, fields: { Subject: SUBJECT, ...given.fields } });
  test(`${name} does not hide spam`, () => {
    assert.ok(isVeryLikeSpam(spamLikeness(letterOf())), `${spamLikeness(letterOf())}`);
  });

  test(`${name} does not hide that a message is a variant`, () => {
    const plain = featuresOf(letter({ fields: { Subject: SUBJECT }, body: OFFER }));
    const shared = featuresOf(letterOf()).filter((each) => plain.includes(each));
    assert.ok(shared.length >= plain.length / 2, `${shared.length} of ${plain.length}`);
  });
}

test('the words of the sender are no features of the wording', () => {
  const From = 'Vutsrq <news@zyxwgarden.example>';
  const wordingOf = (body: string) => featuresOf(letter({ fields: { From }, body }));
  assert.deepEqual(wordingOf(`${OFFER} Zyxwgarden Vutsrq`), wordingOf(OFFER));
});

const TRICKS: [name: string, body: string][] = [
  ['small talk and a line of dashes', `${SMALL_TALK}\r\n\r\n--- Special offer ---\r\n${OFFER}`],
  [
    'small talk and the look of a forwarded message',
    `${SMALL_TALK}\r\n\r\n---------- Forwarded message ---------\r\nFrom: Award <a@b.example>\r\nSubject: ${SUBJECT}\r\n\r\n${OFFER}`,
  ],
  ['many quoted lines', `${`> ${SMALL_TALK}\r\n`.repeat(100)}${OFFER}`],
  ['many empty lines', `${'\r\n \t\r\n'.repeat(5_000)}${OFFER}`],
];
for (const [name, body] of TRICKS)
  test(`${name} above spam do not hide it`, () => {
    const likeness = likenessOf({ fields: { Subject: SUBJECT }, body });
    assert.ok(isLikeSpam(likeness) || isVeryLikeSpam(likeness), `${likeness}`);
  });

test('a question about a forwarded message makes it less like spam', () => {
  const forwarded = TRICKS[1]?.[1].slice(SMALL_TALK.length) ?? '';
  const question =
    'Hi Bob, my mother received this yesterday and almost answered. Can you explain to her on Sunday that it is not real?';
  assert.ok(likenessOf({ body: `${question}${forwarded}` }) < likenessOf({ body: forwarded.trim() }) - 0.3);
});

test('a model survives being stored', () => {
  const sign = (weight: number, isCommon: boolean) => ({ weight, isCommon });
  const signs = new Map([
    [0, sign(-HIGHEST_WEIGHT, true)],
    [127, sign(0, true)],
    [128, sign(HIGHEST_WEIGHT, false)],
    [2 ** 22 - 1, sign(-2, false)],
  ]);
  assert.deepEqual(unpackModel(packModel({ bias: -0.5, signs })), { bias: -0.5, signs });
});

test('the signs of a message are unique numbers of 22 bits', () => {
  const signs = versionsOf(SPAM.mail)[0]?.signs ?? [];
  assert.equal(new Set(signs).size, signs.length);
  assert.ok(signs.length > 50 && signs.every((sign) => sign >= 0 && sign < 2 ** 22));
});
