/** The commands of the command palette. */
import type { ReactNode } from 'react';
import type { useNavigate } from '@tanstack/react-router';
import {
  BookIcon,
  ChevronRightIcon,
  EmailsIcon,
  FolderIcon,
  GlobeIcon,
  HelpIcon,
  MailboxIcon,
  PlusIcon,
  SearchIcon,
  SignOutIcon,
  TemplateIcon,
  UserIcon,
  WebhookIcon,
} from '../../ui/icons.tsx';
import { useMayInOrganization } from '../pages/people/queries.ts';
import { usePages } from './pages.ts';
import { useMay, useSession } from './session.ts';
import { signOut } from './enter.ts';
import { overlay } from './state.ts';

export interface PaletteCommand {
  id: string;
  name: string;
  icon: (props: { className?: string }) => ReactNode;
  keys?: readonly string[];
  /** Shown beside the name, and searched too. */
  detail?: string;
  /** Whether the command opens what is open already. */
  isCurrent?: boolean;
  run(): void;
}

/** Resources with their own page, by the prefix of their id. */
const THINGS = {
  em: { to: '/emails/$id', name: 'Open email', icon: EmailsIcon },
  dom: { to: '/domains/$id', name: 'Open domain', icon: GlobeIcon },
  mbx: { to: '/mailboxes/$id', name: 'Open mailbox', icon: MailboxIcon },
  tpl: { to: '/templates/$id', name: 'Open template', icon: TemplateIcon },
  wh: { to: '/webhooks/$id', name: 'Open webhook', icon: WebhookIcon },
} as const;
const ID = /^(em|dom|mbx|tpl|wh)_[0-9A-Z]{26}$/i;

/** @param words the typed text. If it contains an id, a command opens the page of that resource */
export function useCommands(navigate: ReturnType<typeof useNavigate>, words: string): PaletteCommand[] {
  const { projects } = useSession();
  const actions = useActions();
  const pages = usePages();
  const typed = words.trim();
  return [
    ...idCommand(navigate, typed),
    ...pages.map(({ to, name, key, icon }) => ({
      id: to,
      name,
      icon,
      keys: ['g', key],
      run: () => void navigate({ to }),
    })),
    ...actions.map(({ name, to, param }) => ({
      id: name,
      name,
      icon: PlusIcon,
      run: () => void navigate({ to, search: { [param]: 'yes' } }),
    })),
    { id: 'account', name: 'Account', icon: UserIcon, run: () => void navigate({ to: '/account' }) },
    ...(projects.length === 1 ? [] : projects).map(({ id, name }) => ({
      id,
      name: `Project ${name}`,
      icon: FolderIcon,
      run: () => void navigate({ to: '/', search: { project: id } }),
    })),
    { id: 'docs', name: 'Documentation', icon: BookIcon, run: () => location.assign('/docs') },
    { id: 'keys', name: 'Keyboard shortcuts', icon: HelpIcon, keys: ['?'], run: () => overlay.set('help') },
    { id: 'sign-out', name: 'Sign out', icon: SignOutIcon, run: () => void signOut() },
    ...(typed === '' || ID.test(typed)
      ? []
      : [
          {
            id: 'search',
            name: `Search emails for “${typed}”`,
            icon: SearchIcon,
            run: () => void navigate({ to: '/emails', search: (before) => ({ ...before, q: typed }) }),
          },
        ]),
  ];
}

/** Actions of the command palette. Choosing an action opens a page with the dialog for the action. */
const ACTIONS = [
  { name: 'Send email', to: '/emails', param: 'send' },
  { name: 'Create template', to: '/templates', param: 'create' },
  { name: 'Add domain', to: '/domains', param: 'add' },
  { name: 'Create API key', to: '/api-keys', param: 'create' },
  { name: 'Create webhook', to: '/webhooks', param: 'create' },
  { name: 'Create mailbox', to: '/mailboxes', param: 'create' },
] as const;
const INVITE = { name: 'Invite', to: '/people', param: 'invite' } as const;

/** The actions that the user's role allows. */
function useActions() {
  const mayInvite = useMayInOrganization('admin');
  return [...(useMay('developer') ? ACTIONS : []), ...(mayInvite ? [INVITE] : [])];
}

function idCommand(navigate: ReturnType<typeof useNavigate>, typed: string): PaletteCommand[] {
  const prefix = ID.exec(typed)?.[1]?.toLowerCase() as keyof typeof THINGS | undefined;
  if (prefix === undefined) return [];
  const { to, name } = THINGS[prefix];
  const id = `${prefix}_${typed.slice(prefix.length + 1).toUpperCase()}`;
  return [
    {
      id: typed,
      name: `${name} ${id}`,
      icon: ChevronRightIcon,
      run: () => void navigate({ to, params: { id } }),
    },
  ];
}

/** The commands whose name or detail contains every typed word. Commands whose name begins with the first word come first. */
export function matching(commands: readonly PaletteCommand[], words: string): PaletteCommand[] {
  const parts = words.toLowerCase().split(/\s+/).filter(Boolean);
  const found = commands.filter(({ name, detail = '' }) =>
    parts.every((part) => `${name} ${detail}`.toLowerCase().includes(part)),
  );
  const rank = ({ name }: PaletteCommand) => (name.toLowerCase().startsWith(parts[0] ?? '') ? 0 : 1);
  return found.toSorted((one, other) => rank(one) - rank(other));
}
