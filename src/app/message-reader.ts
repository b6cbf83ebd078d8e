import type { Blobs } from '../blobs/blobs.ts';
import { MAIL_IMAGES_KEY, SignedImages } from '../webmail/read/links/signed-images.ts';
import { MessageBytes } from '../webmail/read/message-bytes.ts';
import { MessageReader } from '../webmail/read/message-reader.ts';
import type { BaseCore } from './base-core.ts';

/** To any one host at a time. */
const CONNECTIONS = 4;

/** Shows single messages to the owners of mailboxes. They are closed with the core. */
export function openMessageReader(
  core: BaseCore,
  blobs: Blobs,
): { messages: MessageReader; messageBytes: MessageBytes } {
  const images = new SignedImages(core.sealer.deriveKey(MAIL_IMAGES_KEY));
  const messages = core.stack.use(new MessageReader({ reads: core.reads('web-mail'), blobs, images }));
  const messageBytes = new MessageBytes({
    reader: messages,
    blobs,
    images,
    imageClient: core.openClient(CONNECTIONS, true),
    client: core.openClient(CONNECTIONS),
  });
  return { messages, messageBytes };
}
