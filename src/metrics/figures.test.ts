import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Database } from '../db/database.ts';
import { Figures, type FigureSource } from './figures.ts';

const DATABASE = {} as Database;

/** A source with a scripted duration, on a simulated clock. */
class Scripted implements FigureSource {
  nowMs = 0;
  tookMs = 1;
  reads = 0;
  withdrawn = 0;
  fails = false;
  /** `read` does not finish before this promise resolves. */
  gate: Promise<void> = Promise.resolve();

  async read(): Promise<void> {
    this.reads += 1;
    await this.gate;
    this.nowMs += this.tookMs;
    if (this.fails) throw new Error('away');
  }

  withdraw(): void {
    this.withdrawn += 1;
  }
}

function scripted(fields: Partial<Scripted> = {}) {
  const source = Object.assign(new Scripted(), fields);
  return { source, figures: new Figures(DATABASE, source, () => source.nowMs) };
}

suite('Figures', () => {
  test('are read once for all requests within ten seconds', async () => {
    const { source, figures } = scripted();
    await Promise.all([figures.refresh(), figures.refresh()]);
    source.nowMs += 9_000;
    await figures.refresh();
    assert.equal(source.reads, 1);
    source.nowMs += 1_001;
    await figures.refresh();
    assert.equal(source.reads, 2);
    assert.equal(source.withdrawn, 0);
  });

  test('that are slow to read are reused for longer, so that reading takes at most a twentieth of the time', async () => {
    const { source, figures } = scripted({ tookMs: 1_500 });
    await figures.refresh();
    source.nowMs += 29_000;
    await figures.refresh();
    assert.equal(source.reads, 1);
    source.nowMs += 1_001;
    await figures.refresh();
    assert.equal(source.reads, 2);
  });

  test('that cannot be read have no series, and are read again for the next request', async () => {
    const { source, figures } = scripted();
    await figures.refresh();
    source.nowMs += 10_001;
    source.fails = true;
    await figures.refresh();
    assert.equal(source.withdrawn, 1);
    source.fails = false;
    await figures.refresh();
    assert.equal(source.reads, 3);
    assert.equal(source.withdrawn, 1);
  });

  test('delay a request by at most two seconds, and are not fetched twice at the same time', async (t) => {
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const { promise, resolve } = Promise.withResolvers<void>();
    const { source, figures } = scripted({ gate: promise });
    const first = figures.refresh();
    t.mock.timers.tick(2_000);
    await first;
    assert.equal(source.withdrawn, 1);
    const second = figures.refresh();
    assert.equal(source.reads, 1);
    resolve();
    await second;
    await figures.refresh();
    assert.equal(source.reads, 1);
    assert.equal(source.withdrawn, 1);
  });
});
