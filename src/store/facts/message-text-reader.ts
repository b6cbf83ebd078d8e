import { WorkerReader } from './worker-reader.ts';
import type { MessageText } from './read-message-text.ts';
import { READINGS } from './readings.ts';

export class MessageTextReader extends WorkerReader<MessageText> {
  constructor() {
    super('text', READINGS.text);
  }
}
