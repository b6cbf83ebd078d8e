/**
 * All instruments of a process. `docs/operate/metrics.md` explains each series. This file lists all label values, so that no address, id
 * or text from another server becomes a label value.
 */
import { BOUNCE_CATEGORIES } from '../model/bounce.ts';
import { LOCK_REASONS } from '../model/lock-reasons.ts';
import { counter, gauge, histogram } from './define.ts';

// Accepting and the API

export const acceptedEmails = counter(
  'posthorn_emails_accepted_total',
  'Emails accepted by the API, or by SMTP with an API key, without replays.',
);

/** How many emails this process has accepted. Background work compares this number over time, and slows down while it grows. */
export async function countAccepted(): Promise<number> {
  const { values } = await acceptedEmails.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}

/** The duration of each transaction that accepts mail, from the first statement to PostgreSQL's response to the commit. */
export const commits = histogram(
  'posthorn_commit_seconds',
  'Time that PostgreSQL took to write and commit a batch of accepted mail.',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
);

/** `operation` is the operationId in the OpenAPI document, or `other`. */
export const httpRequests = histogram(
  'posthorn_http_request_duration_seconds',
  'Time from the arrival of a request to the end of its response.',
  [0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  { operation: null, status: ['1xx', '2xx', '3xx', '4xx', '5xx'] },
);

// Sending

/** `destination` comes from `destinationLabel`. */
export const attempts = counter(
  'posthorn_delivery_attempts_total',
  'Delivery attempts, each for one recipient of an email.',
  {
    destination: null,
    outcome: ['accepted', 'transient', 'permanent', 'unroutable', 'abandoned', 'crashed'],
  },
);

export const attemptDuration = histogram(
  'posthorn_delivery_attempt_duration_seconds',
  'Duration of a delivery attempt, from the composed message to the reply.',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600],
  { outcome: ['accepted', 'transient', 'permanent', 'unroutable', 'abandoned', 'crashed'] },
);

/** The attempts in flight, in the order of their start. */
export const attemptsUnderWay = new Set<{ readonly startedMs: number }>();

gauge(
  'posthorn_delivery_oldest_attempt_seconds',
  'Age of the oldest running delivery attempt; 0 if none is running.',
  undefined,
  (oldestAttempt) => {
    const [oldest] = attemptsUnderWay;
    oldestAttempt.set(oldest === undefined ? 0 : (performance.now() - oldest.startedMs) / 1_000);
  },
);

export const timeToAccepted = histogram(
  'posthorn_time_to_accepted_seconds',
  'Time from the acceptance of an email by the API to the acceptance of a recipient by the receiving server.',
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
  "Open connections to the smart host or to recipients' servers.",
);

// The machine

export const clockOffset = gauge(
  'posthorn_clock_offset_seconds',
  "Seconds by which this machine's clock is ahead of the database's; negative if it is behind.",
);

export const certificateExpiry = gauge(
  'posthorn_certificate_expiry_timestamp_seconds',
  'Expiry of the certificate that clients receive, in seconds since 1970; 0 without one. Of several certificates, the first to expire.',
);

export const acmeOrders = counter('posthorn_acme_orders_total', 'Certificates that were requested by ACME.', {
  result: ['issued', 'failed'],
});

// Mail of mailboxes

export const submissions = counter(
  'posthorn_submissions_total',
  'Messages that mailboxes submitted or tried to submit.',
  { result: ['accepted', 'replayed', 'refused', 'over_limit', 'locked'] },
);

export const notices = counter(
  'posthorn_notices_total',
  'Delivery notices to mailbox owners about mail that they sent.',
  { about: ['failure', 'delay', 'success'] },
);

export const sendingLocks = counter(
  'posthorn_sending_locks_total',
  'Mailboxes that were locked for sending.',
  { reason: LOCK_REASONS },
);

// Reports and webhooks

export const reports = counter('posthorn_reports_total', 'Reports about sent mail.', {
  kind: ['dsn', 'complaint', 'other'],
});

export const inboundSessions = gauge(
  'posthorn_inbound_smtp_sessions',
  'Open connections on the port for incoming mail.',
);

export const inboundConnections = counter(
  'posthorn_inbound_smtp_connections_total',
  'Connections to the port for incoming mail.',
  { result: ['served', 'refused', 'proxy_error'] },
);

export const inboundGaveWay = counter(
  'posthorn_inbound_smtp_gave_way_total',
  'Connections to the port for incoming mail that were closed because others needed a resource.',
  { to: ['connection', 'content'] },
);

export const imapSessions = gauge('posthorn_imap_sessions', 'Open IMAP connections of mail apps.');

export const imapConnections = counter('posthorn_imap_connections_total', 'Connections to the IMAP ports.', {
  result: ['served', 'refused', 'proxy_error'],
});

/** `command` is the name of a command that the parser supports, or `none`. */
export const imapCommands = histogram(
  'posthorn_imap_command_duration_seconds',
  'Time from the end of an IMAP command to its response, without commands that wait for the mail app.',
  [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
  { command: null, result: ['ok', 'no', 'bad'] },
);

export const imapGaveWay = counter(
  'posthorn_imap_gave_way_total',
  'Connections to the IMAP ports that were closed because others needed a resource.',
  { to: ['connection', 'content'] },
);

export const pop3Sessions = gauge('posthorn_pop3_sessions', 'Open POP3 connections of mail apps.');

export const pop3Connections = counter('posthorn_pop3_connections_total', 'Connections to the POP3 ports.', {
  result: ['served', 'refused', 'proxy_error'],
});

export const pop3GaveWay = counter(
  'posthorn_pop3_gave_way_total',
  'Connections to the POP3 ports that were closed because others needed a slot.',
  { to: ['connection'] },
);

export const pop3Messages = counter(
  'posthorn_pop3_messages_total',
  'Messages that mail apps fetched or deleted by POP3.',
  { what: ['retrieved', 'deleted'] },
);

export const submissionSessions = gauge(
  'posthorn_submission_sessions',
  'Open connections on the submission ports.',
);

export const submissionConnections = counter(
  'posthorn_submission_connections_total',
  'Connections to the submission ports.',
  { result: ['served', 'refused', 'proxy_error'] },
);

export const submissionGaveWay = counter(
  'posthorn_submission_gave_way_total',
  'Connections to the submission ports that were closed because others needed a resource.',
  { to: ['connection', 'content'] },
);

export const submittedMessages = counter(
  'posthorn_submitted_messages_total',
  'Messages submitted with their content, by mailboxes and with API keys.',
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
  'Messages received with their content on the port for incoming mail.',
  {
    outcome: [
      'accepted',
      'refused',
      'loop',
      'mailbox_full',
      'operators_full',
      'sender_limited',
      'try_again',
      'too_large',
      'no_room',
      'bare_line_end',
    ],
  },
);

export const examinations = counter(
  'posthorn_examined_messages_total',
  'Incoming messages that were examined, by their DMARC result.',
  { dmarc: ['pass', 'fail', 'none', 'temperror', 'permerror'] },
);

export const examinationDuration = histogram(
  'posthorn_examination_duration_seconds',
  'Time from the end of a message to its examination result: SPF, DKIM, DMARC, ARC and spam score.',
  [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
);

export const spamVerdicts = counter(
  'posthorn_spam_verdicts_total',
  'Spam verdicts about messages, once for each mailbox.',
  { place: ['inbox', 'junk', 'refuse'] },
);

export const rspamdChecks = counter(
  'posthorn_rspamd_checks_total',
  'Messages to be scored by rspamd: those that it scored, and those that the built-in scorer scored instead.',
  { result: ['answered', 'fallback'] },
);

/** `list` is a name in the operator's settings. */
export const blocklistAnswers = counter(
  'posthorn_blocklist_answers_total',
  'Look-ups of addresses and domains in blocklists, without those of the next minutes after a list failed.',
  { list: null, result: ['listed', 'not_listed', 'failed'] },
);

export const inboundRecipients = counter(
  'posthorn_inbound_recipients_total',
  'Recipients named by clients on the port for incoming mail.',
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
  'Incoming messages filed in mailboxes, once for each mailbox.',
  { folder: ['inbox', 'junk', 'trash', 'other'] },
);

export const filedOctets = counter(
  'posthorn_filed_bytes_total',
  'Bytes of incoming messages filed in mailboxes.',
);

export const filingDuration = histogram(
  'posthorn_filing_duration_seconds',
  'Time from the end of an incoming message to its reply: checks, waits and the commit.',
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

export const linkUploads = counter('posthorn_file_link_uploads_total', 'Uploads of large files for links.', {
  result: ['begun', 'whole', 'over_limit'],
});

export const linkUploadedBytes = counter(
  'posthorn_file_link_uploaded_bytes_total',
  'Bytes of large files that were stored.',
);

export const linkDownloads = counter(
  'posthorn_file_link_downloads_total',
  'Requests from visitors for the files of links.',
  { result: ['begun', 'gone_on', 'nowhere', 'refused'] },
);

export const linkDownloadedBytes = counter(
  'posthorn_file_link_downloaded_bytes_total',
  'Bytes of files that were sent to visitors of links.',
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
  'Duration of an attempt to deliver an event to a webhook.',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
);

export const routeAttempts = counter(
  'posthorn_route_attempts_total',
  'Attempts to deliver an incoming message to the URL of a route.',
  { outcome: ['delivered', 'failed_response', 'no_answer', 'unsent'] },
);

export const routeAttemptDuration = histogram(
  'posthorn_route_attempt_duration_seconds',
  'Duration of an attempt to deliver an incoming message to the URL of a route.',
  [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20],
);

export const trackingHits = counter(
  'posthorn_tracking_hits_total',
  'Requests for signed links: opens, clicks, unsubscribes.',
  { kind: ['open', 'click', 'unsubscribe'], result: ['recorded', 'repeated', 'refused', 'lost'] },
);
