/** The named schemas of the web client's document: its own schemas, and the schemas that it shares with the API. */
import type { TSchema } from 'typebox';
import { COMPONENTS, componentsOf } from '../components.ts';
import {
  AddedPasskey,
  AddPasskey,
  AskPasskey,
  ConfirmedTotp,
  ConfirmSession,
  ConfirmTotp,
  NewTotp,
  PasskeyAnswer,
  PasskeyQuestion,
  RecoveryCodes,
  RenamePasskey,
  SecondFactor,
} from '../dashboard/factors.ts';
import {
  AppPassword,
  AppPasswordList,
  CreateAppPassword,
  CreatedAppPassword,
} from '../dashboard/mailboxes.ts';
import { ApiAccess } from '../dashboard/routes.ts';
import { MailboxGrant, MailboxSharing, ShareMailbox } from '../dashboard/sharing.ts';
import { Confirmation } from '../dashboard/users.ts';
import * as account from './account.ts';
import * as actions from './actions.ts';
import * as changes from './changes.ts';
import * as contacts from './contacts.ts';
import * as conversations from './conversations.ts';
import * as fileLinks from './file-links.ts';
import * as folders from './folders.ts';
import * as filing from './filing.ts';
import * as invitations from './invitations.ts';
import * as labels from './labels.ts';
import * as messages from './messages.ts';
import * as mailboxFiling from '../mailbox-filing.ts';
import * as push from './push.ts';
import * as session from './session.ts';
import * as settings from './settings.ts';
import * as addresses from './addresses.ts';
import * as drafts from './drafts.ts';
import * as cannedResponses from './canned-responses.ts';
import * as identities from './identities.ts';
import * as outgoing from './outgoing.ts';
import * as uploads from './uploads.ts';

/** Sign-in schemas shared with the dashboard. */
const ACCOUNT_COMPONENTS = [
  SecondFactor,
  AskPasskey,
  PasskeyQuestion,
  PasskeyAnswer,
  AddPasskey,
  AddedPasskey,
  RenamePasskey,
  NewTotp,
  ConfirmTotp,
  ConfirmedTotp,
  RecoveryCodes,
  ConfirmSession,
  Confirmation,
  AppPassword,
  AppPasswordList,
  CreateAppPassword,
  CreatedAppPassword,
  ApiAccess,
  MailboxGrant,
  MailboxSharing,
  ShareMailbox,
];

export const MAIL_COMPONENTS: readonly TSchema[] = [
  ...COMPONENTS,
  ...componentsOf(account),
  ...ACCOUNT_COMPONENTS,
  ...componentsOf(folders),
  ...componentsOf(conversations),
  ...componentsOf(labels),
  ...componentsOf(actions),
  ...componentsOf(changes),
  ...componentsOf(messages),
  ...componentsOf(filing),
  ...componentsOf(invitations),
  ...componentsOf(mailboxFiling),
  ...componentsOf(push),
  ...componentsOf(session),
  ...componentsOf(settings),
  ...componentsOf(uploads),
  ...componentsOf(fileLinks),
  ...componentsOf(drafts),
  ...componentsOf(outgoing),
  ...componentsOf(identities),
  ...componentsOf(cannedResponses),
  ...componentsOf(addresses),
  ...componentsOf(contacts),
];
