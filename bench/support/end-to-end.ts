/** Sends mail through the product to a sink, for the parts that measure the whole path. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runLoad, sendEmail } from './load.ts';
import { freePort } from './ports.ts';
import { type Product, startProduct } from './product.ts';
import { startSink } from './sink.ts';
import { waitForStage } from './stages.ts';

export const MESSAGE_BYTES = 2048;
const TIMEOUT_MS = 180_000;

export interface EndToEnd {
  product: Product;
  /**
   * Sends emails over 64 connections and waits until each email has reached the sink and has the status `sent`.
   * @param count the number of emails
   * @param target by default an email of 2 kB in the project `default`
   */
  send: (
    count: number,
    target?: ReturnType<typeof sendEmail>,
  ) => Promise<{ acceptPerSecond: number; startedAtMs: number; toSinkMs: number; toSentMs: number }>;
}

/**
 * Starts the product in all its roles, with a sink as its smart host and with signed mail.
 * @param options `settings` and `root` as in `startProduct`
 */
export async function startEndToEnd(
  folder: string,
  options: { settings?: Record<string, string>; root?: string | undefined } = {},
): Promise<EndToEnd> {
  mkdirSync(folder, { recursive: true });
  const sinkPort = await freePort();
  const sink = await startSink(sinkPort, folder);
  const product = await startProduct(
    join(folder, 'product'),
    { POSTHORN_PROVIDER: 'smtp', POSTHORN_SMTP_URL: `smtp://127.0.0.1:${sinkPort}`, ...options.settings },
    options.root,
  );
  const token = await product.createKey();
  return {
    product,
    send: async (count, target = sendEmail(product.port, MESSAGE_BYTES, token)) => {
      const before = sink.count();
      const load = { maxRequests: count, durationMs: TIMEOUT_MS };
      const since = new Date();
      const [report, atSink] = await Promise.all([
        runLoad(target, load),
        sink.waitFor(before + count, TIMEOUT_MS),
      ]);
      // Count only at the end, because counting would slow down the work that is measured.
      await waitForStage(product, 'sent', TIMEOUT_MS, since);
      const { startedAtMs, perSecond } = report;
      return {
        acceptPerSecond: perSecond,
        startedAtMs,
        toSinkMs: atSink - startedAtMs,
        toSentMs: Date.now() - startedAtMs,
      };
    },
  };
}
