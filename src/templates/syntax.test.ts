import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { runs } from '../../test/support/property-runs.ts';
import { parseTemplate } from './engine.ts';

function variablesOf(source: string): string[] {
  const result = parseTemplate('text', source);
  if ('error' in result) assert.fail(`${JSON.stringify(source)}: ${result.error}`);
  return result.variables;
}

function errorOf(source: string): string {
  const result = parseTemplate('html', source);
  assert.ok('error' in result, `${JSON.stringify(source)} is accepted`);
  return result.error;
}

describe('the variables of a template', () => {
  const cases: [what: string, source: string, variables: string[]][] = [
    ['are none in text without tags', 'Hello } } {x} %}', []],
    ['include the whole of a dotted name', '{{ order.id }}', ['order.id']],
    ['are listed once, in order of first appearance', '{{ b }}{{ a }}{{ b }}', ['b', 'a']],
    ['are found without spaces and with line breaks', '{{a}}{{\n b\n}}{{- c -}}', ['a', 'b', 'c']],
    [
      'are found in conditions, in the order of the source',
      '{% if a == b %}{{ c }}{% elsif d %}{% endif %}',
      ['a', 'b', 'c', 'd'],
    ],
    [
      'are found after not, and, or, contains',
      '{% if a and not b or c contains d %}{% endif %}',
      ['a', 'b', 'c', 'd'],
    ],
    ['are found in unless', '{% unless a %}{{ b }}{% else %}{{ c }}{% endunless %}', ['a', 'b', 'c']],
    ['are found in arguments of filters', '{{ a | default: b | date: c.d }}', ['a', 'b', 'c.d']],
    ['are found in named arguments of filters', '{{ a | default: b, allow_false: c }}', ['a', 'b', 'c']],
    [
      'include the list of a loop, but not its loop variable',
      '{% for i in a.b %}{{ i }}{{ i.c }}{{ d }}{% endfor %}',
      ['a.b', 'd'],
    ],
    ['do not include forloop in a loop', '{% for i in a %}{{ forloop.index }}{% endfor %}', ['a']],
    [
      'include the names of a loop outside of it',
      '{% for i in a %}{% endfor %}{{ i }}{{ forloop }}',
      ['a', 'i', 'forloop'],
    ],
    [
      'include the list of a loop with a loop variable of the same name',
      '{% for a in a %}{{ a }}{% endfor %}',
      ['a'],
    ],
    [
      'include the name of the loop variable in the else of a loop',
      '{% for i in a %}{% else %}{{ i }}{% endfor %}',
      ['a', 'i'],
    ],
    [
      'are found in nested loops',
      '{% for i in a %}{% for j in i.b %}{{ i }}{{ j }}{{ c }}{% endfor %}{% endfor %}',
      ['a', 'c'],
    ],
    [
      'are found in parameters of a loop',
      '{% for i in a limit: b offset: c.d reversed %}{% endfor %}',
      ['a', 'b', 'c.d'],
    ],
    [
      'do not include the continue of offset: continue',
      '{% for i in a limit: 2 offset: continue %}{% endfor %}',
      ['a'],
    ],
    ['are found in ranges', '{% for i in (1..n.m) %}{% endfor %}', ['n.m']],
    ['are not found in comments', '{% comment %}{{ a }}{% if %}{% nonsense %}{% endcomment %}{{ b }}', ['b']],
    ['are not found in raw', '{% raw %}{{ a }}{% if %}{% endraw %}{{ b }}', ['b']],
    ['are not found in strings', '{{ "{{ a }} }}" | append: b }}', ['b']],
    ['do not include literals', '{{ true }}{{ nil }}{{ 1.5 }}{{ -3 }}{% if a == blank %}{% endif %}', ['a']],
    ['do not include properties of a string literal', '{{ "abc".size }}{{ "abc"[n] }}', ['n']],
    ['include an index', '{{ items[0].name }}', ['items[0].name']],
    ['include a quoted property', `{{ a["b"]['c d'].e }}`, ['a.b["c d"].e']],
    ['end before an index that is a variable', '{{ prices[plan.id].net }}', ['prices', 'plan.id']],
    ['end before an index that is a loop variable', '{% for k in a %}{{ b[k] }}{% endfor %}', ['a', 'b']],
    ['may have a quoted root', '{{ ["a b"].c }}{{ ["true"] }}', ['["a b"].c', '["true"]']],
    ['may have names outside ASCII', '{{ größe.日本 }}', ['größe.日本']],
    [
      'may have the names of properties of JavaScript objects',
      '{{ __proto__.constructor }}{{ toString }}',
      ['__proto__.constructor', 'toString'],
    ],
  ];
  for (const [what, source, variables] of cases) {
    it(what, () => assert.deepEqual(variablesOf(source), variables));
  }
});

describe('a syntax error is reported with its position and the reason', () => {
  const cases: [source: string, error: RegExp][] = [
    ['a\nb\n  {{ c', /^line 3, column 3: output .* not closed$/],
    ['é\r\n{% if a %}', /^line 2, column 1: tag \{% if a %\} not closed$/],
    ['{% if a', /^line 1, column 1: tag .* not closed$/],
    ['{{ }}', /invalid value expression/],
    ['{{{ a }}}', /invalid value expression/],
    ['{{ first name }}', /^line 1, column 10: two values without an operator between them$/],
    ['{{ a, b }}', /^line 1, column 5: unexpected ", b"$/],
    ['{{ a ) }}', /unexpected/],
    ['{{ a | upcase ) }}', /unexpected/],
    ['{{ a + b }}', /expected "\|" before filter/],
    ['{{ a = b }}', /expected "\|" before filter/],
    ['{{ a | nonsense }}', /there is no filter nonsense; the available filters are append, /],
    ['{{ a | replace: "b", "c" }}', /there is no filter replace/],
    ['{{ a | default: b: }}', /a filter has an argument without a value/],
    ['{{ a[] }}', /brackets must contain exactly one value/],
    ['{{ a[b | upcase] }}', /brackets must contain exactly one value/],
    ['{{ a[b }}', /\[ not closed/],
    ['{% if a == %}{% endif %}', /a value is missing at the end/],
    ['{% if == a %}{% endif %}', /a value is missing before ==/],
    ['{% if a not b %}{% endif %}', /two values without/],
    ['{% if a == "b %}{% endif %}', /a quote is not closed/],
    ['{% if a == "b\\" %}{% endif %}', /a quote is not closed/],
    ['{% if %}{% endif %}', /invalid value expression/],
    ['{% if a && b %}{% endif %}', /expected "\|"/],
    ['{% if a %}{% else if b %}{% endif %}', /unexpected "if b"; a further condition is elsif/],
    ['{% if a %}{% else %}{% else %}{% endif %}', /else after else/],
    ['{% unless a %}{% else %}{% elsif b %}{% endunless %}', /elsif after else/],
    ['{% if a %}{% endfor %}', /endfor is not inside the tag that it belongs to/],
    ['{% endif %}', /endif is not inside the tag that it belongs to/],
    ['{% else %}', /else is not inside the tag that it belongs to/],
    ['{% for a in b %}{% elsif c %}{% endfor %}', /elsif is not inside the tag that it belongs to/],
    [
      '{% comment %}{% comment %}{% endcomment %}{% endcomment %}',
      /endcomment is not inside the tag that it belongs to/,
    ],
    ['{% raw %}{% endif %}', /not closed/],
    ['{% for forloop in a %}{% endfor %}', /forloop cannot be the loop variable/],
    ['{% for a of b %}{% endfor %}', /illegal tag: \{% for a of b %\}/],
    ['{% for a in b | sort %}{% endfor %}', /unexpected/],
    ['{% for a in b limit 3 %}{% endfor %}', /may be followed by limit: n/],
    ['{% for a in b limit: %}{% endfor %}', /may be followed by limit: n/],
    ['{% for a in b nonsense: c %}{% endfor %}', /may be followed by limit: n/],
    ['{% assign a = b %}', /there is no tag assign; the available tags are if, /],
    ['{% include "/etc/passwd" %}', /there is no tag include/],
    ['{% render "a" %}', /there is no tag render/],
    ['{% layout "a" %}', /there is no tag layout/],
    ['{% liquid\necho a %}', /there is no tag liquid/],
    ['{% constructor %}', /there is no tag constructor/],
    ['{% %}', /tag name expected/],
    [`{{ ${'a'.repeat(2_000)} }}`, /a tag longer than 2000/],
    ['{{a}}'.repeat(10_001), /more than 10000 tags/],
    ['{% if a %}'.repeat(51), /nest deeper than 50/],
    [`{{ ${'a['.repeat(900)} }}`, /^line 1/],
    ['a'.repeat(2 * 1024 * 1024 + 1), /longer than/],
  ];
  for (const [source, error] of cases) {
    it(JSON.stringify(source.slice(0, 60)), () => assert.match(errorOf(source), error));
  }
});

it('a reported variable name can be used in a template, and is then reported unchanged', () => {
  const property = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1 }),
    fc.constantFrom('true', 'and', '-', '1', '}}', '"'),
  );
  fc.assert(
    fc.property(property, property, (first, second) => {
      const [found] = variablesOf(`{{ [${JSON.stringify(first)}][${JSON.stringify(second)}] }}`);
      assert.deepEqual(variablesOf(`{{ ${found} }}`), [found]);
    }),
    { numRuns: runs(500) },
  );
});
