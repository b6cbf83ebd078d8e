import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fromMail, fromText, toMail } from './html.ts';
import { linkOf } from './links.ts';
import { toText } from './to-text.ts';

const line = (text: string, href?: string) => ({
  type: 'paragraph',
  content: [{ type: 'text', text, ...(href && { marks: [{ type: 'link', attrs: { href } }] }) }],
});

test('lists, quotes and links are converted to plain-text symbols', () => {
  const item = (...content: object[]) => ({ type: 'listItem', content });
  const text = toText({
    type: 'doc',
    content: [
      line('Hello'),
      { type: 'paragraph' },
      {
        type: 'orderedList',
        attrs: { start: 9 },
        content: [item(line('one')), item(line('two'), line('more'))],
      },
      { type: 'blockquote', content: [line('said'), { type: 'bulletList', content: [item(line('point'))] }] },
      line('the offer', 'https://acme.example/offer'),
      line('acme.example', 'https://acme.example/'),
      { type: 'codeBlock', content: [{ type: 'text', text: 'a\n  b' }] },
      { type: 'paragraph' },
    ],
  });
  assert.deepEqual(text.split('\n'), [
    'Hello',
    '',
    '9. one',
    '10. two',
    '    more',
    '> said',
    '> - point',
    'the offer <https://acme.example/offer>',
    'acme.example',
    'a',
    '  b',
  ]);
});

test('plain text is converted to lines of HTML, and tags in the text are escaped', () => {
  assert.equal(fromText('a <b> & c\n\n  d'), '<div>a &lt;b&gt; &amp; c</div><div></div><div>\u00A0 d</div>');
});

test('an empty line survives conversion to mail and back', () => {
  const html = '<div dir="auto">a</div><div dir="auto"></div><div></div>';
  assert.equal(toMail(html), '<div dir="auto">a</div><div dir="auto"><br></div><div><br></div>');
  assert.equal(fromMail(toMail(html)), html);
});

test('a link is valid only with a web, mail or phone URL', () => {
  assert.equal(linkOf(' acme.example/a '), 'https://acme.example/a');
  assert.equal(linkOf('ann@acme.example'), 'mailto:ann@acme.example');
  assert.equal(linkOf('tel:+49301234'), 'tel:+49301234');
  assert.equal(linkOf('acme.example:8080/a'), 'https://acme.example:8080/a');
  for (const bad of [
    'javascript:alert(1)',
    'JaVaScRiPt:x',
    'data:text/html,x',
    'file:///etc',
    'vbscript:x',
    'word',
    'two words.example',
    '',
  ])
    assert.equal(linkOf(bad), null, bad);
});
