import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { html, joined } from './html.ts';

test('template values are escaped unless they come from a template', () => {
  assert.equal(
    html`<p title="${`a"b'c`}">${'<b>&'}${html`<i>${1}</i>`}${[null, 'x', ['>']]}</p>`.toString(),
    '<p title="a&quot;b&#39;c">&lt;b&gt;&amp;<i>1</i>x&gt;</p>',
  );
  assert.equal(joined(['<', html`<i></i>`, 'b'], ', ').toString(), '&lt;, <i></i>, b');
});

test('escaped text opens no tag, ends no attribute, and is preserved completely', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      const escaped = html`${text}`.toString();
      assert.ok(!/[<>"']|&(?!(?:amp|lt|gt|quot|#39);)/.test(escaped));
      const names: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
      assert.equal(
        escaped.replaceAll(/&([^;]+);/g, (_, name: string) => names[name] ?? ''),
        text,
      );
    }),
  );
});
