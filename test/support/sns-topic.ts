/** An Amazon SNS topic with HTTP subscribers. It sends signed messages as documented by Amazon, and forged messages. */
import { createSign, randomUUID } from 'node:crypto';
import { snsCertificate } from './tls/certificate.ts';

export interface SnsBody {
  Type: string;
  MessageId: string;
  TopicArn: string;
  Subject?: string;
  Message: string;
  Timestamp: string;
  SignatureVersion: string;
  Signature: string;
  SigningCertURL: string;
  SubscribeURL?: string;
  Token?: string;
  UnsubscribeURL?: string;
}

interface SignOptions {
  /** The private key for signing, in PEM. Default: the key of `snsCertificate`. */
  key?: string;
  /** Fields that override the fields of the message before signing. */
  fields?: Partial<SnsBody>;
}

export interface SnsTopic {
  readonly arn: string;
  readonly certificatePath: string;
  /** Additional certificates, by path. */
  readonly certificates: Map<string, string>;
  /** Tokens of confirmed subscriptions. */
  readonly confirmed: string[];
  confirm(query: URLSearchParams): boolean;
  /** Makes a signed notification. */
  notification(message: string, options?: SignOptions): SnsBody;
  confirmation(type?: 'SubscriptionConfirmation' | 'UnsubscribeConfirmation', options?: SignOptions): SnsBody;
  /** Posts a message like SNS. @returns the status of the response */
  post(url: string, body: SnsBody): Promise<number>;
}

export function snsTopic(origin: string, region: string): SnsTopic {
  const arn = `arn:aws:sns:${region}:111122223333:posthorn-ses`;
  const certificatePath = '/SimpleNotificationService-0123456789abcdef.pem';
  const tokens = new Set<string>();
  const confirmed: string[] = [];

  function signed(
    body: Omit<SnsBody, 'Signature'>,
    { key = snsCertificate.key, fields }: SignOptions,
  ): SnsBody {
    const whole = { ...body, ...fields };
    const signer = createSign(whole.SignatureVersion === '1' ? 'RSA-SHA1' : 'RSA-SHA256');
    signer.update(stringToSign(whole));
    return { ...whole, Signature: fields?.Signature ?? signer.sign(key, 'base64') };
  }

  const base = (): Pick<
    SnsBody,
    'MessageId' | 'TopicArn' | 'Timestamp' | 'SignatureVersion' | 'SigningCertURL'
  > => ({
    MessageId: randomUUID(),
    TopicArn: arn,
    Timestamp: new Date().toISOString(),
    SignatureVersion: '2',
    SigningCertURL: origin + certificatePath,
  });

  return {
    arn,
    certificatePath,
    certificates: new Map(),
    confirmed,
    confirm(query) {
      const token = query.get('Token') ?? '';
      const isKnown = query.get('TopicArn') === arn && tokens.has(token);
      if (isKnown) confirmed.push(token);
      return isKnown;
    },
    notification(message, options = {}) {
      const UnsubscribeURL = `${origin}/?Action=Unsubscribe`;
      return signed({ Type: 'Notification', ...base(), Message: message, UnsubscribeURL }, options);
    },
    confirmation(type = 'SubscriptionConfirmation', options = {}) {
      const token = randomUUID();
      tokens.add(token);
      const SubscribeURL = `${origin}/?Action=ConfirmSubscription&TopicArn=${arn}&Token=${token}`;
      const Message = `You have chosen to subscribe to the topic ${arn}.`;
      return signed({ Type: type, ...base(), Token: token, Message, SubscribeURL }, options);
    },
    async post(url, body) {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': 'text/plain; charset=UTF-8',
          'x-amz-sns-message-type': body.Type,
          'x-amz-sns-message-id': body.MessageId,
          'x-amz-sns-topic-arn': body.TopicArn,
          'user-agent': 'Amazon Simple Notification Service Agent',
        },
        body: JSON.stringify(body),
      });
      await response.arrayBuffer();
      return response.status;
    },
  };
}

/** The signed text, made as described in Amazon's documentation "Verifying the signatures of Amazon SNS messages". */
function stringToSign(body: Omit<SnsBody, 'Signature'>): string {
  let text = `Message\n${body.Message}\nMessageId\n${body.MessageId}\n`;
  if (body.Type === 'Notification') {
    if (body.Subject !== undefined) text += `Subject\n${body.Subject}\n`;
    text += `Timestamp\n${body.Timestamp}\n`;
  } else {
    text += `SubscribeURL\n${body.SubscribeURL}\nTimestamp\n${body.Timestamp}\nToken\n${body.Token}\n`;
  }
  return `${text}TopicArn\n${body.TopicArn}\nType\n${body.Type}\n`;
}
