/** Every operation of the web client, in the order of its OpenAPI document. */
import { mailOperations, namedMailOperations } from './operation.ts';
import { inOrder } from '../declared-operations.ts';
import { OPERATION_MODULES } from '../operation-modules.ts';
import { MAIL_OPERATION_MODULES } from './operation-modules.ts';
import { describeLinkUploads } from './file-links/describe-link-uploads.ts';
import { announceLinkFile } from './file-links/announce-link-file.ts';
import { findLinkFile } from './file-links/find-link-file.ts';
import { sendLinkFile } from './file-links/send-link-file.ts';
import { sendLinkFileByPost } from './file-links/send-link-file-by-post.ts';
import { giveUpLinkFile } from './file-links/give-up-link-file.ts';
import { createUpload } from './uploads/create-upload.ts';
import { getUpload } from './uploads/get-upload.ts';
import { watchMail } from './changes/watch-mail.ts';
import { changeMailPassword } from './account/change-mail-password.ts';
import { proveMailSecondFactor } from './session/prove-mail-second-factor.ts';
import { proveMailPasskey } from './session/prove-mail-passkey.ts';
import { confirmMailSession } from './session/confirm-mail-session.ts';
import { getMailSession } from './session/get-mail-session.ts';
import { signInToMailbox } from './session/sign-in-to-mailbox.ts';
import { signOutOfMailbox } from './session/sign-out-of-mailbox.ts';
import { getMailMessageHtml } from './messages/get-mail-message-html.ts';
import { printMailMessage } from './messages/print-mail-message.ts';
import { getMailMessageSource } from './messages/get-mail-message-source.ts';
import { getRawMailMessage } from './messages/get-raw-mail-message.ts';
import { getMailPart } from './messages/get-mail-part.ts';
import { previewMailPart } from './messages/preview-mail-part.ts';
import { getMailPartThumbnail } from './messages/get-mail-part-thumbnail.ts';
import { getMailFiles } from './messages/get-mail-files.ts';
import { getInlineMailPart } from './messages/get-inline-mail-part.ts';
import { getRemoteImage } from './messages/get-remote-image.ts';

const ORDER = [
  'getMailSession',
  'signInToMailbox',
  'proveMailSecondFactor',
  'askMailPasskey',
  'proveMailPasskey',
  'signOutOfMailbox',
  'confirmMailSession',
  'askMailConfirmationPasskey',
  'getMailAccount',
  'changeMailPassword',
  'listMailSessions',
  'endOtherMailSessions',
  'endMailSession',
  'listOwnAppPasswords',
  'createOwnAppPassword',
  'revokeOwnAppPassword',
  'getOwnMailboxSharing',
  'shareOwnMailbox',
  'unshareOwnMailbox',
  'startMailTotp',
  'confirmMailTotp',
  'removeMailTotp',
  'makeMailRecoveryCodes',
  'startMailPasskey',
  'addMailPasskey',
  'renameMailPasskey',
  'removeMailPasskey',
  'listMailFolders',
  'createMailFolder',
  'renameMailFolder',
  'deleteMailFolder',
  'listMailLabels',
  'saveMailLabel',
  'removeMailLabel',
  'listConversations',
  'getConversation',
  'searchMail',
  'runMailAction',
  'undoMailActions',
  'getMailChanges',
  'watchMail',
  'listRules',
  'addRule',
  'replaceRule',
  'changeRule',
  'removeRule',
  'getVacation',
  'setVacation',
  'endVacation',
  'getForwarding',
  'setForwarding',
  'endForwarding',
  'listBlockedSenders',
  'blockSender',
  'unblockSender',
  'listSafeSenders',
  'addSafeSender',
  'removeSafeSender',
  'getMailSettings',
  'changeMailSettings',
  'getInvitation',
  'answerInvitation',
  'getIdentities',
  'findAddresses',
  'createUpload',
  'getUpload',
  'describeLinkUploads',
  'announceLinkFile',
  'findLinkFile',
  'sendLinkFile',
  'sendLinkFileByPost',
  'giveUpLinkFile',
  'listFileLinks',
  'createFileLink',
  'getFileLink',
  'changeFileLink',
  'revokeFileLink',
  'createDraft',
  'getDraft',
  'saveDraft',
  'deleteDraft',
  'sendDraft',
  'beginReply',
  'listOutgoing',
  'cancelOutgoing',
  'getMailMessage',
  'getWaitingRecipients',
  'getMailMessageHtml',
  'printMailMessage',
  'getMailMessageSource',
  'getRawMailMessage',
  'getMailPart',
  'previewMailPart',
  'getMailPartThumbnail',
  'getMailFiles',
  'getInlineMailPart',
  'getRemoteImage',
  'unsubscribeFromSender',
  'listTrustedSenders',
  'trustMailSender',
];

/** Operations that the web client implements itself, because they need the raw request or reply. */
const RAW = [
  getMailSession,
  signInToMailbox,
  proveMailSecondFactor,
  proveMailPasskey,
  signOutOfMailbox,
  confirmMailSession,
  changeMailPassword,
  watchMail,
  createUpload,
  getUpload,
  describeLinkUploads,
  announceLinkFile,
  findLinkFile,
  sendLinkFile,
  sendLinkFileByPost,
  giveUpLinkFile,
  getMailMessageHtml,
  printMailMessage,
  getMailMessageSource,
  getRawMailMessage,
  getMailPart,
  previewMailPart,
  getMailPartThumbnail,
  getMailFiles,
  getInlineMailPart,
  getRemoteImage,
];

export const MAIL_OPERATIONS = namedMailOperations(
  inOrder(
    ORDER,
    mailOperations(OPERATION_MODULES, ({ parts }) => parts, RAW),
    mailOperations(MAIL_OPERATION_MODULES, (services) => services, RAW),
  ),
);
