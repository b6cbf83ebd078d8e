/** Every schema with an `$id`: the components of the OpenAPI document. */
import type { TSchema } from 'typebox';
import { CreatePerson, DirectoryList, Person, Share } from './directory.ts';
import { CreateDomain, Domain, DomainList, DomainRecord } from './domains.ts';
import { EmailDetail, EmailList, EmailSummary, QueuedEmail, SendEmail } from './emails.ts';
import { EVENT_COMPONENTS } from './events.ts';
import { CreatedMailbox, CreateMailbox, Mailbox, MailboxList, UpdateMailbox } from './mailboxes.ts';
import { Problem } from './problem.ts';
import { Template, TemplateList } from './templates.ts';
import {
  CreatedWebhook,
  CreateWebhook,
  UpdateWebhook,
  Webhook,
  WebhookDelivery,
  WebhookDetail,
  WebhookList,
  WebhookTest,
} from './webhooks.ts';

export const COMPONENTS: readonly TSchema[] = [
  SendEmail,
  QueuedEmail,
  EmailSummary,
  EmailDetail,
  EmailList,
  CreateDomain,
  DomainRecord,
  Domain,
  DomainList,
  CreateMailbox,
  UpdateMailbox,
  Mailbox,
  CreatedMailbox,
  MailboxList,
  CreateWebhook,
  UpdateWebhook,
  Webhook,
  CreatedWebhook,
  WebhookDelivery,
  WebhookDetail,
  WebhookList,
  WebhookTest,
  ...EVENT_COMPONENTS,
  Template,
  TemplateList,
  CreatePerson,
  Person,
  Share,
  DirectoryList,
  Problem,
];
