/** Every operation of the API, in the order of the OpenAPI document. */
import { apiOperations, namedOperations } from '../operation.ts';
import { inOrder } from '../declared-operations.ts';
import { OPERATION_MODULES } from '../operation-modules.ts';
import { sendBatch } from './emails/send-batch.ts';
import { sendEmail } from './emails/send-email.ts';
import { listRouteMessages } from './routes/list-route-messages.ts';

const ORDER = [
  'sendEmail',
  'sendBatch',
  'listEmails',
  'getEmail',
  'cancelEmail',
  'listDomains',
  'createDomain',
  'getDomain',
  'deleteDomain',
  'verifyDomain',
  'listMailboxes',
  'createMailbox',
  'getMailbox',
  'updateMailbox',
  'deleteMailbox',
  'listAliases',
  'createAlias',
  'getAlias',
  'updateAlias',
  'deleteAlias',
  'listWebhooks',
  'createWebhook',
  'getWebhook',
  'updateWebhook',
  'deleteWebhook',
  'testWebhook',
  'listRoutes',
  'createRoute',
  'getRoute',
  'updateRoute',
  'deleteRoute',
  'listRouteMessages',
  'getRouteMessage',
  'replayRouteMessage',
  'listTemplates',
  'getTemplate',
  'listDirectory',
  'createPerson',
  'deletePerson',
  'listSuppressions',
  'addSuppressions',
  'getSuppression',
  'removeSuppression',
];

/** Operations that the API implements itself, because they need the raw request or reply. */
const RAW = [sendEmail, sendBatch, listRouteMessages];

export const OPERATIONS = namedOperations(inOrder(ORDER, apiOperations(OPERATION_MODULES, RAW)));
