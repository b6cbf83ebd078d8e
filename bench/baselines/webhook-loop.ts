/**
 * Baseline: signs events from memory and sends them with POST over several connections, without a log. Each connection sends one event at
 * a time. Arguments: port, count. Prints the number of events per second.
 */
import { createHmac, randomUUID } from 'node:crypto';
import { Pool } from 'undici';

const CONNECTIONS = 64;
const SECRET = `whsec_${'a'.repeat(43)}`;

const [port, count] = process.argv.slice(2).map(Number) as [number, number];
const pool = new Pool(`http://127.0.0.1:${port}`, { connections: CONNECTIONS, pipelining: 1 });
let begun = 0;
const startedMs = performance.now();
await Promise.all(Array.from({ length: CONNECTIONS }, sendSome));
process.stdout.write(String((count * 1_000) / (performance.now() - startedMs)));
await pool.close();

async function sendSome(): Promise<void> {
  while (begun++ < count) {
    const unixSeconds = Math.floor(Date.now() / 1_000);
    const body = newBody();
    const v1 = createHmac('sha256', SECRET).update(`${unixSeconds}.`).update(body).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'user-agent': 'Service-Webhooks/1.0',
      'x-mail-signature': `t=${unixSeconds},v1=${v1}`,
    };
    const response = await pool.request({ method: 'POST', path: '/fast', headers, body });
    await response.body.dump();
    if (response.statusCode !== 200) throw new Error(`The receiver returned ${response.statusCode}`);
  }
}

function newBody(): string {
  return JSON.stringify({
    id: randomUUID(),
    type: 'email.sent',
    created_at: new Date().toISOString(),
    data: {
      email_id: randomUUID(),
      status: 'sent',
      from: 'Acme <a@src.test>',
      to: ['b@dst.test'],
      subject: 'Your order 12345 has shipped',
      provider_message_id: `<${randomUUID()}@src.test>`,
      tags: ['order'],
      event_payload: null,
    },
  });
}
