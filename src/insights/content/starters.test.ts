import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { STARTER_KEYS } from '../../model/template-starters.ts';
import { checkTemplate } from '../../templates/check-template.ts';
import { STARTERS, starterOf } from '../../templates/starters/starters.ts';
import { tryTemplate } from '../../templates/try-template.ts';
import { reportOn } from './report-on.ts';

/** What an app could load: images, frames, style sheets and fonts. Links and the declarations of colors load nothing. */
const LOADED = /\b(?:src|srcset|background)\s*=|<link\b|url\(|@import|<script/i;

/** All texts in the sample values. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

describe('each starter', () => {
  for (const key of STARTER_KEYS)
    test(`is complete with its sample values: ${key}`, () => {
      const { title, description, words, sample, ...parts } = starterOf(key);
      assert.ok(title !== '' && description.length < 60);
      assert.deepEqual(
        words,
        [...words].map((word) => word.toLowerCase()),
      );
      checkTemplate({ name: title, ...parts });
      const variables = JSON.parse(sample) as Record<string, unknown>;
      const { errors, missing, fault, filled } = tryTemplate(parts, variables);
      assert.deepEqual({ errors, missing, fault }, { errors: {}, missing: [], fault: null });
      const { subject = '', html = '', text = '' } = filled;
      assert.ok(subject.trim() !== '');
      assert.doesNotMatch(html, LOADED);
      for (const value of textsIn(variables)) {
        assert.ok(html.includes(value) || subject.includes(value), `the HTML does not contain ${value}`);
        assert.ok(text.includes(value), `the text does not contain ${value}`);
      }
      for (const line of text.split('\n')) assert.ok(line.length <= 100, line);
      const { checks } = reportOn({ raw: null, subject, html, text, isBulk: false }, 'posthorn.example', 0);
      assert.deepEqual(
        checks.filter(({ result }) => result !== 'pass'),
        [],
      );
    });

  test('has a title of its own', () => {
    const titles = Object.values(STARTERS).map(({ title }) => title);
    assert.equal(new Set(titles).size, titles.length);
  });
});
