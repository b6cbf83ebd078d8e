import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../test/support/postgres.ts';
import { BackgroundScan } from './background-scan.ts';

const PATIENCE_MS = 5_000;
let db: TestDatabase;
before(async () => {
  db = await testDatabase();
});
after(() => db[Symbol.asyncDispose]());

class Counted extends BackgroundScan {
  passes = 0;
  /** The result of a pass. */
  result: () => boolean = () => true;

  constructor() {
    super({ database: db.database, lock: 1, rest: 0, scanMs: 0, idleMs: 60_000, onError: () => {} });
  }

  protected override async work(): Promise<boolean> {
    this.passes += 1;
    return this.result();
  }

  /** Ticks until another pass has begun. */
  async hasAnotherPass(hasWork: boolean): Promise<boolean> {
    const { passes } = this;
    return eventually(() => {
      // Checked before the tick, which could begin a further pass.
      if (this.passes > passes) return true;
      this.tick(hasWork);
      return false;
    }, PATIENCE_MS);
  }
}

test('a pass without known work runs at first, and then only after a wake or when its pause is over', async () => {
  await using scan = new Counted();
  assert.ok(await scan.hasAnotherPass(false));
  assert.ok(await scan.hasAnotherPass(true));
  assert.ok(await scan.hasAnotherPass(true));
  const { passes } = scan;
  for (let ticks = 0; ticks < 100; ticks++) {
    scan.tick(false);
    await new Promise(setImmediate);
  }
  assert.equal(scan.passes, passes);
  scan.wake();
  assert.ok(await scan.hasAnotherPass(false));
});

test('a pass that is incomplete or has failed is followed by another pass without known work', async () => {
  await using scan = new Counted();
  scan.result = () => false;
  assert.ok(await scan.hasAnotherPass(false));
  assert.ok(await scan.hasAnotherPass(false));
  scan.result = () => {
    throw new Error('failed');
  };
  assert.ok(await scan.hasAnotherPass(false));
  scan.result = () => true;
  assert.ok(await scan.hasAnotherPass(false));
});
