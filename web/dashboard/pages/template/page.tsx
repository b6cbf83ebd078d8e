import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ApiProblem, dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { TemplateDetail } from '../../../../src/contract/dashboard/templates.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { Failure } from '../../../ui/empty-state.tsx';
import { ChevronLeftIcon, CopyIcon, MoreIcon, PenIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { newKey } from '../../../ui/new-key.ts';
import { backLink, PageHeader } from '../../../ui/page-header.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject } from '../../shell/session.ts';
import { CreateTemplate } from '../templates/create-template.tsx';
import { DeleteTemplate } from '../templates/delete-template.tsx';
import { allTemplates, type TemplateKey, templateQuery } from '../templates/queries.ts';
import { History } from './history.tsx';
import { RenameDialog } from './rename-dialog.tsx';
import { SavedSince } from './saved-since.tsx';
import { TestDialog } from './test-dialog.tsx';
import { UseIt } from './use-it.tsx';
import { useWriting, type WritingState } from './use-writing.ts';
import { Write } from './write.tsx';

const BACK = (
  <Link to="/templates" className={backLink}>
    <ChevronLeftIcon />
    Templates
  </Link>
);

export default function TemplatePage() {
  const { id: project } = useProject();
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(templateQuery({ project, id }));
  if (data !== undefined) return <Template key={data.id} of={{ project, id }} template={data} />;
  const isUnknown = error instanceof ApiProblem && error.status === 404;
  return (
    <>
      <PageHeader back={BACK} title="Template" />
      {error === null ? (
        <SkeletonRows count={8} />
      ) : (
        <Failure
          title={isUnknown ? 'Template not found' : 'Could not load the template'}
          {...(!isUnknown && { onRetry: () => void refetch() })}
        >
          {isUnknown ? 'It was deleted or belongs to another project.' : messageOf(error)}
        </Failure>
      )}
    </>
  );
}

function Template({ of: key, template: loaded }: { of: TemplateKey; template: TemplateDetail }) {
  const mayChange = useMay('developer');
  const [view, setView] = useSearchParam('view');
  const queries = useQueryClient();
  const [template, setTemplate] = useState(loaded);
  const writing = useWriting(key, loaded);
  const { fields, isChanged } = writing;
  const onSaved = (saved: TemplateDetail, settle: () => void): void => {
    setTemplate(saved);
    settle();
    void queries.invalidateQueries({ queryKey: [...allTemplates(key.project), 'list'] });
    void queries.invalidateQueries({ queryKey: [...allTemplates(key.project), key.id, 'versions'] });
  };
  /** After another user has saved, the page shows the other user's version next to the draft. */
  const onRefused = async (refusal: Error): Promise<void> => {
    if (fieldErrors(refusal)['based_on'] === undefined) return;
    const now = await queries.fetchQuery({ ...templateQuery(key), staleTime: 0 }).catch(() => null);
    if (now === null) return;
    setTemplate(now);
    void queries.invalidateQueries({ queryKey: [...allTemplates(key.project), key.id, 'versions'] });
    if (!isChanged) writing.reset(now);
  };
  const save = useMutation({
    mutationFn: (body: SavedFields) =>
      writing
        .flush()
        .then(() =>
          dataOf(api.PUT('/projects/{project}/templates/{id}', { params: { path: { ...key } }, body })),
        ),
    onSuccess: (saved, sent) => onSaved(saved, () => writing.settle(saved, sent)),
    onError: onRefused,
  });
  const saveOver = (based_on: string): void =>
    save.mutate(
      { name: template.name, ...fields, based_on },
      {
        onSuccess: () => toast('Saved. New emails use this version'),
        onError: (error) =>
          toastFailure(
            Object.entries(fieldErrors(error)).map(([field, each]) => `Not saved. ${field}: ${each}`)[0] ??
              messageOf(error),
          ),
      },
    );
  const saveAll = (): void => saveOver(writing.basedOn);
  useSaveKey(() => {
    if (mayChange && isChanged && !save.isPending) saveAll();
  });
  return (
    <>
      <Head
        of={key}
        template={template}
        writing={writing}
        mayChange={mayChange}
        save={save}
        onSave={saveAll}
        onDiscarded={() => writing.reset(template)}
      />
      {isChanged && writing.basedOn !== template.updated_at && (
        <SavedSince
          of={key}
          isBusy={save.isPending}
          onLook={() => setView('history')}
          {...(mayChange && { onSaveOver: () => saveOver(template.updated_at) })}
        />
      )}
      <Tabs
        label="Template"
        value={view === '' ? 'write' : view}
        onChange={(value) => setView(value === 'write' ? '' : value)}
        tabs={[
          {
            value: 'write',
            label: mayChange ? 'Edit' : 'View',
            content: <Write of={key} writing={writing} mayChange={mayChange} />,
          },
          {
            value: 'history',
            label: 'History',
            content: (
              <History
                of={key}
                template={template}
                mayChange={mayChange}
                isChanged={isChanged}
                onRestored={(saved) => onSaved(saved, () => writing.reset(saved))}
                onRefused={onRefused}
              />
            ),
          },
          { value: 'use', label: 'Use in code', content: <UseIt id={key.id} sample={fields.sample} /> },
        ]}
      />
    </>
  );
}

type SavedFields = { name: string; based_on: string } & WritingState['fields'];

interface HeadProps {
  of: TemplateKey;
  template: TemplateDetail;
  writing: WritingState;
  mayChange: boolean;
  save: {
    isPending: boolean;
    error: Error | null;
    mutate(body: SavedFields, options: { onSuccess(): void }): void;
  };
  onSave(): void;
  onDiscarded(): void;
}

function Head({ of: key, template, writing, mayChange, save, onSave, onDiscarded }: HeadProps) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<'rename' | 'copy' | 'delete' | null>(null);
  const [testKey, setTestKey] = useState<string | null>(null);
  const close = (): void => setOpen(null);
  const { isChanged, isKept, problem } = writing;
  const discard = useMutation({
    mutationFn: () =>
      // Discarding also works for a draft that the service rejected.
      writing
        .flush()
        .catch(() => {})
        .then(() =>
          dataOf(api.DELETE('/projects/{project}/templates/{id}/draft', { params: { path: { ...key } } })),
        ),
    onSuccess: onDiscarded,
    onError: (error) => toastFailure(messageOf(error)),
  });
  return (
    <>
      <PageHeader
        back={BACK}
        title={template.name}
        status={isChanged && <Badge tone="warn">Unsaved changes</Badge>}
        description={
          <>
            <span className="inline-flex items-center gap-1 font-mono text-sm">
              {key.id}
              <Copy text={key.id} what="the id" />
            </span>
            <span className="inline-block sm:ml-2" role="status">
              {problem !== null ? (
                <span className="text-bad">Your draft is not saved yet: {problem}</span>
              ) : isChanged ? (
                `${isKept ? 'Draft saved.' : 'Saving draft…'} Emails use your changes only after you save the template.`
              ) : (
                <>
                  Saved <Time value={template.updated_at} />
                </>
              )}
            </span>
          </>
        }
        actions={
          mayChange && (
            <>
              <Menu
                trigger={
                  <IconButton label="More" kind="secondary">
                    <MoreIcon />
                  </IconButton>
                }
              >
                {/* Renaming also saves the template, so unsaved changes must be saved or discarded before. */}
                <MenuItem icon={<PenIcon />} isDisabled={isChanged} onClick={() => setOpen('rename')}>
                  Rename
                </MenuItem>
                <MenuItem icon={<CopyIcon />} onClick={() => setOpen('copy')}>
                  Duplicate
                </MenuItem>
                <MenuSeparator />
                <MenuItem icon={<TrashIcon />} isDanger onClick={() => setOpen('delete')}>
                  Delete
                </MenuItem>
              </Menu>
              {isChanged && (
                <Button isBusy={discard.isPending} onClick={() => discard.mutate()}>
                  Discard changes
                </Button>
              )}
              <Button onClick={() => setTestKey(newKey())}>Send test</Button>
              <Button kind="primary" isBusy={save.isPending} disabled={!isChanged} onClick={onSave}>
                Save
              </Button>
            </>
          )
        }
      />
      {open === 'rename' && (
        <RenameDialog
          name={template.name}
          isBusy={save.isPending}
          error={fieldErrors(save.error)['name'] ?? fieldErrors(save.error)['based_on']}
          onClose={close}
          onRename={(name) => {
            const { subject, html, text, sample, updated_at } = template;
            save.mutate({ name, subject, html, text, sample, based_on: updated_at }, { onSuccess: close });
          }}
        />
      )}
      {open === 'copy' && <CreateTemplate project={key.project} copyOf={template} onClose={close} />}
      {open === 'delete' && (
        <DeleteTemplate
          project={key.project}
          template={template}
          onClose={close}
          onDeleted={() => navigate({ to: '/templates' })}
        />
      )}
      {testKey !== null && (
        <TestDialog of={key} sendKey={testKey} flush={writing.flush} onClose={() => setTestKey(null)} />
      )}
    </>
  );
}

/** Saves on Ctrl+S and ⌘S. */
function useSaveKey(save: () => void): void {
  const latest = useRef(save);
  useEffect(() => {
    latest.current = save;
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.key.toLowerCase() !== 's') return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}
