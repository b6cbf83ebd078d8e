/** Parses an Amazon SNS message as posted over HTTP and builds the text that its signature covers. Pure. */

const TYPES = ['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation'] as const;

export interface SnsMessage {
  type: (typeof TYPES)[number];
  topicArn: string;
  message: string;
  /** The time as text, exactly as it was signed. */
  timestamp: string;
  /** `1`: SHA-1, `2`: SHA-256. */
  signatureVersion: '1' | '2';
  signature: Buffer;
  signingCertUrl: string;
  /** The confirmation URL. Null for a notification. */
  subscribeUrl: string | null;
  /** The text that the signature covers (SNS documentation, "Verifying the signatures of Amazon SNS messages"). */
  canonical: string;
}

const CANONICAL_NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const CANONICAL_CONFIRMATION = [
  'Message',
  'MessageId',
  'SubscribeURL',
  'Timestamp',
  'Token',
  'TopicArn',
  'Type',
];

/** @returns null if the body is not an SNS message. The result proves nothing about the sender. Never throws. */
export function readSnsMessage(body: Buffer): SnsMessage | null {
  const fields = stringsOf(parse(body));
  const type = TYPES.find((one) => one === fields.get('Type'));
  const version = fields.get('SignatureVersion');
  if (type === undefined || (version !== '1' && version !== '2')) return null;
  const isNotification = type === 'Notification';
  const names = isNotification ? CANONICAL_NOTIFICATION : CANONICAL_CONFIRMATION;
  const signed = names.filter((name) => fields.has(name));
  // Only the subject is optional.
  const isWhole = names.every((name) => fields.has(name) || name === 'Subject');
  const signature = fields.get('Signature');
  const signingCertUrl = fields.get('SigningCertURL');
  if (!isWhole || signature === undefined || signingCertUrl === undefined) return null;
  return {
    type,
    topicArn: fields.get('TopicArn') ?? '',
    message: fields.get('Message') ?? '',
    timestamp: fields.get('Timestamp') ?? '',
    signatureVersion: version,
    signature: Buffer.from(signature, 'base64'),
    signingCertUrl,
    subscribeUrl: isNotification ? null : (fields.get('SubscribeURL') ?? ''),
    canonical: signed.map((name) => `${name}\n${fields.get(name)}\n`).join(''),
  };
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch {
    return null;
  }
}

/** The members of the JSON object that are strings. A subject may be null. */
function stringsOf(json: unknown): Map<string, string> {
  const entries = typeof json === 'object' && json !== null ? Object.entries(json) : [];
  return new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}
