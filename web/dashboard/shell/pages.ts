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
  RequestIcon,
  RouteIcon,
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
  /** Whether the menu leaves out the page in projects without mailboxes. The command palette and the keys always open it. */
  needsMailboxes?: true;
}

interface MenuGroup {
  name: string;
  pages: readonly MenuEntry[];
}

/** The label of links to the first page. */
export const HOME = 'Go to Start';

const MENU = [
  {
    name: 'Sending',
    pages: [
      { to: '/', name: 'Start', key: 's', icon: StartIcon },
      { to: '/emails', name: 'Emails', key: 'e', icon: EmailsIcon },
      { to: '/templates', name: 'Templates', key: 't', icon: TemplateIcon },
      { to: '/metrics', name: 'Metrics', key: 'c', icon: MetricsIcon },
    ],
  },
  {
    name: 'Setup',
    pages: [
      { to: '/domains', name: 'Domains', key: 'd', icon: GlobeIcon },
      { to: '/suppressions', name: 'Suppressions', key: 'x', icon: StopIcon },
      { to: '/api-keys', name: 'API keys', key: 'k', icon: KeyIcon },
      { to: '/api-log', name: 'API log', key: 'q', icon: RequestIcon },
      { to: '/webhooks', name: 'Webhooks', key: 'w', icon: WebhookIcon },
      { to: '/routes', name: 'Routes', key: 'i', icon: RouteIcon, visibleTo: 'admin' },
    ],
  },
  {
    name: 'Mailboxes',
    pages: [
      { to: '/mailboxes', name: 'Mailboxes', key: 'm', icon: MailboxIcon },
      { to: '/aliases', name: 'Aliases', key: 'a', icon: AliasIcon, needsMailboxes: true },
      { to: '/file-links', name: 'File links', key: 'f', icon: ClipIcon, needsMailboxes: true },
      { to: '/directory', name: 'Directory', key: 'r', icon: BookIcon, needsMailboxes: true },
    ],
  },
  {
    name: 'Organization',
    pages: [
      { to: '/people', name: 'People', key: 'p', icon: PeopleIcon },
      { to: '/usage', name: 'Usage', key: 'u', icon: GaugeIcon },
      { to: '/audit', name: 'Audit log', key: 'l', icon: HistoryIcon, visibleTo: 'admin' },
      { to: '/settings', name: 'Settings', key: ',', icon: SettingsIcon },
      { to: '/system', name: 'System', key: 'y', icon: SystemIcon, visibleTo: 'operator' },
    ],
  },
] as const satisfies readonly MenuGroup[];

export type Page = (typeof MENU)[number]['pages'][number];

/** The name of the page at a path. Undefined for the page of a single resource, whose heading is the resource's name. */
export function nameAt(path: string): string | undefined {
  return MENU.flatMap(({ pages }) => pages as readonly Page[]).find(({ to }) => to === path)?.name;
}

interface Shown {
  name: string;
  pages: readonly Page[];
}

/** The groups of the menu, with the pages that the user may see. Empty groups are left out. */
export function useMenu(): readonly Shown[] {
  const { uses_mailboxes: usesMailboxes } = useProject();
  return useGroups()
    .map(({ name, pages }) => ({
      name,
      pages: pages.filter((page: MenuEntry) => usesMailboxes || page.needsMailboxes !== true),
    }))
    .filter(({ pages }) => pages.length > 0);
}

/** The pages that the user may see, without groups. */
export function usePages(): readonly Page[] {
  return useGroups().flatMap(({ pages }) => pages);
}

function useGroups(): readonly Shown[] {
  const { user } = useSession();
  const { role } = useProject();
  return MENU.map(({ name, pages }) => ({
    name,
    pages: (pages as readonly Page[]).filter((page: MenuEntry) =>
      page.visibleTo === 'operator'
        ? user.is_operator
        : page.visibleTo === undefined || isAtLeast(role, page.visibleTo),
    ),
  }));
}
