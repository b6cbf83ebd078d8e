import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { dashboardDocument } from '../../src/edge/http/dashboard/openapi.ts';
import { GENERATED, generate } from './generate.ts';

test('what is committed is what the document of the dashboard makes', async () => {
  const isEqual = (await readFile(GENERATED, 'utf8')) === generate(dashboardDocument());
  assert.ok(isEqual, 'the dashboard has changed: npm run -s generate -w web');
});
