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

describe('what is tracked of an email', () => {
  const cases: [
    name: string,
    project: Parameters<typeof trackingOf>[0],
    domain: Parameters<typeof trackingOf>[1],
    send: Send,
    expected: Tracking | null,
  ][] = [
    ['nothing, by default', OFF, AS_PROJECT, { html: 'x' }, null],
    [
      'what the project says',
      { trackOpens: true, trackClicks: false },
      AS_PROJECT,
      { html: 'x' },
      tracking(true, false),
    ],
    [
      'what the domain says, where it does',
      OFF,
      { trackOpens: null, trackClicks: true },
      { html: 'x' },
      tracking(false, true),
    ],
    [
      'nothing where the domain says so',
      { trackOpens: true, trackClicks: true },
      { trackOpens: false, trackClicks: false },
      { html: 'x' },
      null,
    ],
    ['nothing of a text', { trackOpens: true, trackClicks: true }, AS_PROJECT, { text: 'x' }, null],
    [
      'nothing of an empty HTML',
      { trackOpens: true, trackClicks: true },
      AS_PROJECT,
      { html: '', text: 'x' },
      null,
    ],
    [
      'unsubscribing that the text asks for',
      OFF,
      AS_PROJECT,
      { text: 'x {{unsubscribe_url}}' },
      tracking(false, false, true),
    ],
    [
      'unsubscribing that the HTML asks for',
      OFF,
      AS_PROJECT,
      { html: '{{ unsubscribe_url }}' },
      tracking(false, false, true),
    ],
    [
      'unsubscribing that the field asks for',
      OFF,
      AS_PROJECT,
      { text: 'x', headers: { 'list-unsubscribe': '<{{unsubscribe_url}}>' } },
      tracking(false, false, true),
    ],
    [
      'nothing where another field holds the placeholder',
      OFF,
      AS_PROJECT,
      { text: 'x', headers: { 'X-A': '{{unsubscribe_url}}' } },
      null,
    ],
    ['nothing where the name stands without braces', OFF, AS_PROJECT, { text: 'unsubscribe_url' }, null],
  ];
  for (const [name, project, domain, send, expected] of cases) {
    it(`is ${name}`, () => {
      assert.deepEqual(
        trackingOf(project, domain, send, () => BASE),
        expected,
      );
    });
  }
});
