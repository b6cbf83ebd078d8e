/** Baseline: Fastify parses the request and responds without storing the email. Argument: port. */
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';

const app = Fastify();
app.post('/v1/emails', async (_request, reply) => {
  reply.code(202);
  return { id: randomUUID(), status: 'queued', created_at: new Date().toISOString() };
});
const pixel = Buffer.alloc(43);
app.get('/t/o/:token', (_request, reply) => reply.type('image/gif').send(pixel));
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
