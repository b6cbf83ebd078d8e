/** Texts that describe changes in the audit log. */
import { number } from '../../../ui/amounts.ts';
import { local } from '../../../ui/times.ts';

/** The names of resources, by the part of an action before the dot. */
export const RESOURCES: readonly (readonly [resource: string, name: string])[] = [
  ['project', 'Projects'],
  ['organization', 'Organization'],
  ['member', 'Members'],
  ['invitation', 'Invitations'],
  ['user', 'Users'],
  ['api-key', 'API keys'],
  ['domain', 'Domains'],
  ['webhook', 'Webhooks'],
  ['route', 'Routes'],
  ['template', 'Templates'],
  ['template-layout', 'Layouts'],
  ['template-partial', 'Partials'],
  ['email', 'Emails'],
  ['suppression', 'Suppressions'],
  ['mailbox', 'Mailboxes'],
  ['app-password', 'App passwords'],
  ['alias', 'Aliases'],
  ['person', 'Directory'],
  ['share', 'Shares'],
];

export const WAYS = [
  ['user', 'In the dashboard'],
  ['mailbox', 'In the web client'],
  ['api-key', 'With an API key'],
  ['command-line', 'On the command line'],
  ['system', 'Automatic'],
] as const;

const VERBS: Readonly<Record<string, string>> = {
  add: 'added',
  cancel: 'cancelled',
  change: 'changed',
  confirm: 'confirmed',
  copy: 'copied',
  create: 'created',
  delete: 'deleted',
  discard: 'discarded',
  enable: 'enabled',
  end: 'ended',
  erase: 'erased',
  export: 'exported',
  import: 'imported',
  link: 'linked',
  make: 'created',
  move: 'moved',
  redact: 'redacted',
  release: 'released',
  remove: 'removed',
  rename: 'renamed',
  replace: 'replaced',
  replay: 'replayed',
  require: 'required',
  reset: 'reset',
  retry: 'retried',
  revoke: 'revoked',
  rotate: 'rotated',
  save: 'saved',
  set: 'set',
  share: 'shared',
  try: 'tried',
  unlink: 'unlinked',
  unlock: 'unlocked',
  unshare: 'access revoked',
  update: 'changed',
  use: 'used',
  verify: 'verified',
};

/** Texts that do not follow from a verb and its object. */
const PHRASES: Readonly<Record<string, string>> = {
  'domain.check-again': 'Domain checked again',
  'domain.delete': 'Domain removed',
  'domain.dkim-rotation-start': 'Domain DKIM rotation started',
  'domain.dkim-rotation-switch': 'Domain DKIM key switched',
  'domain.verify-by-hand': 'Domain verified manually',
  'email.send-now': 'Email sent now',
  'mailbox.end-sessions': 'Mailbox signed out',
  'member.end-sessions': 'Member signed out',
  'person.create': 'Person added',
  'suppression.create': 'Suppression added',
  'suppression.delete': 'Suppression removed',
  'user.end-sessions': 'User signed out',
  'user.link-openid': 'User OpenID linked',
  'user.reset-second-factor': 'User second factor turned off',
  'user.set-operator': 'User operator permission changed',
  'user.unlink-openid': 'User OpenID unlinked',
  'webhook.replay-failed': 'Webhook failed deliveries replayed',
  'webhook.retry-pending': 'Webhook pending deliveries tried',
};

const NAMES: Readonly<Record<string, string>> = { 'api-key': 'API key', organization: 'Organization' };

/** `api-key.create` becomes "API key created", and `user.add-passkey` "User passkey added". */
export function wordsOf(action: string): string {
  const phrase = PHRASES[action];
  if (phrase !== undefined) return phrase;
  const [resource = '', change = ''] = action.split('.');
  const thing = NAMES[resource] ?? capital(resource.replaceAll('-', ' '));
  const [verb = '', ...rest] = change.split('-');
  const object = rest.join(' ');
  const done = VERBS[verb];
  if (done === undefined) return `${thing} ${change.replaceAll('-', ' ')}`;
  // "Domain added to installation"
  if (/^(?:to|from) /.test(object)) return `${thing} ${done} ${object}`;
  return [thing, object, done].filter((part) => part !== '').join(' ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const FIELDS: Readonly<Record<string, string>> = {
  is_catch_all: 'catch-all',
  quota_mb: 'quota in MB',
  save_sent: 'save a copy in Sent',
  empty_folders: 'empty Junk and Trash',
  sees_bodies: 'can see email contents',
  organization: 'organization',
  url: 'URL',
  html: 'HTML',
  dkim_selector: 'DKIM selector',
  dkim_selectors: 'DKIM selectors',
  mailbox_ids: 'mailbox IDs',
};

export function fieldName(name: string): string {
  return FIELDS[name] ?? name.replaceAll('_', ' ');
}

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/** Longer values, such as the HTML of a template, are shortened. The export contains them in full. */
const MAX_LENGTH = 200;

/** The text for a field's value. */
export function valueOf(value: unknown): string {
  const text = wholeOf(value);
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH).trimEnd()}… (${number(text.length)} characters)`;
}

function wholeOf(value: unknown): string {
  if (value === null || value === undefined || value === '') return 'none';
  if (value === true) return 'on';
  if (value === false) return 'off';
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.join(', ');
  if (typeof value !== 'string') return JSON.stringify(value);
  return TIME.test(value) ? local.exact(value) : value;
}
