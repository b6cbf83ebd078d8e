import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DownloadSlot, DownloadTraffic } from './traffic.ts';

const MIB = 1024 * 1024;

/** Counts bytes as sent, without waiting as `pace` demands. */
async function sendBytes(slot: DownloadSlot, bytes: number): Promise<void> {
  await slot.pace(bytes, AbortSignal.abort()).catch(() => {});
}

/** Starts downloads, each from a different network. */
function fill(traffic: DownloadTraffic, from: number, count: number): DownloadSlot[] {
  return Array.from({ length: count }, (_, at) => {
    const name = `${from + at}`;
    const slot = traffic.enter({ network: name, wider: name, linkId: name });
    assert.ok(slot !== null);
    return slot;
  });
}

test('when all slots are in use, the slowest download that has been slow for long enough loses its slot', async () => {
  let nowMs = 0;
  const traffic = new DownloadTraffic(() => nowMs);
  const slots = fill(traffic, 0, 100);
  const evicted: number[] = [];
  for (const [at, slot] of slots.entries()) slot.whenEvicted(() => evicted.push(at));
  const newcomer = { network: 'n', wider: 'n', linkId: 'n' };
  assert.equal(traffic.enter(newcomer), null, 'no download is slow yet');
  nowMs = 60_000;
  for (const [at, slot] of slots.entries()) await sendBytes(slot, at === 7 ? 1 : at === 8 ? 2 : 4 * MIB);
  const first = traffic.enter(newcomer);
  assert.deepEqual([first === null, evicted], [false, [7]]);
  slots[7]?.leave();
  const second = traffic.enter(newcomer);
  assert.deepEqual([second === null, evicted], [false, [7, 8]]);
  assert.equal(traffic.enter(newcomer), null, 'the others are fast enough');
  first?.leave();
  second?.leave();
  const late = fill(traffic, 100, 2);
  // A client that is fast at first and then reads a byte now and then also counts as slow.
  nowMs += 150_000;
  for (const [at, slot] of slots.entries())
    if (at !== 7 && at !== 8) await sendBytes(slot, at === 50 ? 1 : 4 * MIB);
  for (const slot of late) await sendBytes(slot, 4 * MIB);
  nowMs += 29_000;
  assert.equal(traffic.enter(newcomer), null);
  nowMs += 31_000;
  assert.notEqual(traffic.enter(newcomer), null);
  assert.deepEqual(evicted, [7, 8, 50]);
});

test('a wider network has more slots than one network inside it, but not all slots', () => {
  const traffic = new DownloadTraffic(() => 0);
  const inside = Array.from({ length: 40 }, (_, at) =>
    traffic.enter({ network: `10.0.0.${at % 4}`, wider: '10.0.0', linkId: `${at}` }),
  );
  assert.equal(inside.filter((slot) => slot !== null).length, 24);
  inside[0]?.leave();
  inside[0]?.leave();
  assert.notEqual(traffic.enter({ network: '10.0.0.9', wider: '10.0.0', linkId: 'x' }), null);
  assert.equal(traffic.enter({ network: '10.0.0.9', wider: '10.0.0', linkId: 'x' }), null);
  fill(traffic, 0, 1);
});

test('a network sends a burst without waiting and then waits, and all networks share the allowance of the process', async () => {
  let nowMs = 0;
  const traffic = new DownloadTraffic(() => nowMs);
  const [one, other] = fill(traffic, 0, 2);
  const stop = new AbortController();
  const paced = async (slot: DownloadSlot | undefined, bytes: number): Promise<boolean> => {
    const waiting = slot?.pace(bytes, stop.signal).then(
      () => true,
      () => false,
    );
    return Promise.race([waiting ?? false, new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
  };
  assert.equal(await paced(one, 6 * MIB), true);
  assert.equal(await paced(one, 60 * MIB), false);
  assert.equal(await paced(other, 1), false, 'the process has no more');
  nowMs = 1_000;
  assert.equal(await paced(other, 6 * MIB), true);
  stop.abort();
});
