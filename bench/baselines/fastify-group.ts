/**
 * Baseline: Fastify stores each email in one table with one index. One multi-row INSERT stores all emails that arrived during the previous
 * INSERT (group commit). Durable acceptance with Node and PostgreSQL can hardly cost less. Uses the product's PostgreSQL and settings, with
 * a separate cluster. Arguments: port, data folder.
 */
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import pg from 'pg';
import { startEmbedded } from '../../src/installation/embedded/embedded.ts';

interface Email {
  from: string;
  to: string[];
  subject: string;
  html?: string;
  text?: string;
  headers?: Record<string, string>;
  tags?: string[];
}

interface Waiting {
  id: string;
  email: Email;
  resolve: () => void;
  reject: (error: unknown) => void;
}

const MAX_BATCH = 500;
const CREATE = `
  create table emails (
    id uuid primary key, project_id int not null, from_addr text not null, to_addrs text[] not null, subject text,
    html text, text text, headers jsonb, tags text[], status text not null default 'queued',
    created_at timestamptz not null default now()
  );
  create index on emails (project_id, created_at desc)`;
const INSERT = `
  insert into emails (id, project_id, from_addr, to_addrs, subject, html, text, headers, tags)
  select id, project, sender, array(select jsonb_array_elements_text(recipients)), subject, html, text, headers,
    array(select jsonb_array_elements_text(tags))
  from unnest($1::uuid[], $2::int[], $3::text[], $4::jsonb[], $5::text[], $6::text[], $7::text[], $8::jsonb[], $9::jsonb[])
    u(id, project, sender, recipients, subject, html, text, headers, tags)`;

const database = await startEmbedded(process.argv[3] ?? '');
process.once('SIGTERM', () => database.stop('immediate').then(() => process.exit()));
const client = new pg.Client({ connectionString: database.url });
client.on('error', () => {});
await client.connect();
await client.query(CREATE);

const waiting: Waiting[] = [];
let flushing = false;

async function flush(): Promise<void> {
  if (flushing || waiting.length === 0) return;
  flushing = true;
  const batch = waiting.splice(0, MAX_BATCH);
  const emails = batch.map((item) => item.email);
  try {
    await client.query({
      name: 'insert',
      text: INSERT,
      values: [
        batch.map((item) => item.id),
        batch.map(() => 1),
        emails.map((email) => email.from),
        emails.map((email) => JSON.stringify(email.to)),
        emails.map((email) => email.subject),
        emails.map((email) => email.html),
        emails.map((email) => email.text),
        emails.map((email) => JSON.stringify(email.headers)),
        emails.map((email) => JSON.stringify(email.tags)),
      ],
    });
    for (const item of batch) item.resolve();
  } catch (error) {
    for (const item of batch) item.reject(error);
  }
  flushing = false;
  if (waiting.length > 0) setImmediate(flush);
}

const app = Fastify();
app.post<{ Body: Email }>('/v1/emails', async (request, reply) => {
  const id = randomUUID();
  await new Promise<void>((resolve, reject) => {
    waiting.push({ id, email: request.body, resolve, reject });
    if (waiting.length === 1) setImmediate(flush);
  });
  reply.code(202);
  return { id, status: 'queued', created_at: new Date().toISOString() };
});
await app.listen({ port: Number(process.argv[2]), host: '127.0.0.1' });
