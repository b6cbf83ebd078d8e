/** Reports in the forms that servers and feedback loops send. */

export interface DsnFields {
  recipient?: string | null;
  action?: string;
  status?: string;
  diagnostic?: string;
  remoteMta?: string;
  /** The recipient's address before the reporting server forwarded the message. */
  originalRecipient?: string;
  /** The Message-ID of the original message in the report. */
  messageId?: string;
  /** Further recipients, with their actions. */
  others?: readonly { recipient: string; action: string }[];
}

/** A delivery report (RFC 3464). */
export function dsn(fields: DsnFields = {}): Buffer {
  const {
    recipient = 'b@dst.test',
    action = 'failed',
    status = '5.1.1',
    others = [],
    remoteMta = 'mx.dst.test',
    originalRecipient,
    messageId,
  } = fields;
  const diagnostic =
    fields.diagnostic ?? `550 ${status} <${recipient}>: Recipient address rejected: User unknown`;
  const original = [
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    `Message-ID: ${messageId}`,
    'Subject: Hello',
    '',
  ];
  const groups = [
    [
      ...(originalRecipient === undefined ? [] : [`Original-Recipient: rfc822; ${originalRecipient}`]),
      ...(recipient === null ? [] : [`Final-Recipient: rfc822; ${recipient}`]),
      `Action: ${action}`,
      `Status: ${status}`,
      `Remote-MTA: dns; ${remoteMta}`,
      `Diagnostic-Code: smtp; ${diagnostic}`,
    ],
    ...others.map((other) => [
      `Final-Recipient: rfc822; ${other.recipient}`,
      `Action: ${other.action}`,
      `Status: ${other.action === 'failed' ? '5.1.1' : '2.0.0'}`,
    ]),
  ];
  return message(
    'From: MAILER-DAEMON@relay.test (Mail Delivery System)',
    'Subject: Undelivered Mail Returned to Sender',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'Your message could not be delivered.',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; relay.test',
    ...groups.flatMap((group) => ['', ...group]),
    ...(messageId === undefined ? [] : original),
    '--b--',
  );
}

export interface ComplaintFields {
  feedbackType?: string;
  originalMailFrom?: string;
  originalRcptTo?: string;
  /** Header fields of the message that the complaint is about. */
  header?: readonly string[];
  /** The text of the message that the complaint is about. */
  text?: string;
}

/** A complaint (RFC 5965). */
export function complaint(fields: ComplaintFields = {}): Buffer {
  const { feedbackType = 'abuse', originalMailFrom, originalRcptTo, header = [], text = 'Hi' } = fields;
  return message(
    'From: <feedback@provider.test>',
    'Subject: FW: Hello',
    'MIME-Version: 1.0',
    'Content-Type: multipart/report; report-type=feedback-report; boundary="b"',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'This is an email abuse report.',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${feedbackType}`,
    'User-Agent: Loop/1.0',
    'Version: 1',
    'Reporting-MTA: dns; mx.provider.test',
    ...(originalMailFrom === undefined ? [] : [`Original-Mail-From: <${originalMailFrom}>`]),
    ...(originalRcptTo === undefined ? [] : [`Original-Rcpt-To: <${originalRcptTo}>`]),
    '--b',
    'Content-Type: message/rfc822',
    '',
    ...header,
    'Subject: Hello',
    '',
    text,
    '--b--',
  );
}

/** Automatic replies of mail clients. */
export const VACATION = message(
  'From: <b@dst.test>',
  'Subject: Out of office',
  'Auto-Submitted: auto-replied',
  '',
  'I am on holiday. Write to 550 5.1.1 instead.',
);

function message(...lines: string[]): Buffer {
  return Buffer.from(lines.map((line) => `${line}\r\n`).join(''));
}
