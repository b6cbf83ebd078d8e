// Runs in its own process: it measures memory.
import assert from 'node:assert/strict';
import { performance } from 'node:perf_hooks';
import { test } from 'node:test';
import { releaseMemory } from './release-memory.ts';

const MIB = 1024 * 1024;
const MINUTE_MS = 60_000;
const LONG_MS = 15 * MINUTE_MS;

test('a process that has grown collects garbage as soon as it is idle, but only once until it grows again', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const collect = t.mock.fn();
  const { gc } = globalThis;
  Reflect.set(globalThis, 'gc', collect);
  t.after(() => {
    Reflect.set(globalThis, 'gc', gc);
  });
  let utilization = 0;
  t.mock.method(performance, 'eventLoopUtilization', () => ({ idle: 0, active: 0, utilization }));
  let sizeBytes = 80 * MIB;
  t.mock.method(process.memoryUsage, 'rss', () => sizeBytes);

  releaseMemory();
  assert.equal(collect.mock.callCount(), 1);
  t.mock.timers.tick(LONG_MS);
  assert.equal(collect.mock.callCount(), 1, 'it has not grown');
  sizeBytes = 300 * MIB;
  utilization = 0.9;
  t.mock.timers.tick(LONG_MS);
  assert.equal(collect.mock.callCount(), 1, 'it is busy');
  utilization = 0.05;
  t.mock.timers.tick(MINUTE_MS);
  assert.equal(collect.mock.callCount(), 1, 'it does a little');
  t.mock.timers.tick(LONG_MS);
  assert.equal(collect.mock.callCount(), 2);
  sizeBytes = 500 * MIB;
  utilization = 0;
  t.mock.timers.tick(MINUTE_MS);
  assert.equal(collect.mock.callCount(), 3, 'it does nothing');
  t.mock.timers.tick(LONG_MS);
  assert.equal(collect.mock.callCount(), 3);
});
