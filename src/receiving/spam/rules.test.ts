import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { processorClock } from '../../../test/support/processor-time.ts';
import { readContent } from './mail.ts';
import { LEARNED_MEANINGS } from './meanings.ts';
import { RULES } from './rules.ts';
import { findSpamSigns } from './score.ts';
import { html, type SpamLetter, letter, parts, zip } from './spam-mail.fixture.ts';

function rulesOf(given: SpamLetter): string[] {
  return findSpamSigns(letter(given)).reasons.map(({ rule }) => rule);
}

const DKIM = { domain: 'acme.example', selector: 's', algorithm: 'rsa-sha256' };
const file = (name: string, content = 'AAAA', type = 'application/octet-stream') =>
  parts(
    ['Content-Type: text/plain', 'Hi Bob, here is the file that we talked about yesterday. Regards, Alice'],
    [
      `Content-Type: ${type}\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: attachment; filename="${name}"`,
      content,
    ],
  );
const link = (href: string, text = 'the notes') =>
  html(
    `<p>Hi Bob, the notes of our meeting of yesterday are here: <a href="${href}">${text}</a>. Regards, Alice</p>`,
  );
const GTUBE = ['XJS*C4JDBQADN1.NSBN3*2IDNEN*', 'GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X'].join('');
const PHRASE =
  'Dear friend, as next of kin of the late minister you inherit ten million dollars. I need your full name.';

/** For each rule, messages that match the rule (`is`), and similar messages that do not (`not`). */
const CASES: Readonly<Record<string, { is: readonly SpamLetter[]; not?: readonly SpamLetter[] }>> = {
  AUTHOR_REFUTED: {
    is: [{ authentication: { dmarc: { result: 'fail', domain: 'acme.example', published: 'none' } } }],
  },
  AUTHOR_UNCLEAR: {
    is: [{ authentication: { dmarc: { result: 'permerror', domain: null, published: 'none' } } }],
  },
  SPF_FAIL: { is: [{ authentication: { spf: { result: 'fail', domain: 'acme.example' } } }] },
  SPF_SOFTFAIL: { is: [{ authentication: { spf: { result: 'softfail', domain: 'acme.example' } } }] },
  NOBODY_VOUCHES: {
    is: [{ authentication: { spf: { result: 'none', domain: 'a.example' }, dkim: [] } }],
    not: [{ authentication: { spf: { result: 'none', domain: 'a.example' } } }],
  },
  SIGNATURE_BROKEN: {
    is: [{ authentication: { dkim: [{ ...DKIM, result: 'fail' }] } }],
    not: [{ authentication: { dkim: [] } }, { authentication: { dkim: [{ ...DKIM, result: 'temperror' }] } }],
  },
  NO_REVERSE_NAME: {
    is: [{ authentication: { iprev: { result: 'fail', name: null } } }],
    not: [
      { authentication: { iprev: { result: 'temperror', name: null } } },
      { authentication: { iprev: { result: 'fail', name: null } }, address: '127.0.0.1' },
      { authentication: { iprev: { result: 'fail', name: null } }, address: '10.1.2.3' },
    ],
  },
  REVERSE_NAME_ELSEWHERE: { is: [{ authentication: { iprev: { result: 'fail', name: 'a.example' } } }] },
  REVERSE_NAME_DYNAMIC: {
    is: [{ authentication: { iprev: { result: 'pass', name: 'dsl-198-51-100-7.isp.example' } } }],
    not: [
      { authentication: { iprev: { result: 'pass', name: 'pool.ntp.example' } } },
      { authentication: { iprev: { result: 'pass', name: 'mail-198-51-100-7.isp.example' } } },
    ],
  },
  HELO_ADDRESS: {
    is: [{ helo: '[198.51.100.7]' }, { helo: '198.51.100.7' }],
    not: [{ helo: '[127.0.0.1]', address: '127.0.0.1' }],
  },
  HELO_ONE_LABEL: { is: [{ helo: 'localhost' }], not: [{ helo: 'localhost', address: '::1' }] },
  HELO_OURS: { is: [{ helo: 'MX.posthorn.example' }] },
  NO_DATE: { is: [{ fields: { Date: null } }] },
  NO_MESSAGE_ID: { is: [{ fields: { 'Message-ID': null } }] },
  NO_RECIPIENTS: { is: [{ fields: { To: null } }], not: [{ fields: { To: null, Cc: 'a@b.example' } }] },
  NO_SUBJECT: { is: [{ fields: { Subject: null } }, { fields: { Subject: '' } }] },
  DATE_AHEAD: {
    is: [{ fields: { Date: 'Mon, 23 Nov 2026 15:04:05 +0000' } }],
    not: [{ fields: { Date: 'Sat, 21 Nov 2026 15:04:05 +0000' } }],
  },
  DATE_UNREADABLE: {
    is: [{ fields: { Date: 'soon' } }],
    not: [{ fields: { Date: 'Fri, 20 Nov 2026 15:04:05 +0100 (CET)' } }],
  },
  MESSAGE_ID_ODD: { is: [{ fields: { 'Message-ID': '1234' } }] },
  FIELD_TWICE: { is: [{ fields: { subject: 'another' } }] },
  BULK_FOR_EVER: {
    is: [{ fields: { Precedence: 'bulk' } }],
    not: [{ fields: { Precedence: 'bulk', 'List-Unsubscribe': '<https://a.example>' } }],
  },
  NAME_IS_OTHER_ADDRESS: {
    is: [{ fields: { From: '"service@bank.example" <x@evil.example>' } }],
    not: [{ fields: { From: '"alice@acme.example" <alice@mail.acme.example>' } }],
  },
  NAME_IS_OTHER_COMPANY: {
    is: [{ fields: { From: 'PayPal <service@evil.example>' } }],
    not: [
      { fields: { From: 'PayPal <service@mail.paypal.example>' } },
      { fields: { From: 'PayPal Community <news@paypal-community.example>' } },
      { fields: { From: 'Sparkasse =?utf-8?Q?K=C3=B6lnBonn?= <info@sparkasse-koelnbonn.example>' } },
      { fields: { From: 'Sparkasse Zentrum <info@skz.example>' } },
      { fields: { From: 'Volksbank Mitte <info@vbmitte.example>' } },
      { fields: { From: '=?utf-8?Q?Cr=C3=A9dit?= Agricole <info@ca-nord.example>' } },
      { fields: { From: 'Meta Business <noreply@fb.example>' } },
      { fields: { From: 'Grace Norton <grace@family.example>' } },
      { fields: { From: 'Apple Orchard <shop@a.example>' } },
    ],
  },
  NAME_HIDES: { is: [{ fields: { From: 'Pay\u200bPal <x@evil.example>' } }] },
  NAME_MIXED: {
    is: [{ fields: { From: 'Pаypаl <x@evil.example>' } }],
    not: [{ fields: { From: 'Анна Smith <x@a.example>' } }],
  },
  REPLY_ELSEWHERE: {
    is: [{ fields: { 'Reply-To': 'ceo.acme@gmail.com' } }],
    not: [{ fields: { 'Reply-To': 'bob@acme.example' } }],
  },
  SUBJECT_SHOUTS: {
    is: [{ fields: { Subject: 'URGENT BUSINESS PROPOSAL' } }],
    not: [
      { fields: { Subject: 'FYI: RFC 5321' } },
      { fields: { Subject: '会議の議事録についてのお知らせ' } },
    ],
  },
  SUBJECT_MARKS: { is: [{ fields: { Subject: 'Win now!!!' } }] },
  SUBJECT_GAPPY: {
    is: [{ fields: { Subject: 'V I A G R A here' } }],
    not: [{ fields: { Subject: 'A B test' } }],
  },
  SUBJECT_HIDES: { is: [{ fields: { Subject: 'pass\u200bword expires' } }] },
  SUBJECT_MIXED: { is: [{ fields: { Subject: 'Your аccount' } }] },
  REPLY_TO_NOTHING: {
    is: [{ fields: { Subject: 'Re: your order' } }],
    not: [{ fields: { Subject: 'Re: x', 'In-Reply-To': '<2@a.example>' } }],
  },
  GTUBE: { is: [{ body: `${GTUBE}\r\n` }, html(`<p>${GTUBE}</p>`)], not: [{ body: GTUBE.slice(1) }] },
  ADVANCE_FEE: { is: [{ body: PHRASE }], not: [{ body: 'We got ten million dollars for the new plant.' }] },
  CREDENTIALS: {
    is: [
      {
        body: 'Dear customer, your account has been suspended. Click here to verify your account within 24 hours.',
      },
    ],
    not: [{ body: 'Click here to verify your account.' }, { body: 'Your account was closed, as you asked.' }],
  },
  GOODS: { is: [{ body: 'We sell viagra' }], not: [{}] },
  GOODS_MANY: { is: [{ body: 'Buy viagra without prescription' }] },
  EXTORTION: {
    is: [
      { body: 'I recorded you by your webcam. Send bitcoin to bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh' },
    ],
    not: [{ body: 'Our bitcoin wallet: bc1qxy2kgdygjrsqtzq2n0yrf2493p83kkfjhx0wlh' }],
  },
  LIKE_SPAM: {
    is: [
      {
        body: 'Hi Bob, here are the notes of yesterday. Tell me what is missing. Can we claim the prize money today? Send your phone number to our agent.',
      },
    ],
    not: [{}],
  },
  VERY_LIKE_SPAM: {
    is: [
      {
        body: 'Dear friend, you won the online lottery. To claim your prize of 850,000 dollars send your full name, your address and your phone number to our agent today. Keep this award confidential. God bless you.',
      },
    ],
    not: [{}],
  },
  TEXT_HIDES: {
    is: [{ body: 'pass\u200bword ac\u200bcount bi\u200blling' }],
    not: [{ body: 'می\u200cخواهم' }],
  },
  TEXT_MIXED: { is: [{ body: 'Verify your аccount' }], not: [{ body: 'Привет, this is Bob' }] },
  TEXT_NEEDLESS_BASE64: {
    is: [
      { fields: { 'Content-Transfer-Encoding': 'base64' }, body: Buffer.from('plain').toString('base64') },
    ],
    not: [
      { fields: { 'Content-Transfer-Encoding': 'base64' }, body: Buffer.from('Grüße').toString('base64') },
    ],
  },
  HTML_ALONE: { is: [html('<p>Hi</p>')] },
  HTML_HIDES: {
    is: [html(`<p>Hi</p><div style="display: none">${'word '.repeat(100)}</div>`)],
    not: [html(`<div style="display:none">A preview of a line</div><p>Hi</p>`)],
  },
  HTML_FORM: { is: [html('<form action="https://a.example"><input></form>')] },
  HTML_SCRIPT: { is: [html('<script>alert(1)</script>')] },
  IMAGE_ALONE: { is: [html('<img src="https://a.example/x.png">')] },
  LINK_ALONE: { is: [{ body: 'look: https://a.example/x' }] },
  URL_ADDRESS: {
    is: [link('http://192.0.2.1/x'), link('http://[2001:db8::1]/'), link('http://0x7f000001/')],
  },
  URL_LOOK_ALIKE: { is: [link('https://xn--pple-43d.com/')], not: [link('https://xn--mnchen-3ya.de/')] },
  URL_DOMAIN_WITHIN: {
    is: [link('https://paypal.com.evil.net/login')],
    not: [link('https://www.amazon.co.uk/'), link('https://static.acme.com/')],
  },
  URL_USER: { is: [link('https://www.paypal.com@evil.net/')] },
  URL_PORT: { is: [link('https://a.com:4433/')], not: [link('https://a.com:8443/')] },
  URL_OTHER_SITE: {
    is: [link('https://evil.net/', 'www.paypal.com')],
    not: [link('https://click.acme.com/', 'acme.com'), link('https://evil.net/', 'see notes.txt')],
  },
  URL_SHORTENED: { is: [link('https://bit.ly/x')] },
  URL_CHEAP: { is: [link('https://win.example.icu/')] },
  URL_SCHEME: { is: [link('javascript:alert(1)'), link('data:text/html,x')] },
  FILE_PROGRAM: {
    is: [file('setup.EXE'), file('a.js'), file('photo', Buffer.from('MZ\x90').toString('base64'))],
    not: [file('notes.pdf')],
  },
  FILE_PROGRAM_PACKED: {
    is: [file('a.zip', zip(['notes.txt', 'x/setup.exe']))],
    not: [file('a.zip', zip(['notes.txt']))],
  },
  FILE_TWO_ENDS: {
    is: [file('invoice.pdf.exe'), file('a.zip', zip(['scan.jpg.js']))],
    not: [file('v1.2.txt')],
  },
  FILE_NAME_HIDES: { is: [file(`invoice${' '.repeat(40)}.exe`), file('=?utf-8?Q?inv=E2=80=AEfdp.exe?=')] },
  FILE_MACROS: { is: [file('plan.docm')] },
  FILE_LOCKED: { is: [file('a.zip', zip(['a.txt'], { encrypted: true }))] },
  FILE_HTML: { is: [file('invoice.htm', 'PGI+', 'text/html')] },
};

describe('a rule', () => {
  for (const { name } of RULES) {
    it(`matches its examples only: ${name}`, () => {
      const examples = CASES[name];
      assert.ok(examples !== undefined, 'no case');
      for (const each of examples.is) assert.ok(rulesOf(each).includes(name), JSON.stringify(each));
      for (const each of examples.not ?? []) assert.ok(!rulesOf(each).includes(name), JSON.stringify(each));
    });
  }

  it('about the way a message reads does not match mail of this installation', () => {
    const [spam] = CASES['VERY_LIKE_SPAM']?.is ?? [];
    assert.ok(spam !== undefined);
    const mail = letter(spam);
    const own = { ...mail, arrival: { ...mail.arrival, isOwn: true } };
    const { reasons, readsWanted } = findSpamSigns(own);
    const names = reasons.map(({ rule }) => rule);
    assert.ok(!names.some((name) => name.endsWith('LIKE_SPAM')), String(names));
    assert.equal(readsWanted, true);
    assert.equal(findSpamSigns(mail).readsWanted, false);
  });

  it('takes no message for wanted mail that is short, or whose words are unknown', () => {
    const unknown = Array.from(
      { length: 60 },
      (_, at) => `qx${String.fromCharCode(97 + (at % 26)).repeat(3)}v${'zy'.repeat(1 + (at % 5))}`,
    );
    for (const body of ['Short.\r\n', `${unknown.join(' ')}\r\n`])
      assert.equal(findSpamSigns(letter({ body })).readsWanted, false, body.slice(0, 20));
  });

  it('does not match an ordinary message', () => {
    assert.deepEqual(rulesOf({}), []);
  });

  it('has a unique name, and is in the documentation with its weight and meaning', () => {
    const page = readFileSync(new URL('../../../docs/operate/spam.md', import.meta.url), 'utf8');
    assert.equal(new Set(RULES.map(({ name }) => name)).size, RULES.length);
    for (const { name, weight, meaning } of RULES) {
      assert.ok(page.includes(`| \`${name}\` | ${weight} | ${meaning} |\n`), name);
    }
    for (const name of Object.keys(LEARNED_MEANINGS)) assert.ok(page.includes(`| \`${name}\` |`), name);
  });

  it('never throws, and takes bounded time, for any message', () => {
    const words = [
      'From: ',
      'Subject: ',
      'Content-Type: text/html\r\n',
      '\r\n',
      '<a href="',
      '">',
      'http://',
      '=?utf-8?B?',
      '&#',
      '\u200b',
      'а',
      '<div hidden>',
      '[',
      ']',
      '@',
      ' ',
    ];
    const text = fc.array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 5 })), {
      maxLength: 60,
    });
    fc.assert(
      fc.property(text, (pieces) => {
        const raw = Buffer.from(pieces.join(''));
        findSpamSigns({ ...letter(), ...readContent(raw) });
      }),
    );
    const names = Array.from({ length: 200 }, () => ' '.repeat(500));
    const archive = file('a.zip', zip(names));
    const usedMs = processorClock();
    // A single run of a quadratic scan would be too short to notice.
    for (let times = 0; times < 10; times++) rulesOf(archive);
    assert.ok(usedMs() < 2_000, `names of spaces: ${usedMs()} ms`);
    const MEGABYTE = 1_048_576;
    for (const unit of [
      '<a href=x>',
      '<div hidden>',
      '</div>',
      'http://a',
      'a\u200b',
      'а a',
      ' ',
      '&#1',
      '@',
      'V ',
      '\u0301\u0316',
      '\r\n',
      'word word2 ',
      '1',
      '<',
    ]) {
      for (const type of ['plain', 'html']) {
        const usedMs = processorClock();
        rulesOf({ fields: { 'Content-Type': `text/${type}` }, body: unit.repeat(MEGABYTE / unit.length) });
        rulesOf({
          fields: {
            Subject: unit.replace(/[\r\n]/g, 'x').repeat(16_000 / unit.length),
            From: unit.replace(/[\r\n]/g, 'x').repeat(16_000 / unit.length),
          },
        });
        assert.ok(usedMs() < 1_500, `${type} ${JSON.stringify(unit)}: ${usedMs()} ms`);
      }
    }
  });
});
