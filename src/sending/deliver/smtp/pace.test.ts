import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Pace, type PaceLimits } from './pace.ts';

const LIMITS: PaceLimits = { maxConnections: 8, maxMessagesPerSecond: null };

function goodRound(pace: Pace, tookMs = 20, nowMs = 0): void {
  for (let left = pace.window; left > 0; left -= 1) pace.good(tookMs, nowMs);
}

describe('the window', () => {
  test('the window starts with ten messages over two connections', () => {
    const pace = new Pace(LIMITS);
    assert.deepEqual([pace.window, pace.maxConnections, pace.capacityLeft(0, 0, 0)], [10, 2, 10]);
  });

  test('the window doubles with each round of quick replies, up to ten messages per connection', () => {
    const pace = new Pace(LIMITS);
    const seen: [number, number][] = [];
    for (let round = 0; round < 5; round += 1) {
      goodRound(pace);
      seen.push([pace.window, pace.maxConnections]);
    }
    assert.deepEqual(seen, [
      [20, 4],
      [40, 8],
      [80, 8],
      [80, 8],
      [80, 8],
    ]);
  });

  test('the window does not grow before its round is complete', () => {
    const pace = new Pace(LIMITS);
    for (let count = 0; count < 9; count += 1) pace.good(20, 0);
    assert.equal(pace.window, 10);
  });

  test('the window is one message per connection while the server is slow', () => {
    const pace = new Pace(LIMITS);
    for (let count = 0; count < 40; count += 1) pace.good(3_000, 0);
    assert.equal(pace.window, pace.maxConnections);
    for (let count = 0; count < 40; count += 1) pace.good(20, 0);
    assert.ok(pace.window > pace.maxConnections);
  });

  test('one slow reply among quick replies does not reduce the window', () => {
    const pace = new Pace(LIMITS);
    goodRound(pace);
    pace.good(3_000, 0);
    assert.equal(pace.window, 20);
  });

  test('the window is at most ten messages if only one connection is allowed', () => {
    const pace = new Pace({ maxConnections: 1, maxMessagesPerSecond: null });
    for (let round = 0; round < 5; round += 1) goodRound(pace);
    assert.deepEqual([pace.window, pace.maxConnections], [10, 1]);
  });

  test('the capacity left is the window minus the messages in flight', () => {
    const pace = new Pace(LIMITS);
    assert.deepEqual(
      [pace.capacityLeft(4, 0, 0), pace.capacityLeft(10, 0, 0), pace.capacityLeft(25, 0, 0)],
      [6, 0, 0],
    );
  });

  test('the window starts again at ten after the host was unavailable', () => {
    const pace = new Pace(LIMITS);
    goodRound(pace);
    goodRound(pace);
    pace.away();
    assert.equal(pace.window, 10);
  });
});

describe('a server that asks for less', () => {
  const grown = (): Pace => {
    const pace = new Pace(LIMITS);
    for (let round = 0; round < 4; round += 1) goodRound(pace);
    return pace;
  };

  test('a server that limits the rate gets half of the messages and connections', () => {
    const pace = grown();
    pace.tooFast(0);
    assert.deepEqual([pace.window, pace.maxConnections], [40, 4]);
  });

  test('the window is halved once for all messages in flight', () => {
    const pace = grown();
    for (let count = 0; count < 50; count += 1) pace.tooFast(count * 100);
    assert.deepEqual([pace.window, pace.maxConnections], [40, 4]);
    pace.tooFast(5_000);
    assert.deepEqual([pace.window, pace.maxConnections], [20, 2]);
  });

  test('a server that limits the rate always gets at least one message over one connection', () => {
    const pace = grown();
    for (let count = 0; count < 10; count += 1) pace.tooFast(count * 10_000);
    assert.deepEqual([pace.window, pace.maxConnections], [1, 1]);
  });

  test('a server that limited the rate gets one more connection per minute', () => {
    const pace = grown();
    pace.tooFast(0);
    const seen: number[] = [];
    for (const nowMs of [59_999, 60_000, 60_001, 119_999, 120_000]) {
      goodRound(pace, 20, nowMs);
      seen.push(pace.maxConnections);
    }
    assert.deepEqual(seen, [4, 5, 5, 5, 6]);
  });
});

describe('the limit of messages per second', () => {
  const limits: PaceLimits = { maxConnections: 10, maxMessagesPerSecond: 5 };

  test('the limit per second allows the messages of one second at once, and spaces later messages evenly', () => {
    const pace = new Pace(limits);
    assert.equal(pace.capacityLeft(0, 0, 0), 5);
    for (let count = 0; count < 5; count += 1) assert.equal(pace.begin(0), 0);
    assert.equal(pace.begin(0), 200);
    assert.equal(pace.capacityLeft(5, 0, 0), 0);
    assert.equal(pace.begin(199), 1);
    assert.equal(pace.begin(200), 0);
    assert.equal(pace.begin(200), 200);
  });

  test('unused messages of the limit per second accumulate for at most one second', () => {
    const pace = new Pace(limits);
    assert.equal(pace.capacityLeft(0, 0, 3_600_000), 5);
  });

  test('messages that wait for the limit per second reduce the capacity', () => {
    assert.equal(new Pace(limits).capacityLeft(3, 3, 0), 2);
  });

  test('the limit per second can be less than one', () => {
    const pace = new Pace({ maxConnections: 1, maxMessagesPerSecond: 0.1 });
    assert.equal(pace.begin(0), 0);
    assert.equal(pace.begin(0), 10_000);
    assert.equal(pace.begin(10_000), 0);
  });
});

describe('changed limits', () => {
  test('a lower limit applies at once', () => {
    const pace = new Pace(LIMITS);
    for (let round = 0; round < 4; round += 1) goodRound(pace);
    pace.limits = { maxConnections: 2, maxMessagesPerSecond: 3 };
    assert.deepEqual([pace.maxConnections, pace.window, pace.capacityLeft(0, 0, 0)], [2, 20, 3]);
  });

  test('a higher limit is reached gradually', () => {
    const pace = new Pace({ maxConnections: 1, maxMessagesPerSecond: null });
    pace.limits = LIMITS;
    assert.equal(pace.maxConnections, 1);
    goodRound(pace);
    assert.equal(pace.maxConnections, 2);
  });
});

describe('a slow server', () => {
  /** Simulates a server with a full window. @param doneMs returns the time at which the server finishes a message that begins now */
  const simulate = (pace: Pace, forMs: number, doneMs: (nowMs: number) => number): void => {
    const inFlight: { begunMs: number; doneMs: number }[] = [];
    for (let nowMs = 0; nowMs < forMs; nowMs += 100) {
      while (inFlight[0] !== undefined && inFlight[0].doneMs <= nowMs)
        pace.good(nowMs - (inFlight.shift()?.begunMs ?? 0), nowMs);
      while (pace.capacityLeft(inFlight.length, 0, nowMs) > 0)
        inFlight.push({ begunMs: nowMs, doneMs: doneMs(nowMs) });
    }
  };

  test('a server that handles one message at a time gets no more connections than it can use', () => {
    const pace = new Pace({ maxConnections: 20, maxMessagesPerSecond: null });
    let freeMs = 0;
    simulate(pace, 3_600_000, (nowMs) => (freeMs = Math.max(freeMs, nowMs) + 1_000));
    assert.ok(pace.maxConnections <= 4, `${pace.maxConnections}`);
    assert.ok(pace.window <= 4, `${pace.window}`);
  });

  test('a server that handles many messages at a time gets all allowed connections', () => {
    const pace = new Pace({ maxConnections: 20, maxMessagesPerSecond: null });
    simulate(pace, 300_000, (nowMs) => nowMs + 4_000);
    assert.deepEqual([pace.maxConnections, pace.window], [20, 20]);
  });
});

test('a connection has no more messages in flight than the server handles in a second', () => {
  const pace = new Pace({ maxConnections: 2, maxMessagesPerSecond: null });
  for (let count = 0; count < 40; count += 1) pace.good(250, count * 250);
  assert.equal(pace.window, 2 * 4);
});
