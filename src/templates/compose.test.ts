import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { processorClock } from '../../test/support/processor-time.ts';
import { AppError } from '../model/app-error.ts';
import type { Piece } from './fields.ts';
import { checkAuthored, checkPiece, recompose, tryAuthored } from './check-piece.ts';
import { composeTemplate } from './compose.ts';
import { fillParts, parseParts } from './fill-parts.ts';

const partial = (name: string, html: string, text = ''): Piece => ({
  id: `p-${name}`,
  kind: 'partial',
  name,
  html,
  text,
});
const layout = (html: string, text = ''): Piece => ({
  id: 'l-main',
  kind: 'layout',
  name: 'main',
  html,
  text,
});
const FOOTER = partial('footer', '<hr>{{ company }}', '-- {{ company }}');

const compose = (html: string, pieces: Piece[], layoutId: string | null = null) =>
  composeTemplate({ subject: '', html, text: '' }, layoutId, pieces);

function composed(html: string, pieces: Piece[], layoutId: string | null = null): string {
  const { sources, errors } = compose(html, pieces, layoutId);
  assert.deepEqual(errors, {});
  return sources.html;
}

const faultOf = (html: string, pieces: Piece[], layoutId: string | null = null) =>
  compose(html, pieces, layoutId).errors.html;

describe('composing a template', () => {
  it('inserts partials by name, and the template into its layout', () => {
    const main = layout('<main>{% content %}</main>{% include "footer" %}');
    const pieces = [main, FOOTER, partial('hi', 'Hi')];
    assert.equal(composed('<p>{% include "hi" %}</p>', pieces), '<p>Hi</p>');
    assert.equal(composed("{% include 'hi' %}!", pieces, 'l-main'), '<main>Hi!</main><hr>{{ company }}');
    assert.deepEqual(compose('x', pieces, 'l-main').pieceIds, ['l-main', 'p-footer']);
  });

  it('removes white space like other tags', () => {
    const hi = partial('hi', ' Hi ');
    assert.equal(composed('a \n{%- include "hi" -%}\n b', [hi]), 'a Hi b');
  });

  it('does not insert into comments and raw text', () => {
    for (const source of [
      '{% comment %}{% include "none" %}{% endcomment %}',
      '{% raw %}{% include "none" %}{% endraw %}',
    ])
      assert.equal(composed(source, []), source);
  });

  it('uses the HTML of pieces in the HTML only, and the text in the text only', () => {
    const pieces = [layout('<b>{% content %}</b>', '* {% content %} *'), FOOTER];
    const both = composeTemplate(
      { subject: 's', html: 'h{% include "footer" %}', text: 't{% include "footer" %}' },
      'l-main',
      pieces,
    );
    assert.deepEqual(both.sources, {
      subject: 's',
      html: '<b>h<hr>{{ company }}</b>',
      text: '* t-- {{ company }} *',
    });
    assert.equal(composeTemplate({ subject: '', html: '', text: 't' }, 'l-main', pieces).sources.html, '');
    const onlyHtml = composeTemplate({ subject: '', html: 'h', text: 't' }, 'l-main', [
      layout('<b>{% content %}</b>'),
    ]);
    assert.deepEqual([onlyHtml.sources.html, onlyHtml.sources.text], ['<b>h</b>', 't']);
  });

  it('escapes the values of partials in the HTML, and loops over partials', () => {
    const row = partial('row', '<td>{{ item }}</td>');
    const { sources } = compose('{% for item in items %}{% include "row" %}{% endfor %}', [row]);
    const parsed = parseParts({ ...sources, subject: 's' });
    assert.ok(!('fault' in parsed));
    const filling = fillParts(parsed, { items: ['<', '&'] });
    assert.ok('filled' in filling);
    assert.equal(filling.filled.html, '<td>&lt;</td><td>&amp;</td>');
  });

  const faults: readonly (readonly [
    source: string,
    pieces: Piece[],
    layoutId: string | null,
    fault: RegExp,
  ])[] = [
    ['\n {% include "no" %}', [], null, /^line 2, column 2: there is no partial no$/],
    ['{% include no %}', [], null, /^line 1, column 1: write the name of the partial in quotes/],
    ['{% content %}', [], null, /only available in a layout/],
    ['{% include "a" %}', [partial('a', '', 'x')], null, /the partial a has no HTML/],
    [
      '{% include "a" %}',
      [partial('a', '{% include "a" %}')],
      null,
      /^partial a, line 1, column 1: a partial cannot include another partial$/,
    ],
    ['{{% include "a" %}', [partial('a', '{ x }}')], null, /would begin a tag|not closed/],
    ['x', [], 'l-main', /its layout does not exist/],
    ['x', [layout('<p>')], 'l-main', /^layout main, line 1, column 1: the layout lacks/],
    ['x', [layout('{% content %}{% content %}')], 'l-main', /only once/],
    ['{% if a %}', [layout('{% content %}{% endif %}')], 'l-main', /^line 1, column 1: /],
  ];
  for (const [source, pieces, layoutId, fault] of faults)
    it(`rejects ${JSON.stringify(source)} with ${JSON.stringify(pieces.map(({ html }) => html))}`, () => {
      assert.match(faultOf(source, pieces, layoutId) ?? '', fault);
    });

  it('rejects two sources that begin a tag only together', () => {
    assert.match(faultOf('{% include "a" %}{ x }}', [partial('a', '{')]) ?? '', /would begin a tag/);
  });

  it('stops at the size limit, even if a short template includes a large partial many times', () => {
    const large = partial('large', 'x'.repeat(1024 * 1024));
    assert.match(
      faultOf('{% include "large" %}'.repeat(9_000), [large]) ?? '',
      /has more than 2097152 bytes/,
    );
  });

  it('takes time proportional to the length of the template', () => {
    const usedMs = processorClock();
    compose('{%- include "a" -%} '.repeat(100_000), [partial('a', 'x')]);
    assert.ok(usedMs() < 5_000);
  });
});

describe('errors in composed templates', () => {
  it('name the piece, and the position in it', () => {
    const pieces = [
      layout('<p>\n{% content %}</p>{% include "footer" %}'),
      partial('footer', '\n\n{{ a b }}'),
    ];
    const trial = tryAuthored({ subject: '', html: 'x', text: '' }, 'l-main', pieces, {});
    assert.match(trial.errors.html ?? '', /^partial footer, line 3, column 6: two values/);
    const own = tryAuthored(
      { subject: '', html: 'x\n{{ a b }}', text: '' },
      'l-main',
      [layout('\n{% content %}')],
      {},
    );
    assert.match(own.errors.html ?? '', /^line 2, column 6: two values/);
  });

  it('have the position of the template if the value of a variable causes them', () => {
    const pieces = [layout('<p>\n{% content %}</p>')];
    const trial = tryAuthored({ subject: '', html: 'ab{{ o }}', text: '' }, 'l-main', pieces, { o: {} });
    assert.match(trial.errors.html ?? '', /^line 1, column 3: an object/);
    assert.equal(trial.filled.html, undefined);
  });

  it('are reported for each field when a template is checked', () => {
    const fields = { name: 'n', subject: '{{', html: '{% include "no" %}', text: '', layoutId: null };
    assert.throws(
      () => checkAuthored(fields, []),
      (error) => error instanceof AppError && /no partial/.test(error.errors?.['html'] ?? ''),
    );
  });
});

describe('checking a piece', () => {
  it('accepts complete pieces, and names the invalid fields of others', () => {
    assert.deepEqual(checkPiece(FOOTER, []), {});
    assert.deepEqual(checkPiece(layout('{% content %}{% include "footer" %}'), [FOOTER]), {});
    for (const [piece, fields] of [
      [partial('a"b', 'x'), ['name']],
      [partial('a', ''), ['html']],
      [partial('a', '{% if x %}'), ['html']],
      [partial('a', 'x', '{% content %}'), ['text']],
      [layout('x', '{% content %}'), ['html']],
      [layout('{% content %}{% include "no" %}'), ['html']],
    ] as const)
      assert.deepEqual(Object.keys(checkPiece(piece, [])), fields, JSON.stringify(piece));
  });
});

describe('composing a published template with a changed piece', () => {
  const fields = { name: 'n', subject: 's', html: '{% include "footer" %}', text: '', layoutId: null };
  const changed = (html: string) =>
    recompose(fields, { before: [FOOTER], after: [partial('footer', html)] }, {});

  it('rejects a variable that the sample data lacks, unless it was missing before or has a default', () => {
    assert.deepEqual(changed('{{ company }}{{ phone }}'), { problem: 'missing: phone' });
    assert.ok('html' in changed('{{ company }}!'));
    assert.ok('html' in changed('{{ phone | default: "-" }}'));
  });

  it('rejects a piece that no longer exists under its name', () => {
    const result = recompose(fields, { before: [FOOTER], after: [partial('foot', 'x')] }, {});
    assert.deepEqual(result, { problem: 'html: line 1, column 1: there is no partial footer' });
  });
});
