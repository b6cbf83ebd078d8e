import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAtLeast, PROJECT_ROLES, ROLES, roleInProject } from './roles.ts';

test('a role includes the rights of lower roles but not of higher ones', () => {
  const allowed = ROLES.map((role) => ROLES.filter((needed) => isAtLeast(role, needed)));
  assert.deepEqual(allowed, [
    ['owner', 'admin', 'developer', 'viewer'],
    ['admin', 'developer', 'viewer'],
    ['developer', 'viewer'],
    ['viewer'],
  ]);
});

test('a role in a project never exceeds the role in the organization', () => {
  const table = ROLES.map((role) =>
    [null, ...PROJECT_ROLES].map((inProject) => roleInProject(role, inProject)),
  );
  assert.deepEqual(table, [
    ['owner', 'owner', 'admin', 'developer', 'viewer', null],
    ['admin', 'admin', 'admin', 'developer', 'viewer', null],
    ['developer', 'developer', 'developer', 'developer', 'viewer', null],
    ['viewer', 'viewer', 'viewer', 'viewer', 'viewer', null],
  ]);
});
