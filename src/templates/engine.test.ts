import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.ts';
import { processorClock } from '../../test/support/processor-time.ts';
import { anyText } from '../../test/support/any-text.ts';
import { ENGINES, FILTERS, parseTemplate, type TemplatePart } from './engine.ts';

function parsed(source: string, part: TemplatePart = 'text') {
  const result = parseTemplate(part, source);
  if ('error' in result) assert.fail(`${JSON.stringify(source)}: ${result.error}`);
  return result;
}

const variablesOf = (source: string) => parsed(source).variables;

function render(source: string, data: object, part: TemplatePart = 'text'): string {
  return String(ENGINES[part].renderSync(parsed(source, part).templates, data));
}

describe('rendering a template', () => {
  it('escapes values in HTML only', () => {
    const data = { a: `<b>"&'` };
    assert.equal(render('{{ a }}', data, 'html'), '&lt;b&gt;&#34;&amp;&#39;');
    assert.equal(render('{{ a }}', data, 'text'), `<b>"&'`);
    assert.equal(render('{{ a }}', data, 'subject'), `<b>"&'`);
  });

  it('escapes a value once even with the filter `escape`, and not at all if `raw` is the last filter', () => {
    assert.equal(render('{{ a | escape }}', { a: '<' }, 'html'), '&lt;');
    assert.equal(render('{{ a | escape }}', { a: '<' }, 'text'), '&lt;');
    assert.equal(render('{{ a | raw }}', { a: '<' }, 'html'), '<');
    assert.equal(render('{{ a | raw | upcase }}', { a: '<' }, 'html'), '&lt;');
  });

  it('reads only own properties of the data', () => {
    const source = '{{ a.constructor }}{{ a.__proto__ }}{{ toString }}{{ constructor.name }}';
    assert.equal(render(source, { a: {} }), '');
  });

  it('fails if the template exceeds the limits of memory or time', () => {
    assert.throws(() => render('{% for i in (1..100000000) %}{% endfor %}', {}), /memory alloc limit/);
    const nested = `${'{% for i in (1..1000) %}'.repeat(5)}x${'{% endfor %}'.repeat(5)}`;
    assert.throws(() => render(nested, {}), /limit exceeded/);
  });

  it('supports every filter in `FILTERS`, which error messages list', () => {
    for (const filter of FILTERS) assert.doesNotThrow(() => parsed(`{{ a | ${filter} }}`));
    assert.equal(
      render('{{ a | date: "%d %B %Y %H:%M" }}', { a: '2026-11-20T23:04:05Z' }),
      '20 November 2026 23:04',
    );
  });
});

/** Returns the names that rendering reads from the data, by rendering with data in which every name has a value. */
function namesRead(source: string): Set<string> {
  const names = new Set<string>();
  const data = new Proxy(
    {},
    {
      has: (_target, key) => {
        if (typeof key === 'string') names.add(key);
        return true;
      },
      getOwnPropertyDescriptor: () => ({ value: [1, 2], configurable: true, enumerable: true }),
      get: () => [1, 2],
    },
  );
  render(source, data);
  return names;
}

describe('any template', () => {
  const name = fc.constantFrom(
    'a',
    'b',
    'item',
    'order',
    'größe',
    'if',
    'for',
    'forloop',
    'continue',
    '1a',
    'x-y',
  );
  const loopVariable = name.filter((text) => text !== 'forloop');
  const root = name.filter((text) => !['forloop', 'continue'].includes(text));
  const path = fc
    .tuple(
      root,
      fc.array(
        fc.oneof(
          name.map((text) => `.${text}`),
          fc.constant('[0]'),
          fc.constant('["c d"]'),
        ),
        { maxLength: 2 },
      ),
    )
    .map(([first, rest]) => ({ text: first + rest.join(''), variables: [first + rest.join('')] }));
  const literal = fc
    .constantFrom('"text }}"', "'{{ a }}'", '1', '-2.5', 'true', 'nil', 'blank')
    .map((text) => ({ text, variables: [] as string[] }));
  const value = fc.oneof(path, literal);
  const filtered = fc
    .tuple(value, fc.option(value, { nil: undefined }))
    .map(([a, b]) =>
      b === undefined
        ? a
        : { text: `${a.text} | default: ${b.text}`, variables: [...a.variables, ...b.variables] },
    );
  const condition = fc
    .tuple(value, fc.constantFrom('==', '!=', '<', 'contains', 'and', 'or'), value)
    .map(([a, operator, b]) => ({
      text: `${a.text} ${operator} ${b.text}`,
      variables: [...a.variables, ...b.variables],
    }));
  interface Piece {
    text: string;
    variables: string[];
  }
  const join = (pieces: readonly Piece[]): Piece => ({
    text: pieces.map((piece) => piece.text).join(''),
    variables: pieces.flatMap((piece) => piece.variables),
  });
  const { block } = fc.letrec<{ block: Piece; piece: Piece }>((tie) => ({
    block: fc.array(tie('piece'), { maxLength: 4 }).map(join),
    piece: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom(' text ', '\n', '}}', '%', '{ ').map((text) => ({ text, variables: [] })),
      filtered.map(({ text, variables }) => ({ text: `{{ ${text} }}`, variables })),
      fc
        .constantFrom(' {% comment %}{{ z }}{% endcomment %}', '{% raw %}{{ z }}{% endraw %}')
        .map((text) => ({ text, variables: [] })),
      fc.tuple(condition, tie('block'), condition, tie('block'), tie('block')).map(([a, b, c, d, e]) => ({
        text: `{% if ${a.text} %}${b.text}{% elsif ${c.text} %}${d.text}{% else %}${e.text}{% endif %}`,
        variables: join([a, b, c, d, e]).variables,
      })),
      fc.tuple(filtered, tie('block')).map(([a, b]) => ({
        text: `{%- unless ${a.text} -%}${b.text}{% endunless %}`,
        variables: join([a, b]).variables,
      })),
      fc.tuple(loopVariable, path, tie('block'), tie('block')).map(([variable, list, body, otherwise]) => ({
        text: `{% for ${variable} in ${list.text} %}${body.text}{% else %}${otherwise.text}{% endfor %}`,
        variables: [
          ...list.variables,
          ...body.variables.filter((found) => found.split(/[.[]/)[0] !== variable),
          ...otherwise.variables,
        ],
      })),
    ),
  }));

  it('has the variables of its blocks, in the order of the blocks', () => {
    fc.assert(
      fc.property(block, ({ text, variables }) => {
        assert.deepEqual(variablesOf(text), [...new Set(variables)]);
      }),
      { numRuns: runs(500) },
    );
  });

  it('reads only its own variables during rendering', () => {
    fc.assert(
      fc.property(block, ({ text }) => {
        const roots = new Set(variablesOf(text).map((variable) => variable.split(/[.[]/)[0]));
        for (const key of namesRead(text)) assert.ok(roots.has(key), `${key} of ${text}`);
      }),
      { numRuns: runs(300) },
    );
  });

  const pieces = `{{|}}|{%|%}|{{-|-%}| |\n|a|.b|..|[|]|(|)|"|'|\\|\\"|,|:|==|not|and|true|1|-|if|elsif|else|endif|unless|endunless|for|in|endfor|raw|endraw|comment|endcomment|limit|reversed|upcase|{|}|%|#|\ud800|“|\u00a0|__proto__`;
  const hostile = fc
    .array(fc.constantFrom(...pieces.split('|'), '|'), { maxLength: 30 })
    .map((found) => found.join(''));
  const tags = fc
    .array(
      fc.oneof(
        hostile.map((text) => `{{ ${text} }}`),
        hostile.map((text) => `{% ${text} %}`),
        fc.constantFrom('{% if a %}', '{% else %}', '{% endif %}', '{% for i in a %}', '{% endfor %}'),
      ),
      { maxLength: 8 },
    )
    .map((found) => found.join(''));

  it('can be rendered, or is rejected with a position', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, tags, anyText()), (source) => {
        const result = parseTemplate('html', source);
        if ('error' in result) {
          assert.match(result.error, /^line \d+, column \d+: [^\p{Cc}]+$/u);
          assert.ok(result.error.isWellFormed());
        } else render(source, { a: ['x'] }, 'html');
      }),
      { numRuns: runs(3_000) },
    );
  });
});

it('two megabytes are parsed or rejected within seconds of processor time', () => {
  const size = 2 * 1024 * 1024;
  for (const piece of [
    '{{a}}',
    '{% if a %}',
    '{{ "',
    '{%raw%}',
    '{% comment %}',
    '{',
    'a ',
    '\n',
    '{{ a[',
    '{% raw %}{% endraw ',
  ]) {
    const usedMs = processorClock();
    parseTemplate('html', piece.repeat(size / piece.length));
    assert.ok(usedMs() < 5_000, piece);
  }
  const full = `${'x'.repeat(200)}{{ a.b }}`.repeat(9_000);
  assert.deepEqual(variablesOf(full), ['a.b']);
});
