import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { TemplateSummary } from '../../../../src/contract/dashboard/templates.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { CopyIcon, MoreIcon, PlusIcon, TemplateIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { Row, rowLink, Table, Td, Th } from '../../../ui/table.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { Time } from '../../../ui/time.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject } from '../../shell/session.ts';
import { CreatePiece } from './create-piece.tsx';
import { CreateTemplate } from './create-template.tsx';
import { DeleteTemplate } from './delete-template.tsx';
import { Pieces } from './pieces.tsx';
import { type PieceKind, templatesQuery } from './queries.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';

const SHOWN_VARIABLES = 3;

type View = 'templates' | PieceKind;

/** The values of the search parameter `view`; absent for the templates. */
const VIEWS: Readonly<Record<string, View>> = { layouts: 'layout', partials: 'partial' };

export default function TemplatesPage() {
  const { id: project } = useProject();
  const mayChange = useMay('developer');
  const [given, setGiven] = useSearchParam('view');
  const [creating, setCreating] = useSearchParam('create');
  const view = VIEWS[given] ?? 'templates';
  const create = mayChange && (
    <Button kind="primary" icon={<PlusIcon />} onClick={() => setCreating('yes')}>
      Create {view === 'templates' ? 'template' : view}
    </Button>
  );
  return (
    <>
      <PageHeader
        title="Templates"
        description="Reusable subjects and bodies with variables. Your applications send them by ID."
        actions={create}
      />
      <Tabs
        label="Templates"
        value={given in VIEWS ? given : ''}
        onChange={(next) => setGiven(next, { push: true })}
        tabs={[
          {
            value: '',
            label: 'Templates',
            content: <TemplateList project={project} mayChange={mayChange} />,
          },
          { value: 'layouts', label: 'Layouts', content: <Pieces project={project} kind="layout" /> },
          { value: 'partials', label: 'Partials', content: <Pieces project={project} kind="partial" /> },
        ]}
      />
      {creating !== '' && mayChange && view === 'templates' && (
        <CreateTemplate project={project} onClose={() => setCreating('')} />
      )}
      {creating !== '' && mayChange && view !== 'templates' && (
        <CreatePiece project={project} kind={view} onClose={() => setCreating('')} />
      )}
    </>
  );
}

function TemplateList({ project, mayChange }: { project: string; mayChange: boolean }) {
  const { data, error, refetch } = useQuery(templatesQuery(project));
  if (data === undefined)
    return <NotLoaded title="Could not load the templates" error={error} refetch={refetch} rows={4} />;
  if (data.data.length === 0) return <NoTemplates />;
  return <TemplateTable project={project} templates={data.data} mayChange={mayChange} />;
}

interface TableProps {
  project: string;
  templates: readonly TemplateSummary[];
  mayChange: boolean;
}

function TemplateTable({ project, templates, mayChange }: TableProps) {
  const [chosen, setChosen] = useState<{ what: 'copy' | 'delete'; template: TemplateSummary } | null>(null);
  const close = () => setChosen(null);
  return (
    <>
      <Table
        label="Templates"
        head={
          <>
            <Th>Name</Th>
            <Th isWideOnly>Variables</Th>
            <Th isWideOnly>Parts</Th>
            <Th>Published</Th>
            {mayChange && (
              <Th>
                <span className="sr-only">Actions</span>
              </Th>
            )}
          </>
        }
      >
        {templates.map((template) => (
          <Row key={template.id}>
            <Td className="w-full max-w-0">
              <Link to="/templates/$id" params={{ id: template.id }} className={`${rowLink} block truncate`}>
                {template.name}
              </Link>
              <span className="flex items-center gap-2">
                <span className="truncate text-sm text-muted">{template.subject || 'No subject'}</span>
                {template.has_draft && <Badge tone="warn">Draft</Badge>}
              </span>
            </Td>
            <Td isWideOnly className="font-mono text-sm whitespace-nowrap text-muted">
              {variablesOf(template)}
            </Td>
            <Td isWideOnly className="whitespace-nowrap text-muted">
              {[template.has_html && 'HTML', template.has_text && 'text'].filter(Boolean).join(', ')}
            </Td>
            <Td className="whitespace-nowrap">
              <Time value={template.updated_at} />
            </Td>
            {mayChange && (
              <Td className="relative z-10 w-0">
                <Menu
                  trigger={
                    <IconButton label={`More about ${template.name}`}>
                      <MoreIcon />
                    </IconButton>
                  }
                >
                  <MenuItem icon={<CopyIcon />} onClick={() => setChosen({ what: 'copy', template })}>
                    Duplicate
                  </MenuItem>
                  <MenuSeparator />
                  <MenuItem
                    icon={<TrashIcon />}
                    isDanger
                    onClick={() => setChosen({ what: 'delete', template })}
                  >
                    Delete
                  </MenuItem>
                </Menu>
              </Td>
            )}
          </Row>
        ))}
      </Table>
      {chosen?.what === 'copy' && (
        <CreateTemplate project={project} copyOf={chosen.template} onClose={close} />
      )}
      {chosen?.what === 'delete' && (
        <DeleteTemplate project={project} template={chosen.template} onClose={close} />
      )}
    </>
  );
}

function variablesOf({ variables }: TemplateSummary): string {
  if (variables.length === 0) return '–';
  const more = variables.length - SHOWN_VARIABLES;
  return `${variables.slice(0, SHOWN_VARIABLES).join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function NoTemplates() {
  return (
    <EmptyState icon={<TemplateIcon />} title="No templates yet">
      <p>
        A template has a subject, an HTML body and a text body, such as{' '}
        <code className="whitespace-nowrap">Hello {'{{ name }}'}</code>. Your application sends only the
        template ID and the values, so you can change the text without changing code.
      </p>
      <p className="mt-2">
        Every published version is stored with its author, and you can restore any of them.
      </p>
    </EmptyState>
  );
}
