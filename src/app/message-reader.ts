import type { Blobs } from '../blobs/blobs.ts';
import type { FairReads } from '../db/fair-reads.ts';
import type { Sealer } from '../db/seal.ts';
import { GuardedClient } from '../net/guarded-client.ts';
import { MAIL_IMAGES_KEY, SignedImages } from '../webmail/read/links/signed-images.ts';
import { MessageBytes } from '../webmail/read/message-bytes.ts';
import { MessageReader } from '../webmail/read/message-reader.ts';
import type { Config } from './config.ts';

interface Settings {
  reads: FairReads;
  blobs: Blobs;
  sealer: Sealer;
  config: Pick<Config, 'environment' | 'dns'>;
}

/** To any one host at a time. */
const CONNECTIONS = 4;

/** Shows single messages to the owners of mailboxes. @param stack closes what is opened here */
export function openMessageReader(
  stack: AsyncDisposableStack,
  { reads, blobs, sealer, config }: Settings,
): { messages: MessageReader; messageBytes: MessageBytes } {
  const options = {
    allowLoopback: config.environment === 'development',
    maxConnectionsPerOrigin: CONNECTIONS,
    dns: config.dns,
  };
  const images = new SignedImages(sealer.deriveKey(MAIL_IMAGES_KEY));
  const messages = stack.use(new MessageReader({ reads, blobs, images }));
  const messageBytes = new MessageBytes({
    reader: messages,
    blobs,
    images,
    imageClient: stack.use(new GuardedClient({ ...options, allowHttp: true })),
    client: stack.use(new GuardedClient(options)),
  });
  return { messages, messageBytes };
}
