import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Logger, pino } from 'pino';
import { documentedLines } from '../../../test/support/logs-page.ts';
import { encodeId, newUuid } from '../../model/ids.ts';
import { LOG_MESSAGES } from '../../observe/log-messages.ts';
import { observeReport } from '../../reports/receive/record-report.ts';
import { WHOLE_EMAIL } from '../../reports/return-path.ts';
import type { NewEvent } from '../events/record-events.ts';
import { observeHit, observeUnsubscribe } from '../track/observe-hit.ts';
import { ObservedAttempt } from './observed-attempt.ts';
import { consequenceOf } from './outcome-events.ts';
import type { AttemptReply, Outcome } from './provider.ts';
import { logAbandoned, logUnsent, logRetriedAlone, logWaiting, observeCrash } from './recipient-lines.ts';

const projectId = newUuid();
const emailId = newUuid();
const row = {
  projectId,
  emailId,
  stream: 'transactional' as const,
  recipientIndex: 3,
  address: 'Some.Body@Dst.TEST',
  octets: 1,
  attempts: 4,
  crashes: 2,
  scheduledAt: null,
  waitedUntil: null,
};
const IDS = { projectId: encodeId('prj', projectId), emailId: encodeId('em', emailId), recipientIndex: 3 };
const NAME = { ...IDS, destination: 'dst.test' };
const reply: AttemptReply = {
  replyCode: 452,
  enhancedCode: '4.2.2',
  text: 'secret',
  remoteMta: 'mx.dst.test',
  tls: true,
  dialogue: null,
};
const deferred: NewEvent = {
  type: 'deferred',
  recipientIndex: 3,
  recipient: row.address,
  detail: {
    smtp_code: 452,
    enhanced_code: '4.2.2',
    response: 'secret',
    remote_mta: 'secret',
    next_attempt_at: 'T',
  },
};
const bounced: NewEvent = {
  type: 'bounced',
  recipientIndex: 3,
  recipient: row.address,
  detail: {
    recipient: row.address,
    type: 'soft',
    category: 'mailbox_full',
    diagnostic: 'secret',
    smtp_code: 452,
    enhanced_code: '4.2.2',
    remote_mta: 'secret',
    suppressed: false,
    source: 'dsn',
  },
};
const replyFields = { replyCode: 452, enhancedCode: '4.2.2', remoteHost: 'mx.dst.test', tls: true };

function attempt(
  outcome: Outcome,
  waitFor: { destination: string; delayMs: number; wasAttempted: true } | null,
) {
  return (logger: Logger) => {
    const observed = new ObservedAttempt(logger, row, null);
    observed.answered();
    const of = {
      recipientIndex: 3,
      address: row.address,
      attempt: 5,
      ageMs: 3_600_000,
      nowMs: 0,
      jitter: 0,
      isFinal: true,
      waitFor,
    };
    observed.ended(outcome, outcome.outcome === 'abandoned' ? null : consequenceOf(outcome, of));
  };
}

const cases: {
  what: string;
  log: (logger: Logger) => void;
  level?: string;
  line: Record<string, unknown>;
}[] = [
  {
    what: 'a deferred attempt',
    log: attempt({ outcome: 'transient', reply, scope: 'message' }, null),
    line: {
      msg: LOG_MESSAGES.attempted,
      ...NAME,
      attempt: 5,
      outcome: 'transient',
      ...replyFields,
      events: 'deferred',
      nextAttemptAt: '1970-01-01T01:00:00.000Z',
    },
  },
  {
    what: 'an attempt whose destination is unavailable',
    log: attempt(
      { outcome: 'transient', reply, scope: 'host' },
      { destination: 'dst.test', delayMs: 1_000, wasAttempted: true },
    ),
    line: {
      msg: LOG_MESSAGES.attempted,
      ...NAME,
      attempt: 5,
      outcome: 'transient',
      ...replyFields,
      events: 'deferred',
      waits: true,
      nextAttemptAt: '1970-01-01T00:00:01.000Z',
    },
  },
  {
    what: 'an attempt with a hard bounce',
    log: attempt({ outcome: 'permanent', reply: { ...reply, replyCode: 550, enhancedCode: '5.1.1' } }, null),
    line: {
      msg: LOG_MESSAGES.attempted,
      ...NAME,
      attempt: 5,
      outcome: 'permanent',
      ...replyFields,
      replyCode: 550,
      enhancedCode: '5.1.1',
      events: 'bounced',
      bounceType: 'hard',
      bounceCategory: 'unknown_user',
      suppresses: true,
    },
  },
  {
    what: 'an attempt without a reply',
    log: attempt(
      {
        outcome: 'unroutable',
        reason: 'no_route',
        reply: { ...reply, replyCode: null, enhancedCode: null, remoteMta: null },
      },
      null,
    ),
    line: {
      msg: LOG_MESSAGES.attempted,
      ...NAME,
      attempt: 5,
      outcome: 'unroutable',
      tls: true,
      events: 'failed',
    },
  },
  {
    what: 'an abandoned attempt',
    log: attempt({ outcome: 'abandoned' }, null),
    line: { msg: LOG_MESSAGES.attempted, ...NAME, attempt: 5, outcome: 'abandoned' },
  },
  {
    what: 'a recipient that waits for its destination',
    log: (logger) => logWaiting(logger, row, [deferred]),
    line: { msg: LOG_MESSAGES.waiting, ...NAME, nextAttemptAt: 'T' },
  },
  {
    what: 'a suppressed recipient',
    log: (logger) => logUnsent(logger, row, 'suppressed'),
    line: { msg: LOG_MESSAGES.suppressed, ...NAME },
  },
  {
    what: 'an email whose domain is no longer verified',
    log: (logger) => logUnsent(logger, row, 'domain_not_verified'),
    line: { msg: LOG_MESSAGES.notVerified, ...NAME },
  },
  {
    what: 'service mail whose link is no longer valid',
    log: (logger) => logUnsent(logger, row, 'link_ended'),
    line: { msg: LOG_MESSAGES.notSentLinkEnded, ...NAME },
  },
  {
    what: 'a recipient whose retries have expired',
    log: (logger) => logAbandoned(logger, row, 'expired'),
    line: { msg: LOG_MESSAGES.recipientAbandoned, ...NAME, reason: 'expired' },
  },
  {
    what: 'a recipient that is abandoned after crashes',
    log: (logger) => logAbandoned(logger, row, 'internal'),
    level: 'warn',
    line: { msg: LOG_MESSAGES.recipientAbandoned, ...NAME, reason: 'internal' },
  },
  {
    what: 'an email that is retried alone',
    log: (logger) => logRetriedAlone(logger, row),
    level: 'warn',
    line: { msg: LOG_MESSAGES.triedAlone, ...NAME, crashes: 2 },
  },
  {
    what: 'an attempt that failed in our own code',
    log: (logger) => observeCrash(logger, row, 'error'),
    level: 'error',
    line: { msg: LOG_MESSAGES.attemptFailed, ...NAME, attempt: 5, crashes: 3, err: 'error' },
  },
  {
    what: 'a bounce report',
    log: (logger) =>
      observeReport(logger, { kind: 'dsn', recipients: [], original: null }, [
        { subject: row, events: [bounced] },
      ]),
    line: {
      msg: LOG_MESSAGES.reported,
      ...IDS,
      report: 'dsn',
      events: 'bounced',
      bounceType: 'soft',
      bounceCategory: 'mailbox_full',
    },
  },
  {
    what: 'an automatic reply that concerns a whole email',
    log: (logger) =>
      observeReport(logger, { kind: 'other', why: 'auto-reply' }, [
        { subject: { projectId, emailId, recipientIndex: WHOLE_EMAIL }, events: [] },
      ]),
    line: {
      msg: LOG_MESSAGES.reported,
      projectId: IDS.projectId,
      emailId: IDS.emailId,
      report: 'other',
      why: 'auto-reply',
    },
  },
  {
    what: 'a complaint about an unknown recipient',
    log: (logger) => {
      const names = { feedbackType: 'abuse', reportingMta: null, recipients: [], original: null };
      observeReport(logger, { kind: 'complaint', ...names }, []);
    },
    line: { msg: LOG_MESSAGES.reported, report: 'complaint' },
  },
  {
    what: 'an open',
    log: (logger) =>
      observeHit(
        logger,
        { kind: 'open', of: row, ip: '192.0.2.1', userAgent: 'secret', isMachine: false },
        'recorded',
      ),
    line: { msg: LOG_MESSAGES.opened, ...IDS, isMachine: false },
  },
  {
    what: 'a click',
    log: (logger) => {
      const visitor = { ip: null, userAgent: null, isMachine: true };
      observeHit(logger, { kind: 'click', url: 'https://secret.example/', of: row, ...visitor }, 'recorded');
    },
    line: { msg: LOG_MESSAGES.clicked, ...IDS, isMachine: true },
  },
  {
    what: 'an unsubscribe',
    log: (logger) => observeUnsubscribe(logger, row),
    line: { msg: LOG_MESSAGES.unsubscribed, ...IDS },
  },
];

const page = documentedLines();
for (const { what, log, level = 'info', line } of cases) {
  test(`the log line of ${what} has only ids, codes and the domain, as documented`, () => {
    const lines: string[] = [];
    const formatters = { level: (label: string) => ({ level: label }) };
    log(
      pino({ base: null, timestamp: false, formatters }, { write: (text: string) => void lines.push(text) }),
    );
    assert.equal(lines.length, 1);
    const { durationMs, ...logged } = JSON.parse(lines[0] ?? '') as Record<string, unknown>;
    assert.ok(durationMs === undefined || Number.isInteger(durationMs));
    assert.deepEqual(logged, { level, ...line });
    const documented = page.get(String(line['msg']));
    assert.ok(documented !== undefined && documented.levels.includes(level));
    for (const name of Object.keys(logged)) assert.ok(documented.fields.has(name), name);
    assert.doesNotMatch(lines.join(''), /secret|some\.body|192\.0\.2\.1/i);
  });
}

test('repeated, rejected and lost hits of a recipient are not logged', () => {
  const lines: string[] = [];
  const logger = pino({}, { write: (text: string) => void lines.push(text) });
  const hit = { kind: 'open' as const, of: row, ip: null, userAgent: null, isMachine: false };
  for (const result of ['repeated', 'refused', 'lost'] as const) observeHit(logger, hit, result);
  assert.deepEqual(lines, []);
});
