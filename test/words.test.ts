/** Checks the wording of code and docs. `npm run check:spelling` checks the spelling. */
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

/** Pronouns used as nouns, and expressions that no native speaker uses. Addresses and accounts called "nobody" are allowed. */
const DIALECT =
  /\b(?:whoever|whomever|nobody(?![@:'])|somebody|becomes of|is told|are told|for good|mend(?:s|ed)?|who (?:asks|reads|writes|makes|has|is) (?:it|them|this|that|is|may))\b/i;
/** A comment that begins with a clause instead of a noun. Continuation lines do not match, because they begin with a lower-case letter. */
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
