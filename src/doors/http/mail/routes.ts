/** The API of the web client, below `/mail/api`. Requires a session of a mailbox and accepts neither API keys nor dashboard sessions. */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import type { Actor } from '../../../accounts/audit.ts';
import { clientAddress } from '../../../net/client-network.ts';
import type { RawBodyReader } from '../bodies/raw-body.ts';
import { addBrowserOperation, decodedId, JSON_MEDIA_TYPE } from '../browser/add-operation.ts';
import { type Address, isSecure } from '../browser/origin.ts';
import { originOf } from '../browser/origin-of.ts';
import type { Pages } from '../browser/pages.ts';
import { keepBodies, leaveBodies } from '../json.ts';
import type { boundUnreadResponses } from '../unread-responses.ts';
import { responseAbortSignal } from '../response-end.ts';
import { mailGuard } from './guard.ts';
import { mailDocument } from './openapi.ts';
import type { MailOperation } from './operation.ts';
import { MAIL_OPERATIONS } from './operations.ts';
import type { MailClientServices } from './services.ts';

export interface MailClientOptions {
  /** The pages of the web client, which are served outside `/mail/api`. */
  pages: Pages;
  services: MailClientServices;
  address: Address;
  /** The URL of the web client's own host. Null or absent if the web client is at a path below the base URL. */
  url?: string | null;
  logger: Logger;
  readUpTo(maxBytes: number): RawBodyReader;
  /** The `onSend` hook from `boundUnreadResponses`, for operations that change nothing. */
  boundUnreadResponse: ReturnType<typeof boundUnreadResponses>;
}

const MAIL_PREFIX = '/mail/api';
const MAX_BODY_BYTES = 256 * 1024;

/** A Fastify plugin, so that these routes have their own limits for bodies. */
export async function addMailClient(app: FastifyInstance, options: MailClientOptions): Promise<void> {
  const { readUpTo, pages } = options;
  app.decorateRequest('mailSession', null);
  // Pages compare this header with their own version, so that they notice after an upgrade that newer pages exist.
  app.addHook('onSend', async (_request, reply, payload) => {
    reply.header('posthorn-pages', await pages.version());
    return payload;
  });
  await app.register(async (octets) => {
    leaveBodies(octets);
    for (const operation of MAIL_OPERATIONS.filter(({ bodyKind }) => bodyKind === 'octets'))
      addOperation(octets, options, operation);
  });
  const json = MAIL_OPERATIONS.filter(({ bodyKind }) => bodyKind !== 'octets');
  const bySize = Map.groupBy(json, ({ maxBodyBytes = MAX_BODY_BYTES }) => maxBodyBytes);
  for (const [maxBytes, operations] of bySize) {
    await app.register(async (limited) => {
      keepBodies(limited, readUpTo(maxBytes));
      for (const operation of operations) addOperation(limited, options, operation);
    });
  }
  app.get(`${MAIL_PREFIX}/openapi.json`, async (_request, reply) =>
    reply.type(JSON_MEDIA_TYPE).send(JSON.stringify(mailDocument())),
  );
}

function addOperation(
  app: FastifyInstance,
  { services, address, logger, boundUnreadResponse }: MailClientOptions,
  operation: MailOperation,
): void {
  const { resource } = operation;
  addBrowserOperation(app, operation, {
    prefix: MAIL_PREFIX,
    guard: mailGuard({ services, address }, operation),
    boundUnreadResponse,
    actor: actorOf,
    missing: operation.part ?? resource?.name ?? null,
    run({ request, ...sent }) {
      const { mailbox, id, part = '' } = request.params as { mailbox?: string; id?: string; part?: string };
      return operation.run({
        services,
        logger,
        request,
        ...sent,
        get mailbox() {
          return sessionOf(request).mailbox;
        },
        get session() {
          return sessionOf(request).session;
        },
        get memberAccess() {
          return sessionOf(request).memberAccess;
        },
        get signal() {
          return responseAbortSignal(sent.reply);
        },
        origin: originOf(request),
        isSecure: isSecure(address, request),
        mailboxId: decodedId({ name: 'mailbox', prefix: 'mbx' }, mailbox),
        id: decodedId(resource, id),
        part,
      });
    },
  });
}

function sessionOf({ mailSession }: FastifyRequest) {
  if (mailSession === null) throw new TypeError('an operation without a sign-in has no mailbox');
  return mailSession;
}

/** The user to whom the audit log attributes a change. */
function actorOf({ mailSession, ip }: FastifyRequest): Actor {
  const address = clientAddress(ip);
  const { mailboxId: id = null, address: name = 'someone signing in' } = mailSession?.session ?? {};
  return { kind: 'mailbox', id, name, address };
}
