import { useMutation } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/mail.ts';
import type { MailMessageSummary } from '../../../../src/contract/mail/conversations.ts';
import { IconButton } from '../../../ui/button.tsx';
import { CodeIcon } from '../../../ui/compose-icons.tsx';
import {
  ClipIcon,
  DownloadIcon,
  EmailsIcon,
  FileIcon,
  ForwardIcon,
  ImageIcon,
  MoreIcon,
  PrintIcon,
  ReplyAllIcon,
  ReplyIcon,
  StopIcon,
  TrashIcon,
} from '../../../ui/icons.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { toast } from '../../../ui/toast.tsx';
import { useAct } from '../../reading/actions.ts';
import { shownAddress } from '../../reading/people.ts';
import { useCompose } from '../../shell/compose.ts';
import { useMailbox } from '../../shell/session.ts';
import { messageUrl } from './message-url.ts';

export interface MessageMenuProps {
  summary: MailMessageSummary;
  /** Whether remote images are shown. Printing then includes them. */
  showsRemote: boolean;
  /** Whether text is shown in a fixed-width font. Undefined if the message is not shown as text. */
  isFixedWidth: boolean | undefined;
  onFixedWidth(isFixedWidth: boolean): void;
  /** Whether the message keeps its own colors. Undefined if the page is light, or the message cannot be dark. */
  isAsSent: boolean | undefined;
  onAsSent(): void;
}

/** The menu of rarely used actions on a message. */
export function MessageMenu({
  summary,
  showsRemote,
  isFixedWidth,
  onFixedWidth,
  isAsSent,
  onAsSent,
}: MessageMenuProps) {
  const { mailbox, address: own, access } = useMailbox();
  const act = useAct();
  const compose = useCompose();
  const { id, from } = summary;
  const printed = new URLSearchParams({
    ...(showsRemote && { remote: '1' }),
    zone: new Intl.DateTimeFormat().resolvedOptions().timeZone,
  });
  const sender = from[0]?.address;
  const block = useMutation({
    mutationFn: (address: string) =>
      dataOf(
        api.POST('/mailboxes/{mailbox}/blocked', {
          params: { path: { mailbox } },
          body: { sender: address },
        }),
      ),
    onSuccess: (_answer, address) =>
      toast(`${address} blocked`, { action: { label: 'Undo', run: () => unblock.mutate(address) } }),
  });
  const unblock = useMutation({
    mutationFn: (address: string) =>
      dataOf(
        api.DELETE('/mailboxes/{mailbox}/blocked', {
          params: { path: { mailbox }, query: { sender: address } },
        }),
      ),
    onSuccess: (_answer, address) => toast(`${address} unblocked`),
  });
  return (
    <Menu
      trigger={
        <IconButton label="More actions for this message">
          <MoreIcon />
        </IconButton>
      }
    >
      <MenuItem icon={<ReplyIcon />} onClick={() => compose({ reply: id, mode: 'reply' })}>
        Reply
      </MenuItem>
      <MenuItem icon={<ReplyAllIcon />} onClick={() => compose({ reply: id, mode: 'reply-all' })}>
        Reply all
      </MenuItem>
      <MenuItem icon={<ForwardIcon />} onClick={() => compose({ reply: id, mode: 'forward' })}>
        Forward
      </MenuItem>
      <MenuItem icon={<ClipIcon />} onClick={() => compose({ reply: id, mode: 'forward-attached' })}>
        Forward as attachment
      </MenuItem>
      {access !== 'read' && (
        <>
          <MenuSeparator />
          <MenuItem icon={<EmailsIcon />} onClick={() => act({ action: 'unseen', messages: [id] })}>
            Mark as unread
          </MenuItem>
          <MenuItem icon={<TrashIcon />} onClick={() => act({ action: 'trash', messages: [id] })}>
            Move to Trash
          </MenuItem>
        </>
      )}
      {access === 'owner' && sender !== undefined && sender.toLowerCase() !== own.toLowerCase() && (
        <MenuItem icon={<StopIcon />} onClick={() => block.mutate(shownAddress(sender))}>
          Block {shownAddress(sender)}
        </MenuItem>
      )}
      <MenuSeparator />
      {isAsSent !== undefined && (
        <MenuItem icon={<ImageIcon />} onClick={onAsSent}>
          {isAsSent ? 'Show in dark colors' : 'Show in original colors'}
        </MenuItem>
      )}
      {isFixedWidth !== undefined && (
        <MenuItem icon={<CodeIcon />} onClick={() => onFixedWidth(!isFixedWidth)}>
          {isFixedWidth ? 'Use proportional font' : 'Use fixed-width font'}
        </MenuItem>
      )}
      <MenuItem
        icon={<PrintIcon />}
        render={<a href={messageUrl(mailbox, id, `print?${printed}`)} target="_blank" rel="noreferrer" />}
      >
        Print
      </MenuItem>
      <MenuItem
        icon={<FileIcon />}
        render={<a href={messageUrl(mailbox, id, 'source')} target="_blank" rel="noreferrer" />}
      >
        Show source
      </MenuItem>
      <MenuItem icon={<DownloadIcon />} render={<a href={messageUrl(mailbox, id, 'raw')} download />}>
        Download .eml
      </MenuItem>
    </Menu>
  );
}
