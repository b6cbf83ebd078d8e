/** The policy of one submission connection: a user who signs in, over TLS or from this machine, may send to any recipient. */
import { submittedMessages } from '../../../observe/instruments.ts';
import { type SaslExchange, SASL_MECHANISMS, startExchange } from '../../../rfc/sasl/mechanisms.ts';
import type { ReadContent } from '../../../rfc/smtp/content-buffer.ts';
import type { ClientConnection } from '../../tcp/client-connection.ts';
import type { SmtpArrival, Paths, PolicyReply, SmtpPolicy } from '../policy.ts';
import { FAULT_OUTCOMES, FAULT_REPLIES } from '../replies.ts';
import { REPLIES } from './replies.ts';
import type { Writer } from './writer.ts';

export interface Credentials {
  user: string;
  password: string;
}

export interface SubmissionPolicyOptions {
  /** Whether there is a certificate. */
  hasTls: boolean;
  /** Time limit for signing in. A connection that never signs in would occupy a slot that other clients need. */
  signInMs: number;
  /** Verifies the credentials. @returns the writer, or the reply that rejects the credentials */
  open(credentials: Credentials, connection: ClientConnection): Promise<Writer | PolicyReply>;
}

export class SubmissionPolicy implements SmtpPolicy<string> {
  readonly help = REPLIES.help;
  readonly signsIn = true;
  readonly #connection: ClientConnection;
  readonly #options: SubmissionPolicyOptions;
  readonly #late: NodeJS.Timeout;
  #writer: Writer | null = null;

  constructor(connection: ClientConnection, options: SubmissionPolicyOptions) {
    this.#connection = connection;
    this.#options = options;
    this.#late = setTimeout(() => connection.end(REPLIES.signInLate), options.signInMs);
  }

  keywords(): readonly string[] {
    return this.#connection.isPrivate ? [`AUTH ${SASL_MECHANISMS.join(' ')}`] : [];
  }

  beginAuth(mechanism: string): SaslExchange | PolicyReply {
    if (this.#writer !== null) return REPLIES.signedInAlready;
    if (!this.#connection.isPrivate)
      return this.#options.hasTls ? REPLIES.needsTls : REPLIES.needsTlsElsewhere;
    return startExchange(mechanism) ?? REPLIES.noMechanism;
  }

  async signIn(credentials: Credentials): Promise<PolicyReply> {
    const opened = await this.#options.open(credentials, this.#connection);
    if (typeof opened === 'string') return opened;
    this.#writer = opened;
    // The client may have disconnected while its credentials were checked.
    if (this.#connection.isOver) this.#leave();
    clearTimeout(this.#late);
    this.#connection.isTrusted = true;
    return REPLIES.signedIn;
  }

  async checkSender(reversePath: string): Promise<PolicyReply | null> {
    return this.#writer === null ? REPLIES.signInFirst : this.#writer.checkSender(reversePath);
  }

  async route({ forwardPath }: Paths): Promise<{ addressee: string } | { refusal: PolicyReply }> {
    const refusal =
      this.#writer === null ? REPLIES.signInFirst : await this.#writer.refuseRecipient(forwardPath);
    return refusal === null ? { addressee: forwardPath } : { refusal };
  }

  async receive(arrival: SmtpArrival<string>, content: ReadContent): Promise<PolicyReply> {
    const writer = this.#writer;
    if (writer === null) return REPLIES.signInFirst;
    if ('fault' in content) {
      submittedMessages.inc({ by: writer.kind, outcome: FAULT_OUTCOMES[content.fault] });
      return FAULT_REPLIES[content.fault];
    }
    const { outcome, reply } = await writer.receive(arrival, content.data);
    submittedMessages.inc({ by: writer.kind, outcome });
    return reply;
  }

  /** Discards a sign-in from before TLS. Attack: a man in the middle may have signed in. */
  onSecured(): void {
    this.#leave();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#late);
    this.#leave();
  }

  #leave(): void {
    this.#writer?.[Symbol.dispose]();
    this.#writer = null;
  }
}
