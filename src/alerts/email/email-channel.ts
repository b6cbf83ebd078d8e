/** Sends alerts and digests by email, to the verified address of the subscriber's account. */
import type { AlertChannel, AlertMessage, AlertTarget, ChannelResult } from '../channel.ts';
import { digestLetter } from './digest-letter.ts';
import { type LetterContext, problemsLetter, testLetter } from './alert-letter.ts';
import type { ImmediateMail } from './immediate-mail.ts';
import { type Letter, textOf } from './letter.ts';
import { htmlOf } from './letter-html.ts';

/** Why no email is sent to an unverified address. */
export const NOT_VERIFIED =
  'The address of your account is not verified. Choose "Forgot your password?" on the sign-in page and open the link that is sent to you. If the address is a mailbox of this installation, add an authenticator app or a passkey under Account instead.';

export class EmailChannel implements AlertChannel {
  readonly #mail: Pick<ImmediateMail, 'send'>;

  constructor(mail: Pick<ImmediateMail, 'send'>) {
    this.#mail = mail;
  }

  async send(message: AlertMessage, target: AlertTarget): Promise<ChannelResult> {
    const { email, isEmailVerified, timeZone } = target;
    // Attack: the inviter of another person creates the account for that person's address, and has alerts sent there.
    if (!isEmailVerified) return failure(NOT_VERIFIED, false);
    const letter = letterOf(message, { ...message, timeZone });
    const { outcome, reply } = await this.#mail.send({
      id: message.id,
      to: email,
      subject: letter.subject,
      text: textOf(letter),
      html: htmlOf(letter),
      headers: [['List-Unsubscribe', `<${message.links.alerts}>`]],
    });
    return outcome === 'delivered'
      ? { isDelivered: true, httpStatus: null }
      : failure(reply, outcome === 'no-mailbox');
  }
}

function letterOf({ content }: AlertMessage, context: LetterContext): Letter {
  switch (content.type) {
    case 'alert.test':
      return testLetter(context);
    case 'digest.weekly':
      return digestLetter(content, context);
    default:
      return problemsLetter(content, context);
  }
}

function failure(error: string, isPermanent: boolean): ChannelResult {
  return { isDelivered: false, error, httpStatus: null, isPermanent };
}
