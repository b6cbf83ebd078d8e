import assert from 'node:assert/strict';
import { test } from 'node:test';
import { OPERATION_MODULES } from '../operation-modules.ts';
import { DASHBOARD_OPERATIONS } from './operations.ts';

test('an operation with a role has a project or an organisation in its path', () => {
  for (const { operationId, path, role } of DASHBOARD_OPERATIONS) {
    const isAbout = /^\/(?:projects\/\{project\}|organizations\/\{organization\})(?:\/|$)/.test(path);
    const isRole = role !== 'signed-in' && role !== 'anyone' && role !== 'operator';
    assert.ok(!isRole || isAbout, operationId);
  }
});

test('path ids are named after their resource', () => {
  for (const { operationId, path, resource, part } of DASHBOARD_OPERATIONS) {
    assert.equal(path.includes('{id}'), resource !== undefined, operationId);
    assert.equal(path.includes('{part}'), part !== undefined, operationId);
  }
});

test('an operation shared with the web client has the mailbox in its path', () => {
  const shared = OPERATION_MODULES.flatMap(({ operations }) => Object.entries(operations)).filter(
    ([, { doors }]) => doors.dashboard !== undefined && doors.mail !== undefined,
  );
  assert.ok(shared.length > 0);
  for (const [name, { doors }] of shared) {
    assert.equal(doors.dashboard?.resource?.prefix, 'mbx', name);
    assert.match(doors.dashboard?.route ?? '', / \/projects\/\{project\}\/mailboxes\/\{id\}/, name);
  }
});
