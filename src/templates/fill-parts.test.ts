import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.ts';
import { anyText } from '../../test/support/any-text.ts';
import { parseTemplate } from './engine.ts';
import { type FilledTemplate, type Filling, fillParts, type ParsedParts, PARTS } from './fill-parts.ts';

function fill(sources: Partial<FilledTemplate>, variables: Readonly<Record<string, unknown>> = {}): Filling {
  const parsed = PARTS.map((part) => {
    const result = parseTemplate(part, sources[part] ?? '');
    if ('error' in result) assert.fail(result.error);
    return [part, result.templates] as const;
  });
  return fillParts(Object.fromEntries(parsed) as unknown as ParsedParts, variables);
}

function filled(...args: Parameters<typeof fill>): FilledTemplate {
  const filling = fill(...args);
  if (!('filled' in filling)) assert.fail(JSON.stringify(filling));
  return filling.filled;
}

describe('filling a template', () => {
  it('escapes values in the HTML, and leaves them unchanged in subject and text', () => {
    const sources = { subject: '{{ a }}', html: '<p title="{{ a }}">{{ a }}</p>', text: '{{ a }}' };
    assert.deepEqual(filled(sources, { a: `<b>&"'` }), {
      subject: `<b>&"'`,
      html: '<p title="&lt;b&gt;&amp;&#34;&#39;">&lt;b&gt;&amp;&#34;&#39;</p>',
      text: `<b>&"'`,
    });
  });

  it('keeps the placeholder of the unsubscribe link if no value is passed for `unsubscribe_url`', () => {
    assert.equal(filled({ text: '{{ unsubscribe_url }}' }).text, '{{unsubscribe_url}}');
    assert.equal(filled({ html: '<a href="{{unsubscribe_url}}">' }).html, '<a href="{{unsubscribe_url}}">');
    assert.equal(filled({ text: '{{ unsubscribe_url }}' }, { unsubscribe_url: 'x' }).text, 'x');
  });

  it('joins lists without separators, outputs nothing for null, and rejects objects', () => {
    assert.equal(filled({ text: '{{ a }}.' }, { a: ['x', 1, null, true] }).text, 'x1true.');
    for (const part of ['text', 'html'])
      assert.deepEqual(fill({ text: 'x', [part]: '\n {{ a }}' }, { a: [{ toString: 1 }] }), {
        fault: `${part}: line 2, column 2: an object cannot be output; name one of its members`,
      });
  });

  it('rejects numbers beyond the range of a double', () => {
    const variables = JSON.parse('{"a": 1e400, "b": 1e308}') as Record<string, unknown>;
    for (const text of ['{{ a }}', '{{ b | times: 10 }}'])
      assert.deepEqual(fill({ text }, variables), {
        fault: 'text: line 1, column 1: a number is too large for output; pass it as text',
      });
  });

  it('reports the full name of every missing variable', () => {
    const sources = {
      subject: '{{ name }} {{ order.id }}',
      html: '{% for item in items %}{{ item.price }}{{ item.name }}{% endfor %}{{ name }}',
      text: '{% for each in others %}{% endfor %}{{ deep.er["one more"] }}',
    };
    assert.deepEqual(fill(sources, { order: {}, items: [{ name: 1 }, { name: 1 }], deep: { er: {} } }), {
      missing: ['name', 'order.id', 'item.price', 'others', 'deep.er["one more"]'],
    });
  });

  it('allows a missing variable in a condition or with a default', () => {
    const text =
      '{% if a %}{{ a }}{% elsif b.c == 1 %}{{ b.c }}{% else %}none{% endif %}{{ d | default: "D" }}';
    assert.equal(filled({ text }).text, 'noneD');
    assert.equal(filled({ text }, { b: { c: 1 }, d: 2 }).text, '12');
  });

  it('reads only own properties of the data', () => {
    const text = '{{ toString }}{{ a.constructor }}{{ a.__proto__.b }}{{ __proto__.c }}';
    assert.deepEqual(fill({ text }, { a: {} }), {
      missing: ['toString', 'a.constructor', 'a.__proto__.b', '__proto__.c'],
    });
    const variables = JSON.parse(
      '{"__proto__":{"c":1},"a":{"__proto__":{"b":2},"constructor":3},"toString":4}',
    );
    assert.equal(filled({ text }, variables).text, '4321');
    assert.equal(({} as { c?: unknown }).c, undefined);
  });

  for (const [what, text, fault] of [
    [
      'loops without end',
      `${'{% for i in (1..1000) %}'.repeat(5)}{% endfor %}${'{% endfor %}'.repeat(4)}`,
      /limit exceeded/,
    ],
    [
      'creates a list of millions',
      '{% for i in (1..100000000) %}{% endfor %}',
      /memory alloc limit exceeded/,
    ],
    [
      'outputs gigabytes',
      `{% for i in (1..100000) %}${'x'.repeat(10_000)}{% endfor %}`,
      /becomes longer than 2097152 bytes/,
    ],
    [
      'outputs many bytes in few characters',
      `{% for i in (1..800) %}${'€'.repeat(1_000)}{% endfor %}`,
      /becomes longer than/,
    ],
    ['outputs nothing', '{% if a %}x{% endif %}', /both empty/],
  ] as const)
    it(`rejects a template that ${what}`, () => {
      const filling = fill({ text });
      assert.match('fault' in filling ? filling.fault : '', fault);
    });

  it('rejects a subject that becomes longer than 998 characters', () => {
    assert.equal(filled({ subject: '{{ a }}', text: 'x' }, { a: 'y'.repeat(998) }).subject.length, 998);
    assert.deepEqual(fill({ subject: '{{ a }}', text: 'x' }, { a: 'y'.repeat(999) }), {
      fault: 'subject: becomes longer than 998 characters',
    });
  });
});

describe('variables with any values', () => {
  const breaking = fc.oneof(
    anyText(),
    fc
      .array(
        fc.constantFrom(
          '\r',
          '\n',
          '\u2028',
          '"',
          "'",
          '<',
          '>',
          '&',
          '--',
          '{{',
          '}}',
          '{%',
          '=',
          '/',
          ' ',
          'a',
          '\ud800',
        ),
      )
      .map((parts) => parts.join('')),
  );

  it('cannot break out of an attribute or text, or add a line to the header', () => {
    fc.assert(
      fc.property(breaking, breaking, (a, b) => {
        const { subject, html, text } = filled(
          {
            subject: 'To {{ a }}{{ b }}',
            html: `<p title="{{ a }}" lang='{{ b }}'>{{ a }}<!-- -->{{ b }}</p>`,
            text: '{{ a }}',
          },
          { a, b },
        );
        const [, double = '', single = '', inner = '', last = ''] =
          /^<p title="([^"]*)" lang='([^']*)'>([^<]*)<!-- -->([^<]*)<\/p>$/.exec(html) ?? [];
        for (const [value, of] of [
          [double, a],
          [single, b],
          [inner, a],
          [last, b],
        ] as const) {
          assert.doesNotMatch(value, /[<>"']|&(?!(?:amp|lt|gt|#34|#39);)/);
          assert.equal(unescaped(value), of.toWellFormed());
        }
        assert.doesNotMatch(subject, /[\p{Cc}\u2028\u2029]/u);
        assert.equal(text, a.toWellFormed());
      }),
      { numRuns: runs(500) },
    );
  });

  it('are filled in, or rejected with the part at fault', () => {
    const source =
      '{{ a }}{{ a.b | upcase }}{% for x in a %}{{ x.b | default: x }}{% endfor %}{{ a | date: "%Y" }}{{ a | round | times: 2 }}{{ a | join }}';
    fc.assert(
      fc.property(fc.jsonValue(), (a) => {
        const filling = fill({ subject: source, html: source, text: `${source}.` }, { a });
        if ('fault' in filling) assert.match(filling.fault, /^(?:subject|html|text): /);
      }),
      { numRuns: runs(500) },
    );
  });
});

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', '#34': '"', '#39': "'" };

function unescaped(html: string): string {
  return html.replaceAll(/&(amp|lt|gt|#34|#39);/g, (_, name: string) => ENTITIES[name] ?? '');
}
