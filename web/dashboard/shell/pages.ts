/** The menu: its pages, their order, and the key that opens each page after `g`. */
import type { ReactNode } from 'react';
import {
  AliasIcon,
  BookIcon,
  ClipIcon,
  EmailsIcon,
  GaugeIcon,
  GlobeIcon,
  HistoryIcon,
  KeyIcon,
  MailboxIcon,
  MetricsIcon,
  PeopleIcon,
  SettingsIcon,
  StartIcon,
  StopIcon,
  SystemIcon,
  TemplateIcon,
  WebhookIcon,
} from '../../ui/icons.tsx';
import { isAtLeast, type Project, useProject, useSession } from './session.ts';

interface MenuEntry {
  to: string;
  name: string;
  key: string;
  icon: (props: { className?: string }) => ReactNode;
  /**
   * Restricts the page to users with at least this role in the project, or to operators of the installation. Without
   * `visibleTo`, all users see the page.
   */
  visibleTo?: Project['role'] | 'operator';
}

/** The label of links to the first page. */
export const HOME = 'Go to Start';

/** The groups of pages, which the menu separates. */
const MENU = [
  [
    { to: '/', name: 'Start', key: 's', icon: StartIcon },
    { to: '/emails', name: 'Emails', key: 'e', icon: EmailsIcon },
    { to: '/templates', name: 'Templates', key: 't', icon: TemplateIcon },
    { to: '/metrics', name: 'Metrics', key: 'c', icon: MetricsIcon },
  ],
  [
    { to: '/domains', name: 'Domains', key: 'd', icon: GlobeIcon },
    { to: '/suppressions', name: 'Suppressions', key: 'x', icon: StopIcon },
    { to: '/api-keys', name: 'API keys', key: 'k', icon: KeyIcon },
    { to: '/webhooks', name: 'Webhooks', key: 'w', icon: WebhookIcon },
  ],
  [
    { to: '/mailboxes', name: 'Mailboxes', key: 'm', icon: MailboxIcon },
    { to: '/aliases', name: 'Aliases', key: 'a', icon: AliasIcon },
    { to: '/file-links', name: 'File links', key: 'f', icon: ClipIcon },
    { to: '/directory', name: 'Directory', key: 'r', icon: BookIcon },
  ],
  [
    { to: '/people', name: 'People', key: 'p', icon: PeopleIcon },
    { to: '/usage', name: 'Usage', key: 'u', icon: GaugeIcon },
    { to: '/audit', name: 'Audit log', key: 'l', icon: HistoryIcon, visibleTo: 'admin' },
    { to: '/settings', name: 'Settings', key: ',', icon: SettingsIcon },
    { to: '/system', name: 'System', key: 'y', icon: SystemIcon, visibleTo: 'operator' },
  ],
] as const satisfies readonly (readonly MenuEntry[])[];

export type Page = (typeof MENU)[number][number];

/** The name of the page at a path. Undefined for the page of a single resource, whose heading is the resource's name. */
export function nameAt(path: string): string | undefined {
  return MENU.flat().find(({ to }) => to === path)?.name;
}

/** The pages that the user may see. Empty groups are left out. */
export function useMenu(): readonly (readonly Page[])[] {
  const { user } = useSession();
  const { role } = useProject();
  return MENU.map((group) =>
    group.filter((page: MenuEntry) =>
      page.visibleTo === 'operator'
        ? user.is_operator
        : page.visibleTo === undefined || isAtLeast(role, page.visibleTo),
    ),
  ).filter((group) => group.length > 0);
}

/** The pages that the user may see, without groups. */
export function usePages(): readonly Page[] {
  return useMenu().flat();
}
