import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { LaneSlots, type SlotLane } from './lane-slots.ts';

const limits = fc
  .record({ own: fc.nat(3), more: fc.nat(4) })
  .map(({ own, more }) => ({ own, max: Math.max(1, own + more) }));
const step = fc.record({ kind: fc.constantFrom('take', 'take', 'release', 'abandon'), lane: fc.nat(5) });

/** Takes a slot, or waits for a slot. @returns a function that ends the wait */
function take(slots: LaneSlots, lane: SlotLane, served: () => void): () => void {
  if (!slots.tryTake(lane)) return slots.wait(lane, served);
  served();
  return () => {};
}

/** Uses a lane, and records what its state should be: the waiting callers, the slots in use, and the order in which callers were served. */
class Caller {
  readonly lane: SlotLane;
  readonly waits: { leave: () => void; number: number }[] = [];
  held = 0;
  readonly served: number[] = [];

  constructor(lane: SlotLane) {
    this.lane = lane;
  }
}

function spareOf({ busy, own }: SlotLane): number {
  return Math.max(0, busy - own);
}

function check(slots: LaneSlots, callers: readonly Caller[]): void {
  const lanes = callers.map(({ lane }) => lane);
  const busy = lanes.reduce((sum, lane) => sum + lane.busy, 0);
  const spare = Math.max(...lanes.map(({ own, max }) => max - own));
  const spareBusy = lanes.reduce((sum, lane) => sum + spareOf(lane), 0);
  assert.equal(slots.total, lanes.reduce((sum, { own }) => sum + own, 0) + spare);
  assert.ok(busy <= slots.total, `${busy} of ${slots.total} slots are busy`);
  assert.ok(spareBusy <= spare, 'reserved slots stay free for their lanes');
  for (const { lane, held, waits } of callers) {
    assert.equal(lane.busy, held);
    assert.equal(lane.waiting, waits.length);
    assert.ok(lane.busy <= lane.max);
    if (lane.waiting === 0) continue;
    assert.ok(lane.busy >= lane.own, 'no lane waits for its own reserved slots');
    assert.ok(lane.busy === lane.max || spareBusy === spare, 'no spare slot is idle while a lane may use it');
  }
}

test('a lane always gets its reserved slots, never exceeds its maximum, and serves its callers in order', () => {
  fc.assert(
    fc.property(
      fc.array(limits, { minLength: 1, maxLength: 6 }),
      fc.array(step, { maxLength: 80 }),
      (all, steps) => {
        const slots = new LaneSlots();
        const callers = all.map((each) => new Caller(slots.open(each)));
        let number = 0;
        for (const { kind, lane: at } of steps) {
          const caller = callers[at % callers.length] as Caller;
          if (kind === 'take') {
            const wait = { leave: () => {}, number: number++ };
            caller.waits.push(wait);
            wait.leave = take(slots, caller.lane, () => {
              caller.waits.splice(caller.waits.indexOf(wait), 1);
              caller.held++;
              caller.served.push(wait.number);
            });
          } else if (kind === 'release' && caller.held > 0) {
            caller.held--;
            slots.release(caller.lane);
          } else if (kind === 'abandon') {
            caller.waits.pop()?.leave();
          }
          check(slots, callers);
        }
        // Every waiting caller is served once the other callers release their slots.
        while (callers.some(({ held }) => held > 0)) {
          const caller = callers.find(({ held }) => held > 0) as Caller;
          caller.held--;
          slots.release(caller.lane);
          check(slots, callers);
        }
        for (const { waits, served } of callers) {
          assert.equal(waits.length, 0);
          assert.deepEqual(
            served,
            served.toSorted((one, other) => one - other),
          );
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('a lane that waits for a spare slot is overtaken at most once by each other lane', () => {
  fc.assert(
    fc.property(
      fc.array(limits, { minLength: 1, maxLength: 5 }),
      fc.infiniteStream(fc.nat()),
      (all, picks) => {
        const slots = new LaneSlots();
        const flooding = all.map((each) => slots.open(each));
        const patient = slots.open({ own: 0, max: 1 });
        // Each lane requests another slot as soon as it has got one.
        const again = (lane: SlotLane): void => void take(slots, lane, () => grants.push(lane));
        const grants: SlotLane[] = [];
        for (const lane of flooding) for (let n = 0; n < lane.max + 2; n++) again(lane);
        let isServed = false;
        take(slots, patient, () => (isServed = true));
        const spared: SlotLane[] = [];
        while (!isServed) {
          const using = flooding.filter((lane) => spareOf(lane) > 0);
          const released = using[(picks.next().value as number) % using.length] as SlotLane;
          grants.length = 0;
          slots.release(released);
          spared.push(...grants);
          again(released);
          assert.equal(new Set(spared).size, spared.length, 'a lane overtook it twice');
        }
      },
    ),
    { numRuns: 60 },
  );
});

test('a caller that left the queue is not served, and leaving after being served has no effect', () => {
  const slots = new LaneSlots();
  const lane = slots.open({ own: 1, max: 1 });
  assert.ok(slots.tryTake(lane));
  const served: string[] = [];
  const leave = slots.wait(lane, () => served.push('first'));
  const leaveLater = slots.wait(lane, () => served.push('second'));
  slots.wait(lane, () => served.push('third'));
  leave();
  slots.release(lane);
  leaveLater();
  slots.release(lane);
  assert.deepEqual(served, ['second', 'third']);
});
