/** Every schema with an `$id`: the components of the OpenAPI document. */
import type { TSchema } from 'typebox';
import { CreatePerson, DirectoryList, Person, Share } from './directory.ts';
import { CreateDomain, Domain, DomainList, DomainRecord } from './domains.ts';
import { EmailDetail, EmailEvent, EmailList, EmailSummary, QueuedEmail, SendEmail } from './emails.ts';
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
  EmailEvent,
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
  Template,
  TemplateList,
  CreatePerson,
  Person,
  Share,
  DirectoryList,
  Problem,
];
