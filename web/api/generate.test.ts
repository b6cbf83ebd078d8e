import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { GENERATED, generate } from './generate.ts';

for (const { application, file, document } of GENERATED) {
  test(`what is committed is what the document of the ${application} makes`, async () => {
    const isEqual = (await readFile(file, 'utf8')) === generate(application, document());
    assert.ok(isEqual, `the ${application} has changed: npm run -s generate -w web`);
  });
}
