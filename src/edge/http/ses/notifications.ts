/** Amazon SNS posts here what SES reports about emails. It is not part of the API. */
import type { FastifyInstance } from 'fastify';
import { AppError } from '../../../model/app-error.ts';
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
  { receive }: { receive(body: Buffer): Promise<void> },
): Promise<void> {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, bytes: Buffer, done) => {
    done(null, bytes);
  });
  app.setErrorHandler((error: { code?: string }) => {
    throw error.code === 'FST_ERR_CTP_BODY_TOO_LARGE'
      ? new AppError('payload-too-large', 'The body is larger than 256 KiB.')
      : error;
  });
  app.post('/ses/notifications', { bodyLimit: MAX_BODY_BYTES }, async (request, reply) => {
    const body = request.body instanceof Buffer ? request.body : NOTHING;
    // Anybody may post here: what no message of SNS looks like is not parsed.
    scanJson(body);
    await receive(body);
    return reply.send();
  });
}
