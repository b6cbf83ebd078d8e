import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Tracking } from '../../model/tracking.ts';
import { trackingOf } from './tracking-of.ts';

const BASE = 'https://mail.example.com';
const OFF = { trackOpens: false, trackClicks: false };
const AS_PROJECT = { trackOpens: null, trackClicks: null };

type Send = Parameters<typeof trackingOf>[2];

function tracking(opens: boolean, clicks: boolean, unsubscribe = false): Tracking {
  return { opens, clicks, unsubscribe, base_url: BASE };
}

describe('tracking of an email', () => {
  const cases: [
    name: string,
    project: Parameters<typeof trackingOf>[0],
    domain: Parameters<typeof trackingOf>[1],
    send: Send,
    expected: Tracking | null,
  ][] = [
    ['nothing, by default', OFF, AS_PROJECT, { html: 'x' }, null],
    [
      'uses the setting of the project',
      { trackOpens: true, trackClicks: false },
      AS_PROJECT,
      { html: 'x' },
      tracking(true, false),
    ],
    [
      'uses the setting of the domain if it has one',
      OFF,
      { trackOpens: null, trackClicks: true },
      { html: 'x' },
      tracking(false, true),
    ],
    [
      'is off if the domain turns it off',
      { trackOpens: true, trackClicks: true },
      { trackOpens: false, trackClicks: false },
      { html: 'x' },
      null,
    ],
    [
      'is off for an email without HTML',
      { trackOpens: true, trackClicks: true },
      AS_PROJECT,
      { text: 'x' },
      null,
    ],
    [
      'is off for empty HTML',
      { trackOpens: true, trackClicks: true },
      AS_PROJECT,
      { html: '', text: 'x' },
      null,
    ],
    [
      'has an unsubscribe link if the text has the placeholder',
      OFF,
      AS_PROJECT,
      { text: 'x {{unsubscribe_url}}' },
      tracking(false, false, true),
    ],
    [
      'has an unsubscribe link if the HTML has the placeholder',
      OFF,
      AS_PROJECT,
      { html: '{{ unsubscribe_url }}' },
      tracking(false, false, true),
    ],
    [
      'has an unsubscribe link if List-Unsubscribe has the placeholder',
      OFF,
      AS_PROJECT,
      { text: 'x', headers: { 'list-unsubscribe': '<{{unsubscribe_url}}>' } },
      tracking(false, false, true),
    ],
    [
      'ignores the placeholder in other header fields',
      OFF,
      AS_PROJECT,
      { text: 'x', headers: { 'X-A': '{{unsubscribe_url}}' } },
      null,
    ],
    [
      'ignores the name of the placeholder without braces',
      OFF,
      AS_PROJECT,
      { text: 'unsubscribe_url' },
      null,
    ],
  ];
  for (const [name, project, domain, send, expected] of cases) {
    it(name, () => {
      assert.deepEqual(
        trackingOf(project, domain, send, () => BASE),
        expected,
      );
    });
  }
});
