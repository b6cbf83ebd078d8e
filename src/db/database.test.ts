import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDatabaseAway } from './database.ts';

// What connecting to a server fails with that nothing is wrong with: the statement may work later, and no message is to blame.
for (const code of ['ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL', 'EMFILE', 'ENFILE']) {
  test(`a connection that ends with ${code} before it begins means that the database is away`, () => {
    assert.equal(
      isDatabaseAway(Object.assign(new Error(`connect ${code}`), { code, syscall: 'connect' })),
      true,
    );
  });
}
