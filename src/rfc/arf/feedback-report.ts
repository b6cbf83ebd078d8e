/** The machine-readable part of an abuse report (RFC 5965, with the types of RFC 6430 and RFC 6591). */
export interface FeedbackReport {
  /** The type in lower case: `abuse`, `fraud`, `virus`, `not-spam`, `opt-out`, `auth-failure`, `other`, or any other text. */
  readonly feedbackType: string;
  readonly reportingMta: string | null;
  /** The envelope sender of the reported message, without angle brackets. */
  readonly originalMailFrom: string | null;
  /** The envelope recipients of the reported message, without angle brackets. At most 100. */
  readonly originalRcptTo: readonly string[];
}

const MAX_RECIPIENTS = 100;
const MAX_LINES = 5_000;
const MAX_VALUE = 1_000;
const FIELD = /^([A-Za-z][A-Za-z0-9-]{0,60})[ \t]{0,8}:(.*)$/;

/** Reads the text of a `message/feedback-report` part. Returns null if the Feedback-Type field is missing. Never throws. */
export function readFeedbackReport(text: string): FeedbackReport | null {
  const fields: [name: string, value: string][] = [];
  for (const line of text.split(/\r?\n/, MAX_LINES)) {
    const match = FIELD.exec(line);
    const last = fields.at(-1);
    if (match !== null) {
      fields.push([(match[1] as string).toLowerCase(), (match[2] as string).trim().slice(0, MAX_VALUE)]);
    } else if (last !== undefined && /^[ \t]+\S/.test(line)) {
      last[1] = `${last[1]} ${line.trim()}`.slice(0, MAX_VALUE).trim();
    }
  }
  const first = (name: string): string | null =>
    fields.find((field) => field[0] === name && field[1] !== '')?.[1] ?? null;
  const feedbackType = /^[a-z0-9_.-]{1,60}/.exec((first('feedback-type') ?? '').toLowerCase())?.[0];
  if (feedbackType === undefined) return null;
  const mailFrom = first('original-mail-from');
  return {
    feedbackType,
    reportingMta: first('reporting-mta')?.replace(/^[a-z]{1,10}[ \t]{0,8};[ \t]{0,8}/i, '') ?? null,
    originalMailFrom: mailFrom === null ? null : bare(mailFrom),
    originalRcptTo: fields
      .filter(([name, value]) => name === 'original-rcpt-to' && value !== '')
      .slice(0, MAX_RECIPIENTS)
      .map(([, value]) => bare(value)),
  };
}

function bare(path: string): string {
  return /<([^<>]*)>/.exec(path)?.[1] ?? path.replace(/^rfc822[ \t]{0,8};[ \t]{0,8}/i, '');
}
