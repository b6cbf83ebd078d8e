import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import {
  mxStateAfter,
  bestHost,
  isDue,
  pointsHere,
  type MxState,
  locationByMx,
  UNKNOWN_MX,
} from './mx-state.ts';

const OURS = new Set(['mx.here.example', 'mx2.here.example', 'gateway.example']);
const hostsOf = (text: string) =>
  text.split(', ').flatMap((one) => {
    const [priority, exchange = ''] = one.split(' ');
    return priority === '' ? [] : [{ priority: Number(priority), exchange }];
  });

describe('MX records point here if they name one of our hosts and no other host has a lower preference value', () => {
  for (const [domain, records, isHere] of [
    ['acme.example', '10 mx.here.example', true],
    ['acme.example', '10 mx2.here.example', true],
    ['acme.example', '10 gateway.example, 20 mx.here.example', true],
    ['acme.example', '10 gateway.example', true],
    ['acme.example', '10 mx.here.example, 20 backup.other.example', true],
    ['acme.example', '10 mx.here.example, 10 mx.other.example', true],
    ['acme.example', '10 mx.other.example, 10 mx.here.example', true],
    ['acme.example', '20 mx.here.example, 10 mx.other.example', false],
    ['acme.example', '5 mx.other.example, 10 mx.here.example, 20 mx2.here.example', false],
    ['acme.example', '30 backup.other.example, 10 mx.here.example, 20 mx.other.example', true],
    ['acme.example', '10 mx.other.example', false],
    ['acme.example', '10 xmx.here.example', false],
    ['acme.example', '10 mx.here.example.acme.example', false],
    // First a null MX (RFC 7505), then domains without MX records, which receive mail at their own address.
    ['acme.example', '0 ', false],
    ['acme.example', '', false],
    ['mx.here.example', '', true],
  ] as const)
    test(`${domain} with ${records || 'no records'}: ${isHere ? 'here' : 'elsewhere'}`, () => {
      assert.equal(pointsHere(domain, hostsOf(records), OURS), isHere);
    });
});

const START = Date.parse('2026-11-20T12:00:00Z');
const MINUTE_MS = 60_000;
const HERE = '10 mx.here.example';
const AWAY = '10 mx.other.example';

/** @param answers for each query, its minute and the records in the answer; the records are null if DNS did not answer */
function stateAfter(...answers: readonly (readonly [minute: number, records: string | null])[]): MxState {
  let state = UNKNOWN_MX;
  for (const [minute, records] of answers) {
    const now = new Date(START + minute * MINUTE_MS);
    if (records === null) state = { ...state, askedAt: now };
    else
      state = mxStateAfter(state, hostsOf(records), pointsHere('acme.example', hostsOf(records), OURS), now);
  }
  return state;
}

describe('mail is delivered here until two answers at least ten minutes apart say that the MX is elsewhere', () => {
  for (const [name, answers, standing] of [
    ['no answer', [], 'unknown'],
    ['only queries that failed', [[0, null]], 'unknown'],
    ['here', [[0, HERE]], 'here'],
    [
      'one answer elsewhere',
      [
        [0, HERE],
        [60, AWAY],
      ],
      'here',
    ],
    [
      'two answers elsewhere, nine minutes apart',
      [
        [0, HERE],
        [60, AWAY],
        [69, AWAY],
      ],
      'here',
    ],
    [
      'two answers elsewhere, ten minutes apart',
      [
        [0, HERE],
        [60, AWAY],
        [70, AWAY],
      ],
      'moved',
    ],
    [
      'three answers elsewhere within ten minutes, and a fourth',
      [
        [0, HERE],
        [1, AWAY],
        [5, AWAY],
        [9, AWAY],
        [12, AWAY],
      ],
      'moved',
    ],
    [
      'one answer elsewhere, and a query that failed',
      [
        [0, HERE],
        [60, AWAY],
        [80, null],
      ],
      'here',
    ],
    [
      'an answer here between two elsewhere',
      [
        [0, HERE],
        [60, AWAY],
        [65, HERE],
        [70, AWAY],
      ],
      'here',
    ],
    [
      'moved, and a query that failed',
      [
        [0, HERE],
        [60, AWAY],
        [70, AWAY],
        [700, null],
      ],
      'moved',
    ],
    [
      'moved and back',
      [
        [0, HERE],
        [60, AWAY],
        [70, AWAY],
        [80, HERE],
      ],
      'here',
    ],
    ['never here', [[0, AWAY]], 'elsewhere'],
    [
      'never here, twice',
      [
        [0, AWAY],
        [60, AWAY],
      ],
      'elsewhere',
    ],
  ] as const)
    test(`${name}: ${standing}`, () => {
      assert.equal(locationByMx('acme.example', stateAfter(...answers), OURS), standing);
    });

  test('a host that becomes one of our hosts counts immediately', () => {
    const state = stateAfter([0, HERE], [60, AWAY], [70, AWAY]);
    assert.equal(locationByMx('acme.example', state, new Set(['mx.other.example'])), 'here');
  });
});

describe('DNS is queried again', () => {
  for (const [name, answers, minute, due] of [
    ['if it was never queried', [], 0, true],
    ['not within an hour', [[0, HERE]], 59, false],
    ['after an hour', [[0, HERE]], 60, true],
    [
      'after an hour by a domain that moved',
      [
        [0, HERE],
        [60, AWAY],
        [70, AWAY],
      ],
      130,
      true,
    ],
    [
      'not within ten minutes of the first answer elsewhere',
      [
        [0, HERE],
        [60, AWAY],
      ],
      69,
      false,
    ],
    [
      'ten minutes after the first answer elsewhere',
      [
        [0, HERE],
        [60, AWAY],
      ],
      70,
      true,
    ],
    [
      'not within a minute of a query that failed',
      [
        [0, HERE],
        [60, null],
      ],
      60.5,
      false,
    ],
    [
      'a minute after a query that failed',
      [
        [0, HERE],
        [60, null],
      ],
      61,
      true,
    ],
  ] as const)
    test(name, () => {
      assert.equal(isDue(stateAfter(...answers), START + minute * MINUTE_MS), due);
    });
});

test('the mail host is the host with the lowest preference value, or the domain itself without MX records', () => {
  assert.equal(bestHost('acme.example', hostsOf('20 b.example, 10 c.example, 10 a.example')), 'a.example');
  assert.equal(bestHost('acme.example', []), 'acme.example');
});
