/**
 * Measures how fast webhooks are delivered, how long working receivers wait while other receivers are dead, and how webhooks affect
 * sending.
 */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEndToEnd } from '../support/end-to-end.ts';
import { runLoad, sendEmail } from '../support/load.ts';
import { type Context, Runs, rounds } from '../support/part.ts';
import { runProcess } from '../support/processes.ts';
import { type Product, startProduct } from '../support/product.ts';
import { percentile } from '../support/stats.ts';
import type { Row } from '../support/table.ts';
import { cpuSeconds, formatUsage, microsEach } from '../support/usage.ts';
import { createWebhook, deliveriesDone, type Receiver, startReceiver } from '../support/webhooks.ts';

const LOOP = fileURLToPath(new URL('../baselines/webhook-loop.ts', import.meta.url));
const TIMEOUT_MS = 180_000;
/** How many projects have webhooks. Several are needed, because a project may have at most 50 webhooks. */
const PROJECTS = 2;
const WEBHOOKS_EACH = 50;
const GOOD_EACH = 5;

export async function webhooks(context: Context): Promise<Row[]> {
  const receiver = await startReceiver();
  return [
    ...(await backlog(context, receiver)),
    ...(await besideDeadOnes(context, receiver)),
    ...(await withMail(context, receiver)),
  ];
}

/** Measures a backlog that is sent to one receiver, compared with a plain loop to the same receiver. */
async function backlog({ quick, folder, log }: Context, receiver: Receiver): Promise<Row[]> {
  const count = quick ? 1_000 : 20_000;
  const product = await startProduct(join(folder, 'backlog'), {});
  await createWebhook(product, await product.createKey(), `http://127.0.0.1:${receiver.port}/fast`);
  const runs = new Runs();
  await fill(product, 'warm', count / 10);
  await deliveriesDone(product, TIMEOUT_MS);
  for (const round of rounds({ quick })) {
    const args = [LOOP, String(receiver.port), String(count)];
    const loop = Number(await runProcess(process.execPath, args, { timeoutMs: TIMEOUT_MS }));
    const before = cpuSeconds(product.processes());
    await fill(product, `round-${round}`, count);
    const startedAt = Date.now();
    // As after the commit of an event. Without a wake, the worker begins at its next poll, up to a second later.
    await product.query('notify posthorn_queue');
    await deliveriesDone(product, TIMEOUT_MS);
    const perSecond = (count * 1_000) / (Date.now() - startedAt);
    const spent = microsEach(before, cpuSeconds(product.processes()), count);
    runs.add('product', perSecond);
    runs.add('loop', loop);
    log(`round ${round}: ${Math.round(perSecond)}/s, plain loop ${Math.round(loop)}/s`);
    log(`round ${round}: µs of CPU per delivery: ${formatUsage(spent)}`);
  }
  await product.stop();
  return [
    {
      measure: 'webhooks from a backlog to one receiver',
      unit: '/s',
      runs: runs.of('product'),
      baseline: { name: 'only signing and posting', runs: runs.of('loop') },
      goal: { on: 'ratio', sense: 'at least', limit: 0.5 },
    },
  ];
}

/** Inserts events that are all due at once, with their emails. */
async function fill(product: Product, name: string, count: number): Promise<void> {
  await product.query(`
    create table ${name.replace('-', '_')} as
    select p.id as project_id, gen_random_uuid() as email_id,
           (left(w.id::text, 14) || lpad(to_hex(n), 4, '0') || substr(gen_random_uuid()::text, 19))::uuid as event_id
    from projects p, webhooks w, generate_series(1, ${count}) n where p.name = 'default';
    insert into emails (project_id, id, created_at, sender, sender_address, to_list, subject, tags, status, reached, stages)
    select project_id, email_id, now(), 'Acme <a@src.test>', 'a@src.test', '{b@dst.test}', 'Your order has shipped', '{order}', 2, 2, '{0}' from ${name.replace('-', '_')};
    insert into events (project_id, email_id, id, type, detail)
    select project_id, email_id, event_id, 'sent', '{"provider_message_id": "<1@src.test>"}' from ${name.replace('-', '_')};
    analyze emails; analyze events`);
  await product.query(`
    insert into due_deliveries (project_id, webhook_id, id, event_id, email_id, type, next_attempt_at)
    select e.project_id, w.id, event_id, event_id, email_id, 'email.sent', now() from ${name.replace('-', '_')} e join webhooks w using (project_id)`);
}

/** Measures deliveries to ten working receivers while ninety other receivers accept connections and never respond. */
async function besideDeadOnes(context: Context, receiver: Receiver): Promise<Row[]> {
  const { quick, folder, log } = context;
  const load = { ratePerSecond: 10, connections: 4, durationMs: quick ? 2_000 : 15_000, maxRequests: 1_000 };
  const product = await startProduct(join(folder, 'dead'), { POSTHORN_ROLES: 'http,worker' });
  const tokens: string[] = [];
  for (let project = 0; project < PROJECTS; project++) {
    await product.query(`
      insert into projects (id, organization_id, name, plan, created_at)
      select gen_random_uuid(), organization_id, 'bench ${project}', plan, now() from projects where name = 'default'`);
    const token = await product.createKey(`bench ${project}`);
    tokens.push(token);
    for (let at = 0; at < WEBHOOKS_EACH; at++) {
      const path = at < GOOD_EACH ? '/timed' : '/dead';
      await createWebhook(product, token, `http://127.0.0.1:${receiver.port}${path}`, ['email.queued']);
    }
  }
  const runs = new Runs();
  for (const round of rounds(context, 1)) {
    await receiver.reset();
    const reports = await Promise.all(
      tokens.map((token) => runLoad(sendEmail(product.port, 2048, token), load)),
    );
    const expected = reports.reduce((sum, { requests }) => sum + requests * GOOD_EACH, 0);
    const until = Date.now() + 60_000;
    while ((await receiver.report()).agesMs.length < expected && Date.now() < until) await sleep(50);
    const ages = Float64Array.from((await receiver.report()).agesMs).sort();
    if (ages.length < expected) throw new Error(`${ages.length} of ${expected} webhooks arrived`);
    const [p50, p99, max] = [0.5, 0.99, 1].map((q) => percentile(ages, q)) as [number, number, number];
    runs.add('p50', p50);
    runs.add('p99', p99);
    log(`round ${round}: ${expected} to working receivers, p50 / p99 / max ${p50} / ${p99} / ${max} ms`);
  }
  await product.stop();
  return [
    {
      measure: 'webhook, from event to receiver, 90 of 100 receivers dead: p50',
      unit: 'ms',
      runs: runs.of('p50'),
    },
    {
      measure: 'webhook, from event to receiver, 90 of 100 receivers dead: p99',
      unit: 'ms',
      runs: runs.of('p99'),
      goal: { on: 'value', sense: 'at most', limit: 2_000 },
    },
  ];
}

/** Measures the rate at which mail reaches the sink and its webhooks are delivered, compared with mail without webhooks. */
async function withMail(context: Context, receiver: Receiver): Promise<Row[]> {
  const { quick, folder, log } = context;
  const count = quick ? 200 : 10_000;
  const [plain, withWebhook] = [
    await startEndToEnd(join(folder, 'plain')),
    await startEndToEnd(join(folder, 'hooked')),
  ];
  await createWebhook(
    withWebhook.product,
    await withWebhook.product.createKey(),
    `http://127.0.0.1:${receiver.port}/fast`,
  );
  for (const { send } of [plain, withWebhook]) await send(quick ? 50 : 1_000);
  await deliveriesDone(withWebhook.product, TIMEOUT_MS);
  const runs = new Runs();
  for (const round of rounds(context, 1)) {
    const { toSinkMs: plainMs } = await plain.send(count);
    const { startedAtMs, toSinkMs } = await withWebhook.send(count);
    await deliveriesDone(withWebhook.product, TIMEOUT_MS);
    const [without, with_] = [(count * 1_000) / plainMs, (count * 1_000) / (Date.now() - startedAtMs)];
    runs.add('without', without);
    runs.add('with', with_);
    log(
      `round ${round}: ${Math.round(with_)}/s with all webhooks delivered (at the sink ${Math.round((count * 1_000) / toSinkMs)}/s), ${Math.round(without)}/s without webhooks`,
    );
  }
  return [
    {
      measure: 'end to end 2 kB with a webhook on all events',
      unit: '/s',
      runs: runs.of('with'),
      baseline: { name: 'without a webhook', runs: runs.of('without') },
      goal: { on: 'ratio', sense: 'at least', limit: 0.5 },
    },
  ];
}
