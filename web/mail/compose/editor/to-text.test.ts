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

void test('the rows of a table are lines of plain text, with tabs between the cells', () => {
  const cell = (...content: object[]) => ({ type: 'tableCell', content });
  const row = (...content: object[]) => ({ type: 'tableRow', content });
  const table = {
    type: 'table',
    content: [row(cell(line('Q1')), cell(line('10'), line('20'))), row(cell(line('')), cell(line('30')))],
  };
  assert.equal(toText({ type: 'doc', content: [line('Sales'), table] }), 'Sales\nQ1\t10 20\n\t30');
});

void test('a cell with one line of text contains the text itself in mail, and its alignment', () => {
  const cell = (inner: string) => `<td data-style="padding: 4px" dir="auto">${inner}</td>`;
  assert.equal(
    toMail(
      `<tr>${cell('<div dir="auto">1</div>')}${cell('<div data-style="text-align: right" style="text-align: right" dir="auto">2</div>')}${cell('<div></div>')}${cell('<div>3</div><div>4</div>')}</tr>`,
    ),
    '<tr><td style="padding: 4px" dir="auto">1</td><td style="padding: 4px; text-align: right" dir="auto">2</td>' +
      '<td style="padding: 4px" dir="auto"><br></td><td style="padding: 4px" dir="auto"><div>3</div><div>4</div></td></tr>',
  );
  assert.equal(fromMail('<td style="padding: 4px"><br></td>'), '<td style="padding: 4px"></td>');
});

void test('the styles for mail replace the styles of the editor, in tags only', () => {
  assert.equal(
    toMail('<span data-style="color: #c62828" class="ink" style="--ink: #c62828">a data-style="b"</span>'),
    '<span style="color: #c62828">a data-style="b"</span>',
  );
});
