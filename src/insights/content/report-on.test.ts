import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { InspectedContent } from './content.ts';
import { linkProblem } from './report-on.ts';
import { reportOn } from './report-on.ts';

const CONTENT: InspectedContent = {
  raw: null,
  subject: 'Your order',
  html: '<p>Hello</p>',
  text: 'Hello',
  isBulk: false,
};
const report = (fields: Partial<InspectedContent>) =>
  reportOn({ ...CONTENT, ...fields }, 'mail.acme.example', 0);
const message = (header: string, body = 'Hello\r\n'): Buffer =>
  Buffer.from(`From: a@acme.example\r\nTo: b@dst.test\r\nSubject: x\r\n${header}\r\n${body}`);

describe('the check', () => {
  for (const [name, result, fields] of [
    ['subject', 'pass', {}],
    ['subject', 'warning', { subject: ' ' }],
    ['gmail-clipping', 'pass', {}],
    ['gmail-clipping', 'note', { html: 'x'.repeat(90 * 1_024) }],
    ['gmail-clipping', 'warning', { html: 'x'.repeat(103 * 1_024) }],
    ['parts', 'pass', {}],
    ['parts', 'note', { text: null }],
    ['parts', 'note', { html: null }],
    ['alt-texts', 'pass', { html: '<img src="https://a.example/x" alt="">' }],
    ['alt-texts', 'warning', { html: '<img src="https://a.example/x">' }],
    ['images', 'pass', { html: '<img src="https://a.example/x" alt="">' }],
    ['images', 'warning', { html: '<img src="cid:logo" alt="">' }],
    ['images', 'warning', { html: '<img src="logo.png" alt="">' }],
    ['images', 'warning', { html: '<img src="data:image/png;base64,AA" alt="">' }],
    ['links', 'pass', { html: '<a href="https://a.example/">x</a>' }],
    ['links', 'note', { html: '<a href="http://a.example/">x</a>' }],
    ['links', 'problem', { html: '<a href="www.a.example">x</a>' }],
    ['left-overs', 'problem', { subject: 'Hello {{ name }}' }],
    ['left-overs', 'problem', { text: 'Dear *|FNAME|*' }],
    ['signature', 'problem', { raw: message('') }],
    ['signature', 'problem', { raw: message('DKIM-Signature: v=1; d=other.example; s=a; a=rsa-sha256\r\n') }],
    ['signature', 'pass', { raw: message('DKIM-Signature: v=1; d=acme.example; s=a; a=rsa-sha256\r\n') }],
    ['unsubscribe', 'warning', { isBulk: true }],
    ['unsubscribe', 'warning', { isBulk: true, raw: message('List-Unsubscribe: <https://a.example/>\r\n') }],
    [
      'unsubscribe',
      'pass',
      {
        isBulk: true,
        raw: message(
          'List-Unsubscribe: <https://a.example/>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r\n',
        ),
      },
    ],
  ] as const)
    test(`${name} is ${result} for ${JSON.stringify(fields).slice(0, 60)}`, () => {
      const { checks } = report(fields);
      assert.equal(checks.find((check) => check.name === name)?.result, result);
    });

  test('results are sorted by severity', () => {
    const results = report({ subject: '', html: '<a href="x">y</a>' }).checks.map(({ result }) => result);
    assert.deepEqual(results.slice(0, 2), ['problem', 'warning']);
    assert.equal(results.at(-1), 'pass');
  });
});

describe('the placeholder of the unsubscribe link', () => {
  const link = (href: string) => `<a href="${href}">Unsubscribe</a>`;
  for (const [fields, links, leftOvers] of [
    [{ html: link('{{unsubscribe_url}}') }, 'pass', 'pass'],
    [{ html: link('{{ unsubscribe_url }}') }, 'pass', 'pass'],
    [{ html: link('{{unsubscribe_url}}#now') }, 'pass', 'pass'],
    [{ html: null, text: 'Unsubscribe: {{unsubscribe_url}}' }, 'pass', 'pass'],
    [{ html: link('https://{{unsubscribe_url}}') }, 'problem', 'pass'],
    [{ html: null, text: 'Unsubscribe: https://{{unsubscribe_url}}' }, 'problem', 'pass'],
    [{ html: link('{{unsubscribe}}') }, 'problem', 'problem'],
    [{ html: link('{{  unsubscribe_url  }}') }, 'problem', 'problem'],
    [{ html: link('%7B%7Bunsubscribe_url%7D%7D') }, 'problem', 'pass'],
    [{ html: link('{{unsubscribe_url}}').repeat(100) }, 'pass', 'pass'],
    [{ html: link('{{unsubscribe_url}}').repeat(101) }, 'problem', 'problem'],
    [{ text: '{{unsubscribe_url}} '.repeat(101) }, 'pass', 'problem'],
    [{ subject: 'Leave at {{unsubscribe_url}}' }, 'pass', 'problem'],
  ] as const)
    test(`has links: ${links}, left-overs: ${leftOvers} in ${JSON.stringify(fields).slice(0, 70)}`, () => {
      const results = new Map(report(fields).checks.map(({ name, result }) => [name, result]));
      assert.deepEqual([results.get('links'), results.get('left-overs')], [links, leftOvers]);
    });

  test('is listed once among the links, as the sender wrote it', () => {
    const html = `${link('{{unsubscribe_url}}').repeat(101)}<a href="{{ unsubscribe_url }}">{{unsubscribe_url}}</a>`;
    assert.deepEqual(report({ html: link('{{ unsubscribe_url }}') }).links, [
      { url: '{{unsubscribe_url}}', text: 'Unsubscribe', problem: null, isUnsubscribe: true },
    ]);
    assert.deepEqual(
      report({ html }).links.map(({ url, problem }) => [url, problem]),
      [
        ['{{unsubscribe_url}}', 'It contains an unfilled template variable.'],
        ['{{ unsubscribe_url }}', 'It contains an unfilled template variable.'],
      ],
    );
  });

  test('is reported in the subject, where it is sent as it is', () => {
    const { checks } = report({ subject: 'Leave at {{unsubscribe_url}}', html: link('{{unsubscribe_url}}') });
    const found = checks.find(({ name }) => name === 'left-overs');
    assert.deepEqual(found?.items, ['{{unsubscribe_url}}']);
    assert.match(found.advice ?? '', /does not replace \{\{unsubscribe_url\}\} in the subject/);
  });

  test('is part of the text, which is shown as the sender wrote it', () => {
    assert.equal(report({ text: 'At {{ unsubscribe_url }}' }).text, 'At {{ unsubscribe_url }}');
  });
});

describe('the problem of a link', () => {
  for (const [href, problem] of [
    ['https://acme.example/a?b=c#d', null],
    ['mailto:a@acme.example?subject=x', null],
    ['tel:+431234', null],
    ['#part', null],
    ['', /no target/],
    ['#', /no target/],
    ['http://acme.example/', /not https/],
    ['acme.example/a', /no scheme/],
    ['/a', /no scheme/],
    ['//acme.example/a', /no scheme/],
    ['https://https://acme.example', /twice/],
    ['https://{{ shop }}/', /template/],
    ['https://acme.example/a b', /white space/],
    ['https://localhost:3000/', /IP address or to localhost/],
    ['https://192.0.2.1/', /IP address or to localhost/],
    ['https://[::1]/', /IP address or to localhost/],
    ['https://acme/', /full domain name/],
    ['https://', /not a URL/],
    ['javascript:alert(1)', /do not open/],
    ['mailto:', /no email address/],
    [`https://acme.example/${'x'.repeat(2_000)}`, /2,000/],
  ] as const)
    test(`${problem === null ? 'is none' : 'is reported'}: ${href.slice(0, 40)}`, () => {
      const found = linkProblem(href);
      if (problem === null) assert.equal(found, null);
      else assert.match(found ?? '', problem);
    });
});

test('spam signs are reported with their meaning', () => {
  const { spam } = report({
    raw: message('', 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X\r\n'),
  });
  const reason = spam?.reasons.find(({ rule }) => rule === 'GTUBE');
  assert.equal(reason?.meaning, 'the test text for spam filters (GTUBE)');
  assert.ok((spam?.score ?? 0) > 900);
});

test('header fields are decoded, named in their usual spelling, and explained', () => {
  const { fields } = report({ raw: message('X-Order: =?utf-8?q?=C3=84pfel?=\r\nList-unsubscribe: <x>\r\n') });
  assert.deepEqual(
    fields.slice(3).map(({ name, value }) => [name, value]),
    [
      ['X-Order', 'Äpfel'],
      ['List-Unsubscribe', '<x>'],
    ],
  );
  assert.match(fields.at(-1)?.meaning ?? '', /unsubscribe/);
});

test('the links of a message without HTML are read from the text', () => {
  const { links } = report({ html: null, text: 'See https://a.example/x and https://a.example/x.' });
  assert.deepEqual(
    links.map(({ url }) => url),
    ['https://a.example/x', 'https://a.example/x.'],
  );
});
