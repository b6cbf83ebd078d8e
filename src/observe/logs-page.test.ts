import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { documentedLines } from '../../test/support/logs-page.ts';
import { LOG_MESSAGES } from './log-messages.ts';

const SOURCES = fileURLToPath(new URL('../', import.meta.url));
/** A call of a logger up to its end, as far as no text has a parenthesis. */
const CALL =
  /logger(?:\??\.(?:debug|info|warn|error|fatal)|\[[^\]]+\])\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g;

function sources(): string[] {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(name));
}

test('the page has every message of the log, and no other', () => {
  assert.deepEqual([...documentedLines().keys()].toSorted(), Object.values(LOG_MESSAGES).toSorted());
});

test('a message has one text, so that it can be searched for', () => {
  assert.equal(new Set(Object.values(LOG_MESSAGES)).size, Object.keys(LOG_MESSAGES).length);
});

test('every message is logged somewhere, and nothing else is', () => {
  const logged = new Set<string>();
  for (const name of sources()) {
    const source = readFileSync(`${SOURCES}/${name}`, 'utf8');
    for (const [, key = ''] of source.matchAll(/LOG_MESSAGES\.(\w+)/g)) logged.add(key);
    for (const [call] of source.matchAll(CALL))
      assert.doesNotMatch(call, /['"`][^'"`]*['"`],?\s*\)$/, `${name} has a message of its own`);
  }
  assert.deepEqual([...logged].toSorted(), Object.keys(LOG_MESSAGES).toSorted());
});
