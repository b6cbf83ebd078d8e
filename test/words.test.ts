/** The wording of code and docs; the spelling is checked by `npm run check:spelling`. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { test } from 'node:test';

const ROOT = new URL('../', import.meta.url).pathname;
const FILES = [
  '{src,web,sdk,test,bench,deploy,docs}/**/*.{ts,tsx,css,sh,md,yaml,txt}',
  '{README,CHANGELOG,CONTRIBUTING,SECURITY}.md',
  '.ci/run',
];

/** Files that quote other servers, or name the Unix account "nobody". */
const DATA = [
  'src/installation/embedded/{account,embedded.test}.ts',
  'src/receiving/vacation/may-send-reply.ts',
  'src/sending/replies/vocabulary.ts',
  'test/support/bounce-{replies,samples}.ts',
];

/** Pronouns that stand for a noun, and expressions that no native speaker uses. An address or account called "nobody" is data. */
const DIALECT =
  /\b(?:whoever|whomever|nobody(?![@:'])|somebody|becomes of|is told|are told|for good|mend(?:s|ed)?|who (?:asks|reads|writes|makes|has|is) (?:it|them|this|that|is|may))\b/i;
/** A comment that opens with a clause where its noun should be. A continuation line begins with a small letter and is not an opening. */
const NO_NOUN =
  /^\s*(?:\/\/|\/?\*\*?|#|--)\s*(?:What (?:is|comes|was|has)|Who |Whom |Those (?:that|of|who)|That of|The same for (?:one|those)|As (?:it|they) (?:is|are)|Of (?:a|the|no|those))\b/;

test('code, comments and docs name the thing they talk about', async () => {
  const found: string[] = [];
  for await (const file of glob(FILES, {
    cwd: ROOT,
    exclude: ['**/node_modules', '**/dist', 'test/words.test.ts', ...DATA],
  })) {
    readFileSync(`${ROOT}${file}`, 'utf8')
      .split('\n')
      .forEach((line, index) => {
        const match = DIALECT.exec(line) ?? NO_NOUN.exec(line);
        if (match) found.push(`${file}:${index + 1}: ${match[0].trim()}`);
      });
  }
  assert.deepEqual(found, [], 'Say who or what is meant: "the recipient", "no notification is sent".');
});
