import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sanitizeOutgoing } from '../../../../src/webmail/write/clean-html.ts';
import { htmlToText } from '../../../../src/rfc/message/html-to-text.ts';
import { cardsFromMail, cardsToMail } from './file-link-html.ts';

const URL = 'https://mail.acme.example/s/AAAAAAAAAAAAAAAAAAAAAA';
const card = (name: string) =>
  `<div>Hello</div><file-link dir="auto" url="${URL}" name="${name}" details="1.2 GB, until 7 Dec 2026"></file-link><div>Bye</div>`;

for (const name of ['plan.zip', 'a &amp; "b" &lt;img src=x onerror=alert(1)&gt;', '</strong></table>.zip'])
  void test(`a card named ${name} survives conversion to mail, the service's sanitizer and conversion back`, async () => {
    const html = card(name.replaceAll('"', '&quot;'));
    const mail = await sanitizeOutgoing(cardsToMail(html), '/mail/api/');
    assert.match(mail, /<table class="file-link"[^>]*>.*<a href="https:[^"]*" style="[^"]*">Download<\/a>/s);
    assert.doesNotMatch(mail, /<img|onerror=alert\(1\)>/);
    const back = cardsFromMail(mail);
    assert.equal([...back.matchAll(/<file-link /g)].length, 1);
    assert.equal(await sanitizeOutgoing(cardsToMail(back), '/mail/api/'), mail);
  });

void test('the plain text of a card has the file name, the details and the URL', () => {
  const text = htmlToText(cardsToMail(card('plan.zip')));
  assert.equal(text, `Hello\nplan.zip\n1.2 GB, until 7 Dec 2026\nDownload (${URL})\nBye`);
});

void test('a table that resembles a card but has another URL is not converted to a card', () => {
  const html =
    '<table class="file-link"><tr><td><strong>x</strong><a href="https://evil.example/">y</a></td></tr></table>';
  assert.equal(cardsFromMail(html), html);
});
