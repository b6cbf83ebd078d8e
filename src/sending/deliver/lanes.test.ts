import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newUuid } from '../../model/ids.ts';
import type { Job } from './begin-attempts.ts';
import { Lanes } from './lanes.ts';

const ALL = () => true;

/** Lanes of destinations that all have as much room as is said, and are open. */
function lanesWith(room: Readonly<Record<string, number>>): Lanes {
  const lanes = new Lanes(
    {
      of: (address) => address.slice(address.lastIndexOf('@') + 1),
      room: (destination) => room[destination] ?? 0,
    },
    1_000,
  );
  for (const destination of Object.keys(room)) lanes.get(destination).state = { kind: 'open' };
  return lanes;
}

function jobs(destination: string, count: number): Job[] {
  return Array.from({ length: count }, (): Job => {
    const key = { projectId: newUuid(), emailId: newUuid() };
    const address = `a@${destination}`;
    return { ...key, destination, rows: [{ ...key, n: 0, address, octets: 1, attempts: 0, crashes: 0 }] };
  });
}

function destinationsOf(taken: readonly Job[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { destination } of taken) counts[destination] = (counts[destination] ?? 0) + 1;
  return counts;
}

test('a destination without room keeps nobody else waiting', () => {
  const lanes = lanesWith({ slow: 0, quick: 10 });
  lanes.add([...jobs('slow', 300), ...jobs('quick', 5)]);
  assert.deepEqual(destinationsOf(lanes.take(100, ALL)), { quick: 5 });
});

test('no more is taken than a destination has room for', () => {
  const lanes = lanesWith({ a: 7, b: 3 });
  lanes.add([...jobs('a', 20), ...jobs('b', 20)]);
  assert.deepEqual(destinationsOf(lanes.take(100, ALL)), { a: 7, b: 3 });
});

test('what is begun and not yet with the provider counts', () => {
  const lanes = lanesWith({ a: 7 });
  lanes.add(jobs('a', 20));
  lanes.get('a').coming = 5;
  assert.equal(lanes.take(100, ALL).length, 2);
});

test('destinations take turns', () => {
  const lanes = lanesWith({ a: 100, b: 100 });
  lanes.add([...jobs('a', 100), ...jobs('b', 100)]);
  assert.deepEqual(destinationsOf(lanes.take(25, ALL)), { a: 25 });
  assert.deepEqual(destinationsOf(lanes.take(25, ALL)), { b: 25 });
});

for (const kind of ['unknown', 'closed', 'probing'] as const) {
  test(`nothing is taken for a destination that is ${kind}`, () => {
    const lanes = lanesWith({ a: 10 });
    lanes.get('a').state = { kind } as never;
    lanes.add(jobs('a', 3));
    assert.deepEqual(lanes.take(100, ALL), []);
  });
}

test('destinations that have not answered of late leave places to those that have', () => {
  const silent = Array.from({ length: 60 }, (_, at) => `silent${at}`);
  const lanes = lanesWith(Object.fromEntries([...silent, 'live'].map((name) => [name, 10])));
  for (const name of silent) lanes.add(jobs(name, 10));
  lanes.add(jobs('live', 10));
  lanes.get('live').lastAnswerMs = performance.now();
  for (const job of lanes.take(1_000, ALL))
    if (job.destination !== 'live') lanes.get(job.destination).inHand += 1;
  const begun = silent.reduce((rows, name) => rows + lanes.get(name).inHand, 0);
  assert.equal(begun, 400);
  assert.equal(lanes.readyRows, 0);
  lanes.add(jobs('live', 5));
  assert.deepEqual([lanes.readyRows, destinationsOf(lanes.take(100, ALL))], [5, { live: 5 }]);
});

test('a message that does not fit beside the others stays where it is, and the other lanes have their turn', () => {
  const lanes = lanesWith({ a: 10, b: 10 });
  const [first, large, last] = jobs('a', 3);
  assert.ok(first !== undefined && large !== undefined && last !== undefined);
  lanes.add([first, large, last, ...jobs('b', 2)]);
  const taken = lanes.take(100, (job) => job !== large);
  assert.deepEqual(destinationsOf(taken), { a: 1, b: 2 });
  assert.equal(lanes.get('a').peek(), large);
});

test('a lane that has work and no room for it is stuffed', () => {
  const lanes = lanesWith({ slow: 0, quick: 10 });
  lanes.add([...jobs('slow', 10), ...jobs('quick', 10)]);
  assert.deepEqual(
    lanes.stuffed.map(({ destination }) => destination),
    ['slow'],
  );
});

test('a lane whose few free places wait for company is stuffed too, and does not count as work at hand', () => {
  const lanes = lanesWith({ slow: 10 });
  lanes.get('slow').inHand = 190;
  lanes.add(jobs('slow', 400));
  assert.equal(lanes.readyRows, 0);
  assert.deepEqual(lanes.take(100, ALL), []);
  assert.deepEqual(lanes.stuffed, [lanes.get('slow')]);
});

test('beyond its share of the memory a lane holds nothing, the latest go first', () => {
  const lanes = lanesWith({ slow: 0 });
  const all = jobs('slow', 1_000);
  lanes.add(all);
  const [overflow] = lanes.takeOverflow();
  assert.deepEqual(overflow?.jobs, all.slice(400));
  assert.equal(lanes.get('slow').waitingRows, 400);
});

test('with many destinations the share of each is smaller, so that the memory stays flat', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `d${at}`);
  const lanes = lanesWith(Object.fromEntries(names.map((name) => [name, 0])));
  for (const name of names) lanes.add(jobs(name, 20));
  lanes.takeOverflow();
  const waiting = [...lanes.waiting].reduce((rows, lane) => rows + lane.waitingRows, 0);
  assert.equal(waiting, 4_000);
});

test('a lane whose only email has more recipients than its share of the memory waits no more', () => {
  const names = Array.from({ length: 200 }, (_, at) => `d${at}`);
  const lanes = lanesWith(Object.fromEntries(names.map((name) => [name, 0])));
  for (const name of names.slice(1)) lanes.add(jobs(name, 1));
  const large = jobs('d0', 50).flatMap(({ rows }) => rows);
  lanes.add(jobs('d0', 1).map((job) => ({ ...job, rows: large })));
  assert.deepEqual(
    lanes.takeOverflow().map(({ lane }) => lane.destination),
    ['d0'],
  );
  assert.deepEqual(
    [...lanes.waiting].map(({ destination }) => destination),
    names.slice(1),
  );
});

test('with more destinations than memory for a few rows of each the lanes are full', () => {
  const names = Array.from({ length: 5_000 }, (_, at) => `d${at}`);
  const lanes = lanesWith(Object.fromEntries(names.map((name) => [name, 0])));
  for (const name of names.slice(1)) lanes.add(jobs(name, 4));
  assert.equal(lanes.isFull, false);
  lanes.add(jobs('d0', 4));
  assert.equal(lanes.isFull, true);
});

test('where all mail goes one way there is one lane, with room for everything', () => {
  const lanes = new Lanes(null, 1_000);
  lanes.add(jobs('', 500));
  assert.equal(lanes.readyRows, 500);
  assert.equal(lanes.take(400, ALL).length, 400);
  assert.deepEqual([lanes.stuffed, lanes.takeOverflow()], [[], []]);
});

test('a lane is hungry for its backlog when little waits, and asks for about twice its window', () => {
  const lanes = lanesWith({ a: 50 });
  const lane = lanes.get('a');
  lane.hasBacklog = true;
  assert.equal(lanes.nextHungry(), lane);
  assert.equal(lanes.appetite(lane), 100);
  lanes.add(jobs('a', 40));
  assert.equal(lanes.nextHungry(), null);
});

test('hungry lanes take turns', () => {
  const lanes = lanesWith({ a: 50, b: 50 });
  for (const name of ['a', 'b']) lanes.get(name).hasBacklog = true;
  const turns = Array.from({ length: 4 }, () => lanes.nextHungry()?.destination);
  assert.deepEqual(turns, ['a', 'b', 'a', 'b']);
});

test('where many lanes wait none asks for more than it may keep', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `d${at}`);
  const lanes = lanesWith(Object.fromEntries(names.map((name) => [name, 50])));
  for (const name of names) lanes.add(jobs(name, 1));
  assert.ok(lanes.appetite(lanes.get('d0')) <= 4);
});

test('an idle lane is forgotten, one with a backlog is not', () => {
  const lanes = lanesWith({ idle: 1, backlog: 1 });
  lanes.get('backlog').hasBacklog = true;
  lanes.sweep(performance.now() + 61_000);
  assert.equal(lanes.get('idle').state.kind, 'unknown');
  assert.equal(lanes.get('backlog').state.kind, 'open');
});
