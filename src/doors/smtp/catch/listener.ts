/**
 * The port of `posthorn dev` that catches mail: it accepts every sign-in, sender and recipient, and sends nothing. `src/app/config.ts` allows it on
 * loopback addresses in development only.
 */
import type { Logger } from 'pino';
import type { Catcher } from '../../../dev/catcher.ts';
import { encodeId } from '../../../model/ids.ts';
import {
  submissionConnections,
  submissionGaveWay,
  submissionSessions,
} from '../../../observe/instruments.ts';
import { LOG_MESSAGES } from '../../../observe/log-messages.ts';
import { parseMailbox } from '../../../rfc/address/index.ts';
import { type SaslExchange, SASL_MECHANISMS, startExchange } from '../../../rfc/sasl/mechanisms.ts';
import type { ReadContent } from '../../../rfc/smtp/content-buffer.ts';
import type { ListenAddress } from '../../tcp/listen.ts';
import { startTcpListener } from '../../tcp/listener.ts';
import type { Paths, PolicyReply, SmtpArrival, SmtpPolicy } from '../policy.ts';
import { FAULT_REPLIES, REPLIES as SESSION_REPLIES } from '../replies.ts';
import { serveSmtp } from '../serve-smtp.ts';
import { replyToFailure } from '../submission/failures.ts';
import type { Spool } from '../spool.ts';
import { LIMITS, submittedContent } from '../submission/listener.ts';
import { REPLIES, replyOf } from '../submission/replies.ts';

interface CatchServices {
  catcher: Pick<Catcher, 'accept'>;
  logger: Pick<Logger, 'info' | 'error'>;
}

/** See `startTcpListener`. @throws the errors of `listenAt` */
export function startCatchListener({
  listenAddress,
  spool,
  ...services
}: CatchServices & { listenAddress: ListenAddress; spool: Pick<Spool, 'create'> }): Promise<
  { port: number } & AsyncDisposable
> {
  const content = submittedContent(LIMITS, spool);
  return startTcpListener({
    listenAddress,
    limits: LIMITS,
    farewells: SESSION_REPLIES,
    metrics: {
      connections: submissionConnections,
      displaced: submissionGaveWay,
      sessions: submissionSessions,
    },
    async serve(connection) {
      using policy = new CatchPolicy(services);
      await serveSmtp(connection, {
        hostname: 'localhost',
        secureContext: () => null,
        policy,
        greetMs: null,
        messageMs: LIMITS.messageMs,
        content,
      });
    },
  });
}

class CatchPolicy implements SmtpPolicy<string> {
  readonly help = REPLIES.help;
  readonly signsIn = true;
  readonly #services: CatchServices;

  constructor(services: CatchServices) {
    this.#services = services;
  }

  keywords(): readonly string[] {
    return [`AUTH ${SASL_MECHANISMS.join(' ')}`];
  }

  beginAuth(mechanism: string): SaslExchange | PolicyReply {
    return startExchange(mechanism) ?? REPLIES.noMechanism;
  }

  async signIn(): Promise<PolicyReply> {
    return REPLIES.signedIn;
  }

  async checkSender(): Promise<null> {
    return null;
  }

  async route({ forwardPath }: Paths): Promise<{ addressee: string } | { refusal: PolicyReply }> {
    const mailbox = parseMailbox(forwardPath);
    return 'error' in mailbox
      ? { refusal: replyOf('553 5.1.3', mailbox.error) }
      : { addressee: mailbox.address };
  }

  async receive(
    { reversePath, recipients }: SmtpArrival<string>,
    content: ReadContent,
  ): Promise<PolicyReply> {
    if ('fault' in content) return FAULT_REPLIES[content.fault];
    const { catcher, logger } = this.#services;
    const addresses = [...new Set(recipients.map(({ addressee }) => addressee))];
    try {
      const emailId = encodeId(
        'em',
        await catcher.accept({ reversePath, recipients: addresses }, content.data),
      );
      logger.info({ door: 'catch', emailId, recipients: addresses.length }, LOG_MESSAGES.accepted);
      return `250 2.0.0 Caught as ${emailId}`;
    } catch (error) {
      return replyToFailure(error, logger);
    }
  }

  onSecured(): void {}

  [Symbol.dispose](): void {}
}
