/** Amazon SES events in the documented format. */
import type { AcceptedMessage } from './ses-server.ts';

/** The message to which an event refers. */
type Subject = Pick<AcceptedMessage, 'messageId' | 'rcptTo' | 'tags' | 'data'>;

interface EventOptions {
  /** Makes a notification for an identity, without tags and with or without the message's headers. Default: makes an event. */
  asIdentity?: 'with headers' | 'without headers';
}

function event(
  type: string,
  name: string,
  content: object,
  of: Subject,
  { asIdentity }: EventOptions,
): string {
  const header = of.data.toString('latin1').split('\r\n\r\n', 1)[0] ?? '';
  const headers = header
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n')
    .map((line) => ({ name: line.split(':', 1)[0], value: line.slice(line.indexOf(':') + 1).trim() }));
  const mail = {
    timestamp: new Date().toISOString(),
    source: 'hello@posthorn.localhost',
    sourceArn: 'arn:aws:ses:eu-test-1:111122223333:identity/posthorn.localhost',
    sendingAccountId: '111122223333',
    messageId: of.messageId,
    destination: of.rcptTo,
    headersTruncated: false,
    ...(asIdentity === 'without headers' ? {} : { headers }),
    commonHeaders: { to: of.rcptTo, messageId: of.messageId, subject: 'Hello' },
    ...(asIdentity === undefined && {
      tags: {
        'ses:operation': ['SendEmail'],
        'ses:configuration-set': ['posthorn'],
        ...Object.fromEntries(Object.entries(of.tags).map(([tag, value]) => [tag, [value]])),
      },
    }),
  };
  const kind = asIdentity === undefined ? 'eventType' : 'notificationType';
  return JSON.stringify({ [kind]: type, mail, [name]: content });
}

const timestamp = '2026-11-20T15:04:05.000Z';

export function deliveryEvent(of: Subject, options: EventOptions = {}): string {
  const content = {
    timestamp,
    processingTimeMillis: 546,
    recipients: of.rcptTo,
    smtpResponse: '250 2.6.0 Message received',
    remoteMtaIp: '192.0.2.44',
    reportingMTA: 'a8-70.smtp-out.test.amazonses.com',
  };
  return event('Delivery', 'delivery', content, of, options);
}

interface BounceFields extends EventOptions {
  type?: string;
  subType?: string;
  /** The enhanced status code in the bounce report. Null if the recipient's server rejected the message without a report. */
  status?: string | null;
  diagnosticCode?: string | null;
}

export function bounceEvent(of: Subject, fields: BounceFields = {}): string {
  const { type = 'Permanent', subType = 'General', status = '5.1.1', ...options } = fields;
  const { diagnosticCode = 'smtp; 550 5.1.1 user unknown' } = options;
  const report = {
    ...(status !== null && { action: 'failed', status }),
    ...(diagnosticCode !== null && { diagnosticCode }),
  };
  const content = {
    bounceType: type,
    bounceSubType: subType,
    bouncedRecipients: of.rcptTo.map((emailAddress) => ({ emailAddress, ...report })),
    timestamp,
    feedbackId: '0107-1',
    reportingMTA: 'dns; a8-70.smtp-out.test.amazonses.com',
  };
  return event('Bounce', 'bounce', content, of, options);
}

export function complaintEvent(
  of: Subject,
  { subType = null, ...options }: EventOptions & { subType?: string | null } = {},
): string {
  const content = {
    complainedRecipients: of.rcptTo.map((emailAddress) => ({ emailAddress })),
    timestamp,
    feedbackId: '0107-2',
    complaintSubType: subType,
    userAgent: 'ExampleCorp Feedback Loop (V0.01)',
    complaintFeedbackType: 'abuse',
    arrivalDate: timestamp,
  };
  return event('Complaint', 'complaint', content, of, options);
}

export function delayEvent(of: Subject, options: EventOptions = {}): string {
  const content = {
    timestamp,
    delayType: 'TransientCommunicationFailure',
    expirationTime: timestamp,
    delayedRecipients: of.rcptTo.map((emailAddress) => ({
      emailAddress,
      status: '4.4.1',
      diagnosticCode: 'smtp; 421 4.4.1 Unable to connect to remote host',
    })),
  };
  return event('DeliveryDelay', 'deliveryDelay', content, of, options);
}

export function rejectEvent(of: Subject, options: EventOptions = {}): string {
  return event('Reject', 'reject', { reason: 'Bad content' }, of, options);
}

/** Events of types that the service ignores. */
export function otherEvents(of: Subject): string[] {
  return [
    event('Send', 'send', {}, of, {}),
    event('Open', 'open', { ipAddress: '192.0.2.1', timestamp, userAgent: 'Mozilla/5.0' }, of, {}),
    event('Click', 'click', { ipAddress: '192.0.2.1', timestamp, link: 'https://example.com/' }, of, {}),
    event('Rendering Failure', 'failure', { errorMessage: 'x', templateName: 'y' }, of, {}),
    event('Subscription', 'subscription', { contactList: 'x', timestamp }, of, {}),
    'Successfully validated SNS topic for Amazon SES event publishing.',
  ];
}
