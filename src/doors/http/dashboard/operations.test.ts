import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATION_MODULES } from '../operation-modules.ts';
import { DASHBOARD_OPERATIONS } from './operations.ts';

test('the path of an operation with a role contains a project or an organization', () => {
  for (const { operationId, path, role } of DASHBOARD_OPERATIONS) {
    const isAbout = /^\/(?:projects\/\{project\}|organizations\/\{organization\})(?:\/|$)/.test(path);
    const isRole = role !== 'signed-in' && role !== 'anyone' && role !== 'operator';
    assert.ok(!isRole || isAbout, operationId);
  }
});

test('ids in paths are named after their resource', () => {
  for (const { operationId, path, resource, part } of DASHBOARD_OPERATIONS) {
    assert.equal(path.includes('{id}'), resource !== undefined, operationId);
    assert.equal(path.includes('{part}'), part !== undefined, operationId);
  }
});

test('the path of an operation that the web client also offers contains the mailbox', () => {
  const shared = OPERATION_MODULES.flatMap(({ operations }) => Object.entries(operations)).filter(
    ([, { doors }]) => doors.dashboard !== undefined && doors.mail !== undefined,
  );
  assert.ok(shared.length > 0);
  for (const [name, { doors }] of shared) {
    assert.equal(doors.dashboard?.resource?.prefix, 'mbx', name);
    assert.match(doors.dashboard?.route ?? '', / \/projects\/\{project\}\/mailboxes\/\{id\}/, name);
  }
});
