import assert from 'node:assert/strict';
import { createSecretKey } from 'node:crypto';
import { describe, it } from 'node:test';
import { newUuid } from '../../model/ids.ts';
import type { Tracking } from '../../model/tracking.ts';
import { recipientsCopy } from './recipients-copy.ts';
import { TrackingLinks } from './tracking-links.ts';

const BASE = 'https://mail.example.com';
const links = new TrackingLinks(createSecretKey(Buffer.alloc(32, 1)));
const of = { projectId: newUuid(), emailId: newUuid(), recipientIndex: 0 };
const NOTHING: Tracking = { opens: false, clicks: false, unsubscribe: false, base_url: BASE };

function copy(
  content: { html?: string; text?: string; headers?: Record<string, string> },
  tracking: Partial<Tracking>,
  recipientIndex = 0,
) {
  const { html = null, text = null, headers = null } = content;
  return recipientsCopy(
    { html, text, headers },
    { ...NOTHING, ...tracking },
    { ...of, recipientIndex },
    links,
  );
}

const unsubscribeUrl = links.unsubscribe(BASE, of);
const ONE_CLICK = { 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };

describe("the recipient's copy of an email", () => {
  it('has a separate pixel before the end of the body if opens are tracked', () => {
    const { html } = copy({ html: '<body>x</body>' }, { opens: true });
    const url = /^<body>x<img src="([^"]+)" width="1" height="1" alt=""[^>]*><\/body>$/.exec(html ?? '')?.[1];
    assert.deepEqual(links.verifyPixel(url?.split('/').at(-1) ?? ''), of);
  });

  it('has links to the click endpoint if clicks are tracked', () => {
    const { html } = copy({ html: '<a href="https://a.example/?b=1&amp;c=2">x</a>' }, { clicks: true });
    const [, token = '', target = ''] = /\/t\/c\/([^/]+)\/([^"]+)"/.exec(html ?? '') ?? [];
    assert.deepEqual(links.verifyClick(token, target), { of, url: 'https://a.example/?b=1&c=2' });
  });

  it('has different links from the copy of another recipient', () => {
    const email = { html: '<a href="https://a.example/">x</a>' };
    const all = { opens: true, clicks: true };
    assert.notEqual(copy(email, all, 0).html, copy(email, all, 1).html);
  });

  it('is identical at every attempt', () => {
    const email = { html: '<a href="https://a.example/">{{unsubscribe_url}}</a>' };
    const all = { opens: true, clicks: true, unsubscribe: true };
    assert.deepEqual(copy(email, all), copy(email, all));
  });

  it('has no pixel if only clicks are tracked, and unchanged links if only opens are tracked', () => {
    const email = { html: '<a href="https://a.example/">x</a>' };
    assert.doesNotMatch(copy(email, { clicks: true }).html ?? '', /<img/);
    assert.match(copy(email, { opens: true }).html ?? '', /<a href="https:\/\/a\.example\/">/);
  });

  it("has the sender's text, or a text made from the sender's HTML", () => {
    const html = '<p>Hi</p><a href="https://a.example/">here</a>';
    assert.equal(copy({ html, text: 'Hi' }, { clicks: true }).text, 'Hi');
    assert.equal(copy({ html }, { clicks: true, opens: true }).text, 'Hi\n\nhere (https://a.example/)');
  });

  it('has at most a thousand tracked links', () => {
    const html = '<a href="https://a.example/">x</a>'.repeat(1_001);
    const changed = copy({ html }, { clicks: true }).html ?? '';
    assert.equal(changed.split('/t/c/').length - 1, 1_000);
    assert.ok(changed.endsWith('<a href="https://a.example/">x</a>'));
  });

  it('has the unsubscribe link in place of the placeholder, and the link is not tracked', () => {
    const { html, text } = copy(
      { html: '<a href="{{unsubscribe_url}}">x</a>', text: 'Leave: {{ unsubscribe_url }}' },
      { unsubscribe: true, clicks: true },
    );
    assert.equal(html, `<a href="${unsubscribeUrl}">x</a>`);
    assert.equal(text, `Leave: ${unsubscribeUrl}`);
  });

  it('has at most a hundred unsubscribe links in each part', () => {
    const many = '{{unsubscribe_url}}\n'.repeat(101);
    const { html, text } = copy({ html: many, text: many }, { unsubscribe: true });
    for (const part of [html ?? '', text ?? '']) {
      assert.equal(part.split(unsubscribeUrl).length - 1, 100);
      assert.ok(part.endsWith('{{unsubscribe_url}}\n'));
    }
  });

  const fields: [
    name: string,
    given: Record<string, string> | undefined,
    expected: Record<string, string>,
  ][] = [
    ['none', undefined, { 'List-Unsubscribe': `<${unsubscribeUrl}>`, ...ONE_CLICK }],
    [
      'the placeholder',
      { 'X-A': 'b', 'List-Unsubscribe': '{{unsubscribe_url}}' },
      { 'X-A': 'b', 'List-Unsubscribe': `<${unsubscribeUrl}>`, ...ONE_CLICK },
    ],
    [
      'the placeholder in angle brackets, beside an address',
      { 'list-unsubscribe': '<mailto:off@a.example>, <{{unsubscribe_url}}>' },
      { 'List-Unsubscribe': `<mailto:off@a.example>, <${unsubscribeUrl}>`, ...ONE_CLICK },
    ],
    [
      'the placeholder, and a List-Unsubscribe-Post of the caller',
      { 'List-Unsubscribe': '<{{unsubscribe_url}}>', 'list-unsubscribe-post': 'List-Unsubscribe=One-Click' },
      { 'List-Unsubscribe': `<${unsubscribeUrl}>`, ...ONE_CLICK },
    ],
    [
      'a link of the caller',
      { 'List-Unsubscribe': '<https://a.example/off>' },
      { 'List-Unsubscribe': '<https://a.example/off>' },
    ],
  ];
  for (const [name, given, expected] of fields) {
    it(`sets the fields of RFC 8058 if the caller's List-Unsubscribe is ${name}`, () => {
      const content = { text: 'x {{unsubscribe_url}}', ...(given !== undefined && { headers: given }) };
      assert.deepEqual(copy(content, { unsubscribe: true }).headers, expected);
    });
  }

  it('leaves the placeholder unchanged if no unsubscribe link is requested', () => {
    assert.equal(copy({ html: '{{unsubscribe_url}}' }, { clicks: true }).html, '{{unsubscribe_url}}');
  });
});
