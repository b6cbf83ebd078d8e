import { useQuery } from '@tanstack/react-query';
import type { MailMessage } from '../../../../src/contract/mail/messages.ts';
import { useFolders } from '../../reading/folders.ts';
import { mailSettingsQuery } from '../../shell/mail-settings.ts';
import { useMailbox } from '../../shell/session.ts';

/** Whether pictures from elsewhere are shown without being asked for: of trusted senders, or of all where its owner wants that. Never in Junk. */
export function useShowsRemote(message: MailMessage | undefined): boolean {
  const { mailbox } = useMailbox();
  const folders = useFolders();
  const { data: settings } = useQuery(mailSettingsQuery(mailbox));
  const junk = folders?.find(({ role }) => role === 'junk');
  // As long as it is not known where the message is, it may be there.
  if (message === undefined || junk === undefined || message.folders.includes(junk.id)) return false;
  return message.remote.allowed || settings?.remote_content === 'always';
}
