/** The endpoint to which Amazon SNS posts SES reports about emails. The endpoint is not part of the API. */
import type { FastifyInstance } from 'fastify';
import type { RawBodyReader } from '../bodies/raw-body.ts';
import { scanJson } from '../json.ts';

/** The maximum size of an SNS message. */
const MAX_BODY_BYTES = 256 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * A Fastify plugin with its own body parser, because SNS sends JSON as text/plain.
 * @param options.receive resolves once the message is processed and committed; throws an AppError if the message is not trusted
 */
export async function addSesNotifications(
  app: FastifyInstance,
  { receive, readUpTo }: { receive(body: Buffer): Promise<void>; readUpTo(maxBytes: number): RawBodyReader },
): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', readUpTo(MAX_BODY_BYTES));
  app.post('/ses/notifications', async (request, reply) => {
    const body = request.body instanceof Buffer ? request.body : NOTHING;
    // Anyone can post to this path, so check the structure before the body is parsed. No SNS message fails this check.
    scanJson(body.toString());
    await receive(body);
    return reply.send();
  });
}
