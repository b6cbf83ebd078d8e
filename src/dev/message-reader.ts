import { WorkerReader } from '../store/facts/worker-reader.ts';
import { CAUGHT, type CaughtMessage } from './read-message.ts';

/** Reads small messages at once, and large messages in another thread, so that one large message does not delay other requests. */
export class MessageReader extends WorkerReader<CaughtMessage> {
  constructor() {
    super('caught', CAUGHT, { thread: new URL('./thread.ts', import.meta.url) });
  }
}
