/**
 * All instruments of a process. `docs/operate/metrics.md` explains each series. Label values are only those listed here: no address,
 * no id, no text from other servers.
 */
import { BOUNCE_CATEGORIES } from '../model/bounce.ts';
import { LOCK_REASONS } from '../model/lock-reasons.ts';
import { counter, gauge, histogram } from './define.ts';

// Accepting and the API

export const acceptedEmails = counter(
  'posthorn_emails_accepted_total',
  'Emails that were accepted and stored, from the API and from API keys by SMTP; replays are not counted.',
);

/** The number of emails that this process has accepted. Background work yields while it grows. */
export async function countAccepted(): Promise<number> {
  const { values } = await acceptedEmails.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

/** Measured for each transaction that accepts mail, from its first statement to the response to its commit. */
export const commits = histogram(
  'posthorn_commit_seconds',
  'Time that PostgreSQL took to write a batch of accepted mail and to commit it.',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
);

/** `operation` is the operationId in the OpenAPI document, or `other`. */
export const httpRequests = histogram(
  'posthorn_http_request_duration_seconds',
  'Time from the arrival of a request to the end of its answer.',
  [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  { operation: null, status: ['1xx', '2xx', '3xx', '4xx', '5xx'] },
);

// Sending

/** `destination` comes from `destinationLabel`. */
export const attempts = counter(
  'posthorn_delivery_attempts_total',
  'Attempts to hand one recipient of an email over.',
  {
    destination: null,
    outcome: ['accepted', 'transient', 'permanent', 'unroutable', 'abandoned', 'crashed'],
  },
);

export const attemptDuration = histogram(
  'posthorn_delivery_attempt_duration_seconds',
  'Time that an attempt took, from composed to answered.',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
  { outcome: ['accepted', 'transient', 'permanent', 'unroutable', 'abandoned', 'crashed'] },
);

/** The attempts in flight, in the order of their start. */
export const attemptsUnderWay = new Set<{ readonly startedMs: number }>();

gauge(
  'posthorn_delivery_oldest_attempt_seconds',
  'For how long the attempt that began first has been under way; 0 when none is.',
  undefined,
  (oldestAttempt) => {
    const [oldest] = attemptsUnderWay;
    oldestAttempt.set(oldest === undefined ? 0 : (performance.now() - oldest.startedMs) / 1_000);
  },
);

export const timeToAccepted = histogram(
  'posthorn_time_to_accepted_seconds',
  'Time from the acceptance of an email by the API to the acceptance of a recipient by the far side.',
  [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3_600, 14_400, 86_400, 259_200],
);

export const outcomes = counter('posthorn_recipient_events_total', 'Events in the timelines of recipients.', {
  type: ['sent', 'delivered', 'deferred', 'bounced', 'failed', 'complained', 'opened', 'clicked'],
});

export const bounces = counter('posthorn_bounces_total', 'Recipients that bounced.', {
  type: ['hard', 'soft'],
  category: BOUNCE_CATEGORIES,
});

export const smtpConnections = gauge(
  'posthorn_outgoing_smtp_connections',
  'Connections that are open to the smart host or to servers of recipients.',
);

// The machine

export const clockOffset = gauge(
  'posthorn_clock_offset_seconds',
  "How far the clock of this machine is ahead of the database's; below 0 it is behind.",
);

export const certificateExpiry = gauge(
  'posthorn_certificate_expiry_timestamp_seconds',
  'When the certificate that clients are shown expires, in seconds since 1970; 0 without one. Of several names the first one to expire.',
);

export const acmeOrders = counter('posthorn_acme_orders_total', 'Certificates that were asked for by ACME.', {
  result: ['issued', 'failed'],
});

// Mail of mailboxes

export const submissions = counter(
  'posthorn_submissions_total',
  'Messages that mailboxes handed in to be sent, and tried to.',
  { result: ['accepted', 'replayed', 'refused', 'over_limit', 'locked'] },
);

export const notices = counter(
  'posthorn_notices_total',
  'Messages that told the owner of a mailbox what became of what was sent from it.',
  { about: ['failure', 'delay', 'success'] },
);

export const sendingLocks = counter(
  'posthorn_sending_locks_total',
  'Mailboxes that were locked for sending.',
  { reason: LOCK_REASONS },
);

// Reports and webhooks

export const reports = counter('posthorn_reports_total', 'Messages and notifications that came back.', {
  kind: ['dsn', 'complaint', 'other'],
});

export const inboundSessions = gauge(
  'posthorn_inbound_smtp_sessions',
  'Connections that are open at the port for mail from outside.',
);

export const inboundConnections = counter(
  'posthorn_inbound_smtp_connections_total',
  'Connections made to the port for mail from outside.',
  { result: ['served', 'refused', 'proxy_error'] },
);

export const inboundGaveWay = counter(
  'posthorn_inbound_smtp_gave_way_total',
  'Connections to the port for mail from outside that were ended because others needed what they held.',
  { to: ['connection', 'content'] },
);

export const imapSessions = gauge('posthorn_imap_sessions', 'Connections of mail apps that speak IMAP.');

export const imapConnections = counter(
  'posthorn_imap_connections_total',
  'Connections made to the ports for IMAP.',
  {
    result: ['served', 'refused', 'proxy_error'],
  },
);

/** `command` is a name that the parser knows, or `none`. */
export const imapCommands = histogram(
  'posthorn_imap_command_duration_seconds',
  'Time from the end of a command of a mail app to its answer, without those that wait for the app.',
  [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
  { command: null, result: ['ok', 'no', 'bad'] },
);

export const imapGaveWay = counter(
  'posthorn_imap_gave_way_total',
  'Connections to the ports for IMAP that were ended because others needed what they held.',
  { to: ['connection', 'content'] },
);

export const pop3Sessions = gauge('posthorn_pop3_sessions', 'Connections of mail apps that speak POP3.');

export const pop3Connections = counter(
  'posthorn_pop3_connections_total',
  'Connections made to the ports for POP3.',
  { result: ['served', 'refused', 'proxy_error'] },
);

export const pop3GaveWay = counter(
  'posthorn_pop3_gave_way_total',
  'Connections to the ports for POP3 that were ended because others needed their places.',
  { to: ['connection'] },
);

export const pop3Messages = counter(
  'posthorn_pop3_messages_total',
  'Messages that mail apps fetched by POP3, and those that they deleted.',
  { what: ['retrieved', 'deleted'] },
);

export const submissionSessions = gauge(
  'posthorn_submission_sessions',
  'Connections that are open at the ports for mail that is handed in.',
);

export const submissionConnections = counter(
  'posthorn_submission_connections_total',
  'Connections made to the ports for mail that is handed in.',
  { result: ['served', 'refused', 'proxy_error'] },
);

export const submissionGaveWay = counter(
  'posthorn_submission_gave_way_total',
  'Connections to the ports for mail that is handed in that were ended because others needed what they held.',
  { to: ['connection', 'content'] },
);

export const submittedMessages = counter(
  'posthorn_submitted_messages_total',
  'Messages that were handed in with their content, by mailboxes and by API keys.',
  {
    by: ['mailbox', 'api_key'],
    outcome: [
      'accepted',
      'replayed',
      'refused',
      'put_off',
      'try_again',
      'too_large',
      'no_room',
      'bare_line_end',
    ],
  },
);

export const inboundMessages = counter(
  'posthorn_inbound_messages_total',
  'Messages that came to the port for mail from outside, with their content.',
  {
    outcome: [
      'accepted',
      'refused',
      'loop',
      'mailbox_full',
      'operators_full',
      'try_again',
      'too_large',
      'no_room',
      'bare_line_end',
    ],
  },
);

export const examinations = counter(
  'posthorn_examined_messages_total',
  'Messages from outside that were examined, by what DMARC says of them.',
  { dmarc: ['pass', 'fail', 'none', 'temperror', 'permerror'] },
);

export const examinationDuration = histogram(
  'posthorn_examination_duration_seconds',
  'Time from the end of a message to what is known of it: SPF, DKIM, DMARC, ARC, and its spam score.',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
);

export const spamVerdicts = counter(
  'posthorn_spam_verdicts_total',
  'Where messages belong, one for each mailbox that a message came for.',
  { place: ['inbox', 'junk', 'refuse'] },
);

export const rspamdChecks = counter(
  'posthorn_rspamd_checks_total',
  'Messages that rspamd was to score: those that it did, and those that our own scorer did in its place.',
  { result: ['answered', 'fallback'] },
);

export const inboundRecipients = counter(
  'posthorn_inbound_recipients_total',
  'Recipients that were named at the port for mail from outside.',
  {
    result: [
      'taken',
      'no_such_recipient',
      'no_relay',
      'mailbox_full',
      'mailbox_full_for_long',
      'message_over_quota',
      'too_many',
      'operators_full',
      'try_again',
    ],
  },
);

export const filedMessages = counter(
  'posthorn_filed_messages_total',
  'Messages that came from outside into a mailbox, one for each mailbox.',
  { folder: ['inbox', 'junk', 'trash', 'other'] },
);

export const filedOctets = counter(
  'posthorn_filed_bytes_total',
  'Bytes of messages that came from outside into a mailbox.',
);

export const filingDuration = histogram(
  'posthorn_filing_duration_seconds',
  'Time from the end of a message from outside to the answer to it: checks, waits and the commit.',
  [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
);

// Signing in

export const signIns = counter(
  'posthorn_sign_ins_total',
  'Attempts to sign in to a mailbox or the dashboard.',
  {
    door: ['imap', 'pop3', 'submission', 'web', 'dashboard'],
    result: ['signed_in', 'refused', 'try_later'],
  },
);

// File links

export const linkUploads = counter(
  'posthorn_file_link_uploads_total',
  'Large files that were to become links.',
  { result: ['begun', 'whole', 'over_limit'] },
);

export const linkUploadedBytes = counter(
  'posthorn_file_link_uploaded_bytes_total',
  'Bytes of large files that were kept.',
);

export const linkDownloads = counter(
  'posthorn_file_link_downloads_total',
  'Requests of visitors for the files of links.',
  { result: ['begun', 'gone_on', 'nowhere', 'refused'] },
);

export const linkDownloadedBytes = counter(
  'posthorn_file_link_downloaded_bytes_total',
  'Bytes of files that went out to visitors of links.',
);

export const linkPasswords = counter(
  'posthorn_file_link_passwords_total',
  'Passwords that visitors of links entered.',
  { result: ['right', 'wrong', 'try_later'] },
);

// Notifications

export const webhookAttempts = counter(
  'posthorn_webhook_attempts_total',
  'Attempts to deliver an event to a webhook.',
  { outcome: ['delivered', 'failed_response', 'no_answer', 'unsent'] },
);

export const webhookAttemptDuration = histogram(
  'posthorn_webhook_attempt_duration_seconds',
  'Time that an attempt to deliver an event to a webhook took.',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
);

export const trackingHits = counter(
  'posthorn_tracking_hits_total',
  'Requests for signed links: opens, clicks, unsubscribes.',
  { kind: ['open', 'click', 'unsubscribe'], result: ['recorded', 'repeated', 'refused', 'lost'] },
);
