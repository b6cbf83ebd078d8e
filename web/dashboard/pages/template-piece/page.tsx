import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ApiProblem, dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { TemplatePieceDetail } from '../../../../src/contract/dashboard/template-pieces.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button, IconButton } from '../../../ui/button.tsx';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { Failure } from '../../../ui/empty-state.tsx';
import { Field, Input } from '../../../ui/field.tsx';
import { ChevronLeftIcon, MoreIcon, TrashIcon } from '../../../ui/icons.tsx';
import { Menu, MenuItem } from '../../../ui/menu.tsx';
import { backLink, PageHeader } from '../../../ui/page-header.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useMay, useProject } from '../../shell/session.ts';
import { Conflict } from '../template/saved-since.tsx';
import { PartEditor } from '../template/write.tsx';
import { allPieces, allTemplates, pieceQuery, type TemplateKey } from '../templates/queries.ts';
import { forgetPiece, type PieceFields, usePiece } from './use-piece.ts';

const BODIES = [
  { value: 'html', label: 'HTML' },
  { value: 'text', label: 'Text' },
] as const;

export default function TemplatePiecePage() {
  const { id: project } = useProject();
  const { id = '' } = useParams({ strict: false });
  const { data, error, refetch } = useQuery(pieceQuery({ project, id }));
  if (data !== undefined) return <Piece key={data.id} of={{ project, id }} piece={data} />;
  const isUnknown = error instanceof ApiProblem && error.status === 404;
  return (
    <>
      <PageHeader back={<Back />} title="Layout or partial" />
      {error === null ? (
        <SkeletonRows count={8} />
      ) : (
        <Failure
          title={isUnknown ? 'Layout or partial not found' : 'Could not load this content'}
          {...(!isUnknown && { onRetry: () => void refetch() })}
        >
          {isUnknown ? 'It was deleted or belongs to another project.' : messageOf(error)}
        </Failure>
      )}
    </>
  );
}

function Back({ kind = 'layout' }: { kind?: 'layout' | 'partial' }) {
  return (
    <Link to="/templates" search={{ view: `${kind}s` }} className={backLink}>
      <ChevronLeftIcon />
      {kind === 'layout' ? 'Layouts' : 'Partials'}
    </Link>
  );
}

function Piece({ of: key, piece: loaded }: { of: TemplateKey; piece: TemplatePieceDetail }) {
  const mayChange = useMay('developer');
  const queries = useQueryClient();
  const [part, setPart] = useSearchParam('part');
  const { piece, fields, basedOn, revision, isChanged, change, accept } = usePiece(loaded);
  const publish = useMutation({
    mutationFn: ({ body }: { body: PieceFields & { based_on: string } }) =>
      dataOf(api.PUT('/projects/{project}/template-pieces/{id}', { params: { path: { ...key } }, body })),
    onSuccess(published, { body }) {
      accept(published, body);
      toast('Published. New emails use this version');
      void queries.invalidateQueries({ queryKey: [...allPieces(key.project), 'list'] });
      void queries.invalidateQueries({ queryKey: allTemplates(key.project) });
    },
    onError: (error) => {
      if (Object.keys(fieldErrors(error)).length === 0) toastFailure(messageOf(error));
    },
  });
  const publishFrom = (based_on: string): void => publish.mutate({ body: { ...fields, based_on } });
  const load = (use: (now: TemplatePieceDetail) => void): void =>
    void queries
      .fetchQuery({ ...pieceQuery(key), staleTime: 0 })
      .then(use, (error: Error) => toastFailure(messageOf(error)));
  const errors: Readonly<Record<string, string | undefined>> = fieldErrors(publish.error);
  return (
    <>
      <PageHeader
        back={<Back kind={piece.kind} />}
        title={piece.name}
        status={isChanged && <Badge tone="warn">Not published</Badge>}
        description={
          <>
            Published <Time value={piece.updated_at} />. <Users piece={piece} />
          </>
        }
        actions={
          mayChange && (
            <>
              <DeletePiece of={key} piece={piece} />
              {isChanged && <Button onClick={() => accept(piece, null)}>Discard changes</Button>}
              <Button
                kind="primary"
                disabled={!isChanged}
                isBusy={publish.isPending}
                onClick={() => publishFrom(basedOn)}
              >
                Publish
              </Button>
            </>
          )
        }
      />
      {errors['templates'] !== undefined && (
        <Conflict actions={null}>
          Not published, because it {errors['templates']}. Add a default to new variables, such as{' '}
          <code className="font-mono text-sm">{'{{ name | default: "" }}'}</code>, or add them to the sample
          data of the templates.
        </Conflict>
      )}
      {errors['based_on'] !== undefined && (
        <Conflict
          actions={
            <>
              <Button onClick={() => load((now) => accept(now, null))}>Load their version</Button>
              <Button onClick={() => load((now) => publishFrom(now.updated_at))}>Overwrite with mine</Button>
            </>
          }
        >
          Another user has published this {piece.kind} in the meantime. Load their version to lose your
          changes, or overwrite it.
        </Conflict>
      )}
      <div className="grid max-w-4xl gap-4">
        <Field label="Name" error={errors['name']}>
          <Input
            autoComplete="off"
            value={fields.name}
            readOnly={!mayChange}
            onChange={(event) => change({ name: event.target.value })}
          />
        </Field>
        <Tabs
          label="Parts"
          value={part === 'text' ? part : 'html'}
          onChange={(value) => setPart(value === 'html' ? '' : value)}
          tabs={BODIES.map(({ value, label }) => ({
            value,
            label: (
              <>
                {label}
                {errors[value] !== undefined && <span className="text-bad">(error)</span>}
              </>
            ),
            content: (
              <PartEditor
                key={value}
                name={`${label} body`}
                value={fields[value]}
                revision={revision}
                error={errors[value]}
                isLiquid={value === 'html'}
                {...(mayChange && { onChange: (text: string) => change({ [value]: text }) })}
              />
            ),
          }))}
        />
        <p className="text-sm text-muted">
          {piece.kind === 'layout' ? (
            <>
              <code className="font-mono">{'{% content %}'}</code> stands for the content of the template.{' '}
            </>
          ) : (
            <>
              Templates and layouts include this partial with{' '}
              <code className="font-mono">{`{% include "${piece.name}" %}`}</code>.{' '}
            </>
          )}
          Publishing changes all templates that use it, and is rejected if one of them would no longer work.
        </p>
      </div>
    </>
  );
}

function Users({ piece: { templates } }: { piece: TemplatePieceDetail }) {
  if (templates.length === 0) return 'No published template uses it.';
  return (
    <>
      Used by{' '}
      {templates.map(({ id, name }, at) => (
        <span key={id}>
          {at > 0 && ', '}
          <Link to="/templates/$id" params={{ id }} className="text-accent underline">
            {name}
          </Link>
        </span>
      ))}
      .
    </>
  );
}

function DeletePiece({ of: key, piece }: { of: TemplateKey; piece: TemplatePieceDetail }) {
  const [isAsking, setAsking] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { kind, name } = piece;
  const remove = useMutation({
    mutationFn: () =>
      dataOf(api.DELETE('/projects/{project}/template-pieces/{id}', { params: { path: { ...key } } })),
    async onSuccess() {
      await navigate({ to: '/templates', search: { view: `${kind}s` } });
      forgetPiece(key.id);
      await queries.invalidateQueries({ queryKey: allPieces(key.project) });
      toast(`${name} deleted`);
    },
    onError(error) {
      setAsking(false);
      const reason = fieldErrors(error)['templates'];
      toastFailure(reason === undefined ? messageOf(error) : `Not deleted: ${reason}`);
    },
  });
  return (
    <>
      <Menu
        trigger={
          <IconButton label="More" kind="secondary">
            <MoreIcon />
          </IconButton>
        }
      >
        <MenuItem icon={<TrashIcon />} isDanger onClick={() => setAsking(true)}>
          Delete
        </MenuItem>
      </Menu>
      <AlertDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={`Delete the ${kind} ${name}?`}
        action="Delete"
        isBusy={remove.isPending}
        onConfirm={() => remove.mutate()}
      >
        <p>Its text is permanently deleted. A {kind} that is in use cannot be deleted.</p>
      </AlertDialog>
    </>
  );
}
