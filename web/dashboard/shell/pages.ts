/** The menu: what is in it, in which order, and the key that follows `g`. */
import { EmailsIcon, GlobeIcon, KeyIcon, StartIcon, WebhookIcon } from '../../ui/icons.tsx';

export const PAGES = [
  { to: '/', name: 'Start', key: 's', icon: StartIcon },
  { to: '/emails', name: 'Emails', key: 'e', icon: EmailsIcon },
  { to: '/api-keys', name: 'API keys', key: 'k', icon: KeyIcon },
  { to: '/domains', name: 'Domains', key: 'd', icon: GlobeIcon },
  { to: '/webhooks', name: 'Webhooks', key: 'w', icon: WebhookIcon },
] as const;
