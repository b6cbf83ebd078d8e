import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { newUuid } from '../../model/ids.ts';
import type { ProjectStream } from '../../queue/fair-shares.ts';
import type { DestinationQueue } from './destination-queue.ts';
import { DestinationQueues } from './destination-queues.ts';
import type { Job } from './job.ts';
import type { AttemptReply } from './provider.ts';

const ALL = () => true;
const PROJECT = newUuid();

const REPLY: AttemptReply = {
  replyCode: 421,
  enhancedCode: '4.3.2',
  text: 'not now',
  remoteMta: 'mx.test',
  tls: false,
  dialogue: null,
};

/** Queues of open destinations with the given remaining capacity. */
function queuesWith(capacity: Readonly<Record<string, number>>, maxConnections = 500): DestinationQueues {
  const queues = new DestinationQueues(
    {
      hasSlot: () => true,
      maxConnections,
      capacityLeft: (destination) => capacity[destination] ?? 0,
    },
    1_000,
  );
  for (const destination of Object.keys(capacity)) queues.get(destination).open();
  return queues;
}

/** Jobs that belong to one project. */
function jobs(
  destination: string,
  count: number,
  { projectId = newUuid(), stream = 'transactional' }: Partial<ProjectStream> = {},
): Job[] {
  return Array.from({ length: count }, (): Job => {
    const key = { projectId, stream, emailId: newUuid() };
    const address = `a@${destination}`;
    return {
      ...key,
      destination,
      rows: [
        {
          ...key,
          recipientIndex: 0,
          address,
          octets: 1,
          attempts: 0,
          crashes: 0,
          scheduledAt: null,
          waitedUntil: null,
        },
      ],
    };
  });
}

function destinationsOf(taken: readonly Job[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { destination } of taken) counts[destination] = (counts[destination] ?? 0) + 1;
  return counts;
}

test('a destination without capacity does not delay mail for other destinations', () => {
  const queues = queuesWith({ slow: 0, quick: 10 });
  queues.add([...jobs('slow', 300), ...jobs('quick', 5)]);
  assert.deepEqual(destinationsOf(queues.take(100, ALL)), { quick: 5 });
});

test('take returns no more rows for a destination than its capacity', () => {
  const queues = queuesWith({ a: 7, b: 3 });
  queues.add([...jobs('a', 20), ...jobs('b', 20)]);
  assert.deepEqual(destinationsOf(queues.take(100, ALL)), { a: 7, b: 3 });
});

test('reserved slots count towards the capacity before the provider has the message', () => {
  const queues = queuesWith({ a: 7 });
  queues.add(jobs('a', 20));
  queues.get('a').reserve(newUuid(), 5);
  assert.equal(queues.take(100, ALL).length, 2);
});

test('take serves the destinations of a project round-robin', () => {
  const queues = queuesWith({ a: 100, b: 100 });
  queues.add([...jobs('a', 100, { projectId: PROJECT }), ...jobs('b', 100, { projectId: PROJECT })]);
  assert.deepEqual(destinationsOf(queues.take(50, ALL)), { a: 25, b: 25 });
});

suite('an email of a project without other mail', () => {
  const b = newUuid();
  const isOfB = ({ projectId }: Job) => projectId === b;

  test('mail of an idle project is next although another project has mail for a thousand destinations', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `d${at}`);
    const queues = queuesWith(Object.fromEntries([...names, 'own'].map((name) => [name, 1])));
    for (const name of names) queues.add(jobs(name, 2, { projectId: PROJECT }));
    queues.take(10, ALL);
    queues.add(jobs('own', 1, { projectId: b }));
    assert.equal(queues.take(2, ALL).filter(isOfB).length, 1);
  });

  test('mail of an idle project is next at a destination for which another project has a backlog', () => {
    const queues = queuesWith({ slow: 10 });
    queues.add(jobs('slow', 300, { projectId: PROJECT }));
    queues.add(jobs('slow', 1, { projectId: b }));
    assert.equal(queues.take(2, ALL).filter(isOfB).length, 1);
  });

  test('mail of an idle project is next when all mail is sent to one server', () => {
    const queues = new DestinationQueues(null, 1_000);
    queues.add(jobs('', 500, { projectId: PROJECT }));
    queues.take(100, ALL);
    queues.add(jobs('', 1, { projectId: b }));
    assert.equal(queues.take(2, ALL).filter(isOfB).length, 1);
  });

  test('mail of an idle project is not parked when the queue of its destination is too long', () => {
    const queues = queuesWith({ slow: 0 });
    queues.add([...jobs('slow', 600, { projectId: PROJECT }), ...jobs('slow', 1, { projectId: b })]);
    assert.equal(queues.takeOverflow()[0]?.jobs.length, 201);
    assert.equal(queues.drain().filter(isOfB).length, 1);
  });

  test('mail of an idle project is not parked when another project has too much mail for its destination', () => {
    const queues = queuesWith({ slow: 0 });
    queues.add([...jobs('slow', 300, { projectId: PROJECT }), ...jobs('slow', 1, { projectId: b })]);
    assert.deepEqual(
      queues.crowded.map(({ line }) => line.projectId),
      [PROJECT],
    );
  });

  test('mail of an idle project gets a slot at a silent destination although mail for hundreds of silent destinations waits', () => {
    const names = Array.from({ length: 1_000 }, (_, at) => `silent${at}`);
    const queues = queuesWith(Object.fromEntries([...names, 'own'].map((name) => [name, 10])));
    for (const name of names) queues.add(jobs(name, 10, { projectId: PROJECT }));
    for (const { destination, projectId } of queues.take(1_000, ALL))
      queues.get(destination).reserve(projectId, 1).handOver();
    assert.deepEqual(queues.take(100, ALL), []);
    queues.add(jobs('own', 1, { projectId: b }));
    assert.equal(queues.take(100, ALL).filter(isOfB).length, 1);
  });

  test('mail of an idle project gets a slot although another project has mail for hundreds of slow destinations', () => {
    const names = Array.from({ length: 500 }, (_, at) => `slow${at}`);
    const queues = queuesWith(Object.fromEntries([...names, 'own'].map((name) => [name, 10])));
    for (const name of names) {
      queues.get(name).answered();
      queues.add(jobs(name, 10, { projectId: PROJECT }));
    }
    for (const { destination, projectId } of queues.take(1_000, ALL))
      queues.get(destination).reserve(projectId, 1).handOver();
    assert.deepEqual(queues.take(100, ALL), []);
    queues.add(jobs('own', 1, { projectId: b }));
    assert.equal(queues.take(100, ALL).filter(isOfB).length, 1);
  });

  test('mail of an idle project gets a connection although another project has mail for more destinations than connections', () => {
    const names = Array.from({ length: 50 }, (_, at) => `new${at}`);
    const queues = queuesWith(Object.fromEntries([...names, 'own'].map((name) => [name, 10])), 10);
    for (const name of names) queues.add(jobs(name, 1, { projectId: PROJECT }));
    const taken = queues.take(100, ALL);
    assert.equal(taken.length, 8);
    for (const { destination, projectId } of taken) queues.get(destination).reserve(projectId, 1).handOver();
    queues.add(jobs('own', 1, { projectId: b }));
    assert.deepEqual(destinationsOf(queues.take(100, ALL)), { own: 1 });
  });

  test('mail of an idle project is claimed from the backlog of its destination while mail of another project fills the queue', async () => {
    const queues = queuesWith({ slow: 1 });
    const queue = queues.get('slow');
    queue.expectBacklog();
    queues.add(jobs('slow', 300, { projectId: PROJECT }));
    const nowMs = performance.now();
    const refill = queues.nextRefill(nowMs);
    assert.deepEqual([refill?.queue, refill?.leaveOut.map(({ projectId }) => projectId)], [queue, [PROJECT]]);
    await queue.refill(async () => {});
    assert.deepEqual(
      [1_000, 3_000].map((ms) => queues.nextRefill(nowMs + ms)?.queue),
      [undefined, queue],
    );
  });
});

test('mail of one stream does not wait behind another stream of the same project', () => {
  const queues = queuesWith({ a: 1_000 });
  queues.add(jobs('a', 300, { projectId: PROJECT, stream: 'bulk' }));
  queues.add(jobs('a', 1, { projectId: PROJECT }));
  assert.equal(queues.take(2, ALL).filter(({ stream }) => stream === 'transactional').length, 1);
});

test('a stream with enough ready rows, or with most of the memory, claims no more rows', () => {
  const names = Array.from({ length: 4_000 }, (_, at) => `d${at}`);
  const queues = queuesWith({ ...Object.fromEntries(names.map((name) => [name, 0])), live: 1_000 });
  const [ready, small, large] = [newUuid(), newUuid(), newUuid()];
  queues.add([...jobs('live', 300, { projectId: ready }), ...jobs('live', 3, { projectId: small })]);
  for (const name of names) queues.add(jobs(name, 4, { projectId: large }));
  const { enough, isFull } = queues.survey();
  assert.deepEqual(
    [...enough.values()].map(({ projectId }) => projectId).toSorted(),
    [ready, large].toSorted(),
  );
  assert.equal(isFull, false);
});

const CHANGES: Record<string, (queue: DestinationQueue) => void> = {
  unknown: (queue) => queue.forget(),
  closed: (queue) => queue.close(1, 60_000, REPLY),
  probing: (queue) => queue.probe(1, REPLY),
};

for (const [kind, change] of Object.entries(CHANGES)) {
  test(`take returns no rows for a destination that is ${kind}`, () => {
    const queues = queuesWith({ a: 10 });
    change(queues.get('a'));
    queues.add(jobs('a', 3));
    assert.equal(queues.get('a').state.kind, kind);
    assert.deepEqual(queues.take(100, ALL), []);
  });
}

test('destinations that have not replied recently leave slots to destinations that have', () => {
  const silent = Array.from({ length: 60 }, (_, at) => `silent${at}`);
  const queues = queuesWith(Object.fromEntries([...silent, 'live'].map((name) => [name, 10])));
  for (const name of silent) queues.add(jobs(name, 10));
  queues.add(jobs('live', 10));
  queues.get('live').answered();
  for (const job of queues.take(1_000, ALL))
    if (job.destination !== 'live') queues.get(job.destination).reserve(job.projectId, 1).handOver();
  const begun = silent.reduce((rows, name) => rows + queues.get(name).inFlight, 0);
  // The last slot is reserved for a project with fewer rows in flight.
  assert.equal(begun, 399);
  assert.equal(queues.survey().readyRows, 0);
  queues.add(jobs('live', 5));
  assert.deepEqual([queues.survey().readyRows, destinationsOf(queues.take(100, ALL))], [5, { live: 5 }]);
});

test('a message that exceeds the memory for messages in flight stays in its queue, and other queues are served', () => {
  const queues = queuesWith({ a: 10, b: 10 });
  const [first, large, last] = jobs('a', 3);
  assert.ok(first !== undefined && large !== undefined && last !== undefined);
  queues.add([first, large, last, ...jobs('b', 2)]);
  const taken = queues.take(100, (job) => job !== large);
  assert.deepEqual(destinationsOf(taken), { a: 1, b: 2 });
  assert.deepEqual(queues.take(1, ALL), [large]);
});

test('a queue with waiting rows is crowded if its destination has no capacity', () => {
  const queues = queuesWith({ slow: 0, quick: 10 });
  queues.add([...jobs('slow', 10), ...jobs('quick', 10)]);
  assert.deepEqual(
    queues.crowded.map(({ line }) => line.destination),
    ['slow'],
  );
});

test('a queue that may not use its last free slots yet is crowded, and its rows are not ready', () => {
  const queues = queuesWith({ slow: 10 });
  queues.get('slow').reserve(newUuid(), 190).handOver();
  queues.add(jobs('slow', 400));
  assert.equal(queues.survey().readyRows, 0);
  assert.deepEqual(queues.take(100, ALL), []);
  assert.deepEqual(
    queues.crowded.map(({ queue }) => queue),
    [queues.get('slow')],
  );
});

test('a destination queue keeps at most its share of the memory, and releases its latest rows first', () => {
  const queues = queuesWith({ slow: 0 });
  const all = jobs('slow', 1_000);
  queues.add(all);
  const [overflow] = queues.takeOverflow();
  assert.deepEqual(overflow?.jobs, all.slice(400));
  assert.equal(queues.get('slow').waiting.rows, 400);
});

test('with many destinations the share of each is smaller, so that the total memory stays constant', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `d${at}`);
  const queues = queuesWith(Object.fromEntries(names.map((name) => [name, 0])));
  for (const name of names) queues.add(jobs(name, 20));
  queues.takeOverflow();
  const waiting = [...queues.waiting].reduce((rows, queue) => rows + queue.waiting.rows, 0);
  assert.equal(waiting, 4_000);
});

test('takeOverflow empties a queue whose only email has more recipients than the share of the queue', () => {
  const names = Array.from({ length: 200 }, (_, at) => `d${at}`);
  const queues = queuesWith(Object.fromEntries(names.map((name) => [name, 0])));
  for (const name of names.slice(1)) queues.add(jobs(name, 1));
  const large = jobs('d0', 50).flatMap(({ rows }) => rows);
  queues.add(jobs('d0', 1).map((job) => ({ ...job, rows: large })));
  assert.deepEqual(
    queues.takeOverflow().map(({ queue }) => queue.destination),
    ['d0'],
  );
  assert.deepEqual(
    [...queues.waiting].map(({ destination }) => destination),
    names.slice(1),
  );
});

test('the queues are full when even a few rows of each destination exceed the memory', () => {
  const names = Array.from({ length: 5_000 }, (_, at) => `d${at}`);
  const queues = queuesWith(Object.fromEntries(names.map((name) => [name, 0])));
  for (const name of names.slice(1)) queues.add(jobs(name, 4));
  assert.equal(queues.survey().isFull, false);
  queues.add(jobs('d0', 4));
  assert.equal(queues.survey().isFull, true);
});

test('when all mail is sent to one server, there is one queue with unlimited capacity', () => {
  const queues = new DestinationQueues(null, 1_000);
  queues.add(jobs('', 500));
  assert.equal(queues.survey().readyRows, 500);
  assert.equal(queues.take(400, ALL).length, 400);
  assert.deepEqual([queues.crowded, queues.takeOverflow()], [[], []]);
});

test('a queue with few waiting rows requests a refill of about twice the capacity of its destination', async () => {
  const queues = queuesWith({ a: 50 });
  const queue = queues.get('a');
  queue.expectBacklog();
  assert.deepEqual(queues.nextRefill(0), { queue, rows: 100, leaveOut: [] });
  await queue.refill(async () => queues.add(jobs('a', 40)));
  assert.equal(queues.nextRefill(0), null);
});

test('queues that need a refill are refilled round-robin', () => {
  const queues = queuesWith({ a: 50, b: 50 });
  for (const name of ['a', 'b']) queues.get(name).expectBacklog();
  const order = Array.from({ length: 4 }, () => queues.nextRefill(0)?.queue.destination);
  assert.deepEqual(order, ['a', 'b', 'a', 'b']);
});

test('queues at their limit are refilled in turn from their backlogs, even if there are many of them', async ({
  mock,
}) => {
  const names = Array.from({ length: 50 }, (_, at) => `d${at}`);
  const queues = queuesWith(Object.fromEntries(names.map((name) => [name, 1])));
  for (const name of names) {
    queues.get(name).expectBacklog();
    queues.add(jobs(name, 80));
  }
  let nowMs = performance.now();
  mock.method(performance, 'now', () => nowMs);
  const chosen: (string | undefined)[] = [];
  for (; chosen.length < 50; nowMs += 50) {
    const queue = queues.nextRefill(nowMs)?.queue;
    await queue?.refill(async () => {});
    chosen.push(queue?.destination);
  }
  assert.deepEqual(chosen, names);
});

test('with many destination queues, no refill is larger than the share of its queue', () => {
  const names = Array.from({ length: 1_000 }, (_, at) => `d${at}`);
  const queues = queuesWith(Object.fromEntries(names.map((name) => [name, 50])));
  for (const name of names) queues.add(jobs(name, 1));
  queues.get('d0').expectBacklog();
  assert.ok((queues.nextRefill(0)?.rows ?? 0) <= 4);
});

test('an idle destination queue is dropped, unless it has a backlog', () => {
  const queues = queuesWith({ idle: 1, backlog: 1 });
  queues.get('backlog').expectBacklog();
  queues.sweep(performance.now() + 61_000);
  assert.equal(queues.get('idle').state.kind, 'unknown');
  assert.equal(queues.get('backlog').state.kind, 'open');
});

test('a reservation counts until it is released, and a second release has no effect', () => {
  const queue = queuesWith({ a: 10 }).get('a');
  const counts = () => [queue.preparing, queue.inFlight];
  const [first, second] = [queue.reserve(newUuid(), 3), queue.reserve(newUuid(), 2)];
  assert.deepEqual(counts(), [5, 5]);
  first.handOver();
  first.handOver();
  assert.deepEqual(counts(), [2, 5]);
  first.release();
  first.release();
  assert.deepEqual(counts(), [2, 2]);
  second.release();
  assert.deepEqual(counts(), [0, 0]);
});
