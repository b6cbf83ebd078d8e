import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { judgeLink } from './judge-link.ts';

describe('the warning about a link', () => {
  for (const [href, text, problem] of [
    ['https://acme.example/x', 'Click here', null],
    ['https://www.acme.com/x', 'acme.com', null],
    ['https://news.acme.com/x', 'https://www.acme.com/offer?a=1', null],
    ['https://github.com/x', 'README.md', null],
    ['https://acme.com/', 'Node.js', null],
    ['https://evil.example/', 'https://bank.com/login', 'shows bank.com but leads to evil.example.'],
    ['https://evil.example/', 'Go to www.bank.com now', 'shows bank.com but leads to evil.example.'],
    ['https://evil.example/', 'ba\u200bnk\u00ad.com', 'shows bank.com but leads to evil.example.'],
    ['https://evil.example/', 'https://bank．com/x', 'shows bank.com but leads to evil.example.'],
    ['https://evil.example/', `${'x '.repeat(500)}bank.com`, 'shows bank.com but leads to evil.example.'],
    ['https://evil.com/', 'evil.com https://bank.com', 'shows bank.com but leads to evil.com.'],
    ['https://evil.com/', `evil.com ${'x'.repeat(5_000)} bank.com`, 'shows bank.com but leads to evil.com.'],
    ['https://evil.example/', '\u202emoc.knab//:sptth', 'shows bank.com but leads to evil.example.'],
    ['https://evil.example/', 'nigol/moc.knab.www', 'shows bank.com but leads to evil.example.'],
    ['https://ten.example/', 'St.Gallen', null],
    ['https://paypa1.com/', 'x', 'leads to paypa1.com, which looks like paypal.com but is not.'],
    ['https://login.paypaI.com/', 'x', 'leads to login.paypai.com, which looks like paypal.com but is not.'],
    ['https://rnicrosoft.com/', 'x', 'leads to rnicrosoft.com, which looks like microsoft.com but is not.'],
    [
      'https://paypal.com.evil.example/',
      'x',
      'leads to paypal.com.evil.example, which contains paypal.com but belongs to evil.example.',
    ],
    [
      'https://www.paypal.com-login.net/',
      'x',
      'leads to www.paypal.com-login.net, which contains paypal.com but belongs to com-login.net.',
    ],
    ['https://www.amazon.com.br/', 'x', null],
    ['https://lng.com/', 'x', null],
    ['https://bank.com.evil.example/', 'bank.com', 'shows bank.com but leads to bank.com.evil.example.'],
    [
      'https://bank.com@evil.example/',
      'x',
      'leads to evil.example; the part before the @ is meant to mislead you.',
    ],
    ['http://192.0.2.1/x', 'x', 'leads to an IP address (192.0.2.1) instead of a host name.'],
    ['http://3221225985/x', 'x', 'leads to an IP address (192.0.2.1) instead of a host name.'],
    ['http://[2001:db8::1]/', 'x', 'leads to an IP address ([2001:db8::1]) instead of a host name.'],
    ['https://аррӏе.com/', 'x', 'leads to xn--80ak6aa92e.com, which imitates another name.'],
    ['https://pаypal.com/', 'x', 'leads to xn--pypal-4ve.com, which imitates another name.'],
    ['https://münchen.de/', 'x', null],
    ['https://пример.рф/', 'x', null],
    ['//acme.example/x', 'x', null],
  ] as const)
    test(`the text “${text}” of a link to ${href} is ${problem === null ? 'correct' : 'misleading'}`, () =>
      assert.equal(judgeLink(href, text)?.problem, problem));

  for (const text of [
    '“bank.com”',
    '„bank.com“',
    '»bank.com«',
    '‘www.bank.com’',
    'Visit bank.com.',
    'Visit bank.com!',
    'bank.com; it is safe',
    'bank.com… and more',
    '[bank.com]',
    '→bank.com→',
    'bank.com|acme',
    'bank.com/login?next=1',
    'bank.com:443',
    'BANK.COM',
  ])
    test(`the host name in the text of a link is recognized despite the surrounding text: ${text}`, () =>
      assert.equal(
        judgeLink('https://evil.example/', text)?.problem?.toLowerCase(),
        'shows bank.com but leads to evil.example.',
      ));

  for (const text of [
    'https://evil.example/bank.com',
    'evil.example/?to=bank.com',
    'ann@bank.com',
    'ann.bank.com@evil.example',
    'bank.com.evil.example',
    'bank.comma',
    'version 2.0.1',
  ])
    test(`a part of other text in a link is not mistaken for a host name: ${text}`, () =>
      assert.equal(judgeLink('https://evil.example/', text)?.problem, null));

  test('the recipient of a mailto link is decoded', () =>
    assert.equal(judgeLink('mailto:ann%40acme.example?subject=x', 'x')?.leadsTo, 'ann@acme.example'));

  for (const href of [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    '/relative',
    'https://',
    ' ',
    'tel:1',
    'x:y',
  ])
    test(`${href} must not be followed as a link`, () => assert.equal(judgeLink(href, 'x'), null));
});
