import { useMutation } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { TemplateDetail } from '../../../../src/contract/dashboard/templates.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { Copy } from '../../../ui/copy.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { ChevronLeftIcon, CopyIcon, MoreIcon, PenIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem, MenuSeparator } from '../../../ui/menu.tsx';
import { newKey } from '../../../ui/new-key.ts';
import { backLink, PageHeader } from '../../../ui/page-header.tsx';
import { Time } from '../../../ui/time.tsx';
import { toastFailure } from '../../../ui/toast.tsx';
import { CreateTemplate } from '../templates/create-template.tsx';
import { DeleteTemplate } from '../templates/delete-template.tsx';
import type { TemplateKey } from '../templates/queries.ts';
import { RenameDialog } from './rename-dialog.tsx';
import { TestDialog } from './test-dialog.tsx';
import type { WritingState } from './use-writing.ts';

export const BACK = (
  <Link to="/templates" className={backLink}>
    <ChevronLeftIcon />
    Templates
  </Link>
);

export type PublishedFields = { name: string; based_on: string } & WritingState['fields'];

interface HeadProps {
  of: TemplateKey;
  template: TemplateDetail;
  writing: WritingState;
  mayChange: boolean;
  publish: {
    isPending: boolean;
    error: Error | null;
    mutate(body: PublishedFields, options: { onSuccess(): void }): void;
    /** Forgets the last error. */
    reset(): void;
  };
  onPublish(): void;
  /** The dialog stays open until the page shows the published version, so the user types nothing that would be lost. */
  onDiscarded(): Promise<void>;
}

export function Head({ of: key, template, writing, mayChange, publish, onPublish, onDiscarded }: HeadProps) {
  const navigate = useNavigate();
  const [open, setOpen] = useState<'rename' | 'copy' | 'delete' | 'discard' | null>(null);
  const [testKey, setTestKey] = useState<string | null>(null);
  const close = (): void => setOpen(null);
  const { isChanged } = writing;
  const discard = useMutation({
    async mutationFn() {
      await writing.discard((revision) =>
        dataOf(
          api.DELETE('/projects/{project}/templates/{id}/draft', {
            params: { path: { ...key }, query: { revision } },
          }),
        ),
      );
      await onDiscarded();
    },
    onError: (error) => toastFailure(fieldErrors(error)['revision'] ?? messageOf(error)),
    onSettled: close,
  });
  return (
    <>
      <PageHeader
        back={BACK}
        title={template.name}
        status={isChanged && <Badge tone="warn">Draft</Badge>}
        description={
          <>
            <span className="inline-flex items-center gap-1 font-mono text-sm">
              {key.id}
              <Copy text={key.id} what="the id" />
            </span>
            <span className="inline-block sm:ml-2" role="status">
              <DraftStatus writing={writing} template={template} />
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
                {/* Renaming also publishes the template, so a draft must be published or discarded before. */}
                <MenuItem
                  icon={<PenIcon />}
                  isDisabled={isChanged}
                  onClick={() => {
                    publish.reset();
                    setOpen('rename');
                  }}
                >
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
              {isChanged && <Button onClick={() => setOpen('discard')}>Discard draft</Button>}
              <Button onClick={() => setTestKey(newKey())}>Send test</Button>
              <Button kind="primary" isBusy={publish.isPending} disabled={!isChanged} onClick={onPublish}>
                Publish
              </Button>
            </>
          )
        }
      />
      {open === 'rename' && (
        <RenameDialog
          name={template.name}
          isBusy={publish.isPending}
          error={
            publish.error === null
              ? undefined
              : (Object.values(fieldErrors(publish.error))[0] ?? messageOf(publish.error))
          }
          onClose={close}
          onRename={(name) => {
            const { subject, html, text, layout_id, sample, updated_at } = template;
            const body = { name, subject, html, text, layout_id, sample, based_on: updated_at };
            publish.mutate(body, { onSuccess: close });
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
      <AlertDialog
        isOpen={open === 'discard'}
        onClose={close}
        title="Discard the draft?"
        action="Discard draft"
        isBusy={discard.isPending}
        onConfirm={() => discard.mutate()}
      >
        <p>
          All changes since the published version are deleted
          {writing.others !== null && `, including those of ${writing.others.name}`}. Emails continue to use
          the published version.
        </p>
      </AlertDialog>
      {testKey !== null && (
        <TestDialog of={key} sendKey={testKey} flush={writing.flush} onClose={() => setTestKey(null)} />
      )}
    </>
  );
}

function DraftStatus({ writing, template }: { writing: WritingState; template: TemplateDetail }) {
  const { isChanged, isKept, others, problem } = writing;
  if (problem !== null) return <span className="text-bad">The draft is not saved yet: {problem}</span>;
  if (!isChanged)
    return (
      <>
        Published <Time value={template.updated_at} />
      </>
    );
  if (!isKept) return 'Saving draft…';
  return (
    <>
      Draft saved
      {others !== null && (
        <>
          {' '}
          by {others.name} <Time value={others.at} />
        </>
      )}
      . Emails use it only after you publish it.
    </>
  );
}
