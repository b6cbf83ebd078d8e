/** The workflow that publishes a release. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';

interface Job {
  needs?: string | string[];
  environment?: string;
  permissions?: Record<string, string>;
  steps: { uses?: string; run?: string; env?: Record<string, string> }[];
}

const { on, permissions, jobs } = parse(
  readFileSync(join(import.meta.dirname, '../../../.github/workflows/release.yml'), 'utf8'),
) as { on: object; permissions: object; jobs: Record<string, Job> };
const UPLOAD = /docker login|buildx build --push|npm@\d+ publish|gh release create/;

test('only a tag starts the workflow', () => {
  assert.deepEqual(on, { push: { tags: ['v[0-9]+.[0-9]+.[0-9]+'] } });
});

test('every action is named by its commit', () => {
  const actions = Object.values(jobs).flatMap(({ steps }) => steps.flatMap(({ uses }) => uses ?? []));
  assert.ok(actions.length > 3);
  for (const action of actions) assert.match(action, /^[\w./-]+@[0-9a-f]{40}$/);
});

test('only jobs that wait for the checks and for a maintainer upload files or can read secrets', () => {
  assert.deepEqual(permissions, {});
  const uploading = Object.entries(jobs).filter(([, job]) => UPLOAD.test(JSON.stringify(job.steps)));
  assert.deepEqual(
    uploading.map(([name]) => name),
    ['image', 'publish'],
  );
  for (const [, { needs = [], environment }] of uploading) {
    assert.ok([needs].flat().includes('checks'));
    assert.equal(environment, 'release');
  }
  for (const [name, job] of Object.entries(jobs)) {
    const mayRead = uploading.some(([each]) => each === name);
    assert.equal(JSON.stringify(job).includes('secrets.'), name === 'publish' || name === 'image', name);
    assert.ok(mayRead || JSON.stringify(job.permissions) === '{"contents":"read"}', name);
  }
  assert.ok(jobs['checks']?.steps.some(({ run }) => run === 'bash .ci/run'));
});
