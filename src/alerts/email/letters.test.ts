import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReportedProblem } from '../channel.ts';
import { digestSummary } from '../digest/digest-words.ts';
import { type LetterContext, problemsLetter, testLetter } from './alert-letter.ts';
import { digestLetter } from './digest-letter.ts';
import { type Letter, textOf } from './letter.ts';
import { htmlOf } from './letter-html.ts';
import { CONTEXT, DIGEST, DOMAIN, STOPPED } from './letters.fixture.ts';

const INSTALLATION: LetterContext = { ...CONTEXT, project: null };
const opened = (problems: ReportedProblem[], context = CONTEXT, more = 0) =>
  problemsLetter({ type: 'alert.opened', problems, more }, context);
const resolved = (problems: ReportedProblem[]) =>
  problemsLetter(
    { type: 'alert.resolved', problems: problems.map((each) => ({ ...each, change: 'resolved' })), more: 0 },
    CONTEXT,
  );

for (const [name, letter, subject] of [
  ['a problem', opened([STOPPED]), 'Acme Shop: No emails are being sent. 1,204 emails are waiting.'],
  ['several problems', opened([STOPPED, DOMAIN], CONTEXT, 3), 'Acme Shop: 5 problems need attention'],
  [
    'a resolved problem',
    resolved([STOPPED]),
    'Resolved in Acme Shop: No emails are being sent. 1,204 emails are waiting.',
  ],
  ['several resolved problems', resolved([STOPPED, DOMAIN]), 'Acme Shop: 2 problems are resolved'],
  ['an installation', opened([STOPPED, DOMAIN], INSTALLATION), 'mail.example.com: 2 problems need attention'],
  ['a test', testLetter(CONTEXT), 'Acme Shop: test of your alerts'],
  ['a digest', digestLetter(DIGEST, CONTEXT), 'Acme Shop: 12,480 emails, 20% more than in the week before'],
] as const)
  test(`the subject of ${name} says what happened where`, () => {
    assert.equal(letter.subject, subject);
  });

test('a problem is shown with its time in the zone of the reader and a link to its page', () => {
  assert.equal(
    textOf(opened([STOPPED, DOMAIN]))
      .split('\n')
      .slice(2, 8)
      .join('\n'),
    `Problem: No emails are being sent. 1,204 emails are waiting.
Since 30 Nov 2026, 18:05 UTC+1
https://mail.example.com/dashboard/emails?project=prj_1&q=status%3Aqueued

Warning: DNS records of acme.example are missing. You can still send from it for up to 72 hours.
https://mail.example.com/dashboard/domains/dom_2?project=prj_1`,
  );
});

test('the text and the HTML have the same links, and each letter has a link to stop the alerts', () => {
  for (const letter of [
    opened([STOPPED, DOMAIN]),
    opened([STOPPED], INSTALLATION),
    testLetter(CONTEXT),
    digestLetter(DIGEST, CONTEXT),
  ]) {
    const inText = [...textOf(letter).matchAll(/https:\S+/g)].map(([url]) => url);
    const inHtml = [...htmlOf(letter).matchAll(/href="([^"]*)"/g)].map(([, url = '']) =>
      url.replaceAll('&amp;', '&'),
    );
    assert.deepEqual(inHtml, inText);
    assert.equal(inText.at(-1), CONTEXT.links.alerts);
  }
});

test('names chosen by users cannot add header fields, lines or HTML', () => {
  const text = 'x\r\nBcc: victim@bank.example\r\n\r\n<img src=x onerror="a()">\u202eevil\u0000';
  const context = { ...CONTEXT, project: { id: 'prj_1', name: 'Acme\r\n<script>' } };
  const hostile = opened([{ ...DOMAIN, text, resource: '"><script>' }], context);
  const digest = digestLetter({ ...DIGEST, problems: [{ ...DOMAIN, text }] }, context);
  for (const letter of [hostile, digest]) {
    assert.doesNotMatch(letter.subject, /[\p{Cc}\u202e]/u);
    assert.doesNotMatch(htmlOf(letter), /<script|<img|\u202e/);
    assert.doesNotMatch(textOf(letter), /^(Bcc|<img)/m);
  }
});

test('a long subject is shortened', () => {
  const letter: Letter = opened([{ ...DOMAIN, text: '😀'.repeat(300) }]);
  assert.ok(letter.subject.length <= 150 && letter.subject.isWellFormed() && letter.subject.endsWith('…'));
});

test('a digest lists opens and clicks only if a week has some', () => {
  const names = (digest: typeof DIGEST) => textOf(digestLetter(digest, CONTEXT));
  assert.match(names(DIGEST), /^Opened +6,204 \(50\.1%\) +5,020 \(48\.3%\)$/m);
  const untracked = {
    ...DIGEST,
    week: { ...DIGEST.week, opened: 0, clicked: 0 },
    before: { ...DIGEST.before, opened: 0, clicked: 0 },
  };
  assert.doesNotMatch(names(untracked), /Opened|Clicked/);
});

test('a digest in short names the numbers and the open problems', () => {
  assert.equal(
    digestSummary(DIGEST),
    '23 Nov 2026 to 29 Nov 2026 (UTC): 12,480 emails, 20% more than in the week before. Delivered 12,391 (98.3%), bounced 196 (1.6%), marked as spam 3 (0.02%). 1 problem needs attention.',
  );
  const first = { ...DIGEST, before: { ...DIGEST.before, emails: 0 }, problems: [], more: 0 };
  assert.match(digestSummary(first), /12,480 emails, and none in the week before\. .* No problem is open\.$/);
});
