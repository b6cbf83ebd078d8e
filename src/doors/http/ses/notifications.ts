/** Amazon SNS posts here what SES reports about emails. It is not part of the API. */
import type { FastifyInstance } from 'fastify';
import type { RawBodyReader } from '../bodies/raw-body.ts';
import { scanJson } from '../json.ts';

/** The largest message of SNS. */
const MAX_BODY_BYTES = 256 * 1024;
const NOTHING = Buffer.alloc(0);

/**
 * A plugin with a parser of its own: SNS sends JSON as text/plain.
 * @param options.receive resolves when what the body means is committed; throws an AppError when it is not believed
 */
export async function addSesNotifications(
  app: FastifyInstance,
  { receive, readUpTo }: { receive(body: Buffer): Promise<void>; readUpTo(maxBytes: number): RawBodyReader },
): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', readUpTo(MAX_BODY_BYTES));
  app.post('/ses/notifications', async (request, reply) => {
    const body = request.body instanceof Buffer ? request.body : NOTHING;
    // Anybody may post here: what no message of SNS looks like is not parsed.
    scanJson(body.toString());
    await receive(body);
    return reply.send();
  });
}
