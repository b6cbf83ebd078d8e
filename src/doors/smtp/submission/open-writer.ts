import { KEY_PREFIX } from '../../../accounts/keys/api-keys.ts';
import type { ClientConnection } from '../../tcp/client-connection.ts';
import type { PolicyReply } from '../policy.ts';
import { API_KEY_USER, type ApiKeyServices, openForApiKey } from './api-key-writer.ts';
import { type MailboxServices, openForMailbox } from './mailbox-writer.ts';
import type { Credentials } from './submission-policy.ts';
import type { Writer } from './writer.ts';

export interface WriterServices extends ApiKeyServices, MailboxServices {}

/**
 * Signs in an application with its API key, or the owner of a mailbox. A password that begins like an API key is checked only as a key,
 * whatever the user name is, so that it never counts as a wrong password of a mailbox. The user name `apikey` always means an application,
 * because the address of a mailbox has a domain.
 */
export function openWriter(services: WriterServices) {
  return (credentials: Credentials, connection: ClientConnection): Promise<Writer | PolicyReply> =>
    credentials.password.startsWith(KEY_PREFIX) || credentials.user.toLowerCase() === API_KEY_USER
      ? openForApiKey(services, credentials.password, connection.address)
      : openForMailbox(services, credentials, connection);
}
