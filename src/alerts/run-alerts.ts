import type { AlertWatch } from './alert-watch.ts';
import type { MessageSender } from './message-sender.ts';
import { TIMINGS } from './timings.ts';

/** Checks for problems and sends messages until it is disposed of. */
export function runAlerts(
  watch: AlertWatch,
  sender: MessageSender,
  { pollMs }: Pick<typeof TIMINGS, 'pollMs'> = TIMINGS,
): AsyncDisposable {
  const timer = setInterval(() => {
    watch.tick();
    sender.tick();
  }, pollMs);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await Promise.all([watch[Symbol.asyncDispose](), sender[Symbol.asyncDispose]()]);
    },
  };
}
