import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { documentedLines } from '../../test/support/logs-page.ts';
import { LOG_MESSAGES } from './log-messages.ts';

const SOURCES = fileURLToPath(new URL('../', import.meta.url));
/** Matches a whole call of the logger, provided that no text in the call contains a parenthesis. */
const CALL =
  /logger(?:\??\.(?:debug|info|warn|error|fatal)|\[[^\]]+\])\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)/g;

function sources(): string[] {
  const names = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' });
  return names.filter((name) => name.endsWith('.ts') && !/\.(?:test|fixture)\.ts$/.test(name));
}

test('docs/operate/logs.md lists exactly the log messages', () => {
  assert.deepEqual([...documentedLines().keys()].toSorted(), Object.values(LOG_MESSAGES).toSorted());
});

test('log messages are unique, so that operators can search for them', () => {
  assert.equal(new Set(Object.values(LOG_MESSAGES)).size, Object.keys(LOG_MESSAGES).length);
});

test('every log message is used, and no other text is logged', () => {
  const logged = new Set<string>();
  for (const name of sources()) {
    const source = readFileSync(`${SOURCES}/${name}`, 'utf8');
    for (const [, key = ''] of source.matchAll(/LOG_MESSAGES\.(\w+)/g)) logged.add(key);
    for (const [call] of source.matchAll(CALL))
      assert.doesNotMatch(call, /['"`][^'"`]*['"`],?\s*\)$/, `${name} logs a literal message`);
  }
  assert.deepEqual([...logged].toSorted(), Object.keys(LOG_MESSAGES).toSorted());
});
