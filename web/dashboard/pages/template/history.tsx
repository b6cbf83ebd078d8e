import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { lazyPart } from '../../../shell/code.ts';
import { dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { NotLoaded } from '../../../shell/loaded.tsx';
import type { TemplateDetail, TemplateVersion } from '../../../../src/contract/dashboard/templates.ts';
import { Badge } from '../../../ui/badge.tsx';
import { Button } from '../../../ui/button.tsx';
import { classes } from '../../../ui/classes.ts';
import { AlertDialog } from '../../../ui/dialog.tsx';
import { Failure } from '../../../ui/empty-state.tsx';
import { Segmented } from '../../../ui/segmented.tsx';
import { Skeleton } from '../../../ui/skeleton.tsx';
import { Time } from '../../../ui/time.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import {
  allTemplates,
  piecesQuery,
  type TemplateKey,
  versionQuery,
  versionsQuery,
} from '../templates/queries.ts';
import type { WritingState } from './use-writing.ts';

/** The value of the search parameter for the draft, which is not a version yet. */
const DRAFT = 'draft';

const CodeEditor = lazyPart(() => import('./code-editor.tsx'));

interface HistoryProps {
  of: TemplateKey;
  template: TemplateDetail;
  mayChange: boolean;
  writing: WritingState;
  onRestored(template: TemplateDetail): void;
  /** Called when the service rejects the restore, for example because another user has saved in the meantime. */
  onRefused(error: Error): void;
}

/** The draft and the published versions, each compared with the current version. */
export function History({ of: key, template, writing, ...rest }: HistoryProps) {
  const { data, error, refetch } = useQuery(versionsQuery(key));
  const [chosen, setChosen] = useSearchParam('version');
  if (data === undefined)
    return <NotLoaded title="Could not load the history" error={error} refetch={refetch} rows={3} />;
  const [newest, before] = data.data;
  const { isChanged, others, fields } = writing;
  const first = isChanged ? DRAFT : (before ?? newest)?.id;
  const shown = chosen === '' || (chosen === DRAFT && !isChanged) ? first : chosen;
  const current = (id: string) => ({
    'aria-current': id === shown ? ('true' as const) : undefined,
    onClick: () => setChosen(id),
    className: classes(
      'grid w-full gap-0.5 rounded-md px-3 py-2 text-left hover:bg-hover focus-visible:-outline-offset-2',
      id === shown && 'bg-selected',
    ),
  });
  return (
    <div className="grid gap-6 lg:grid-cols-[18rem_minmax(0,1fr)]">
      <ol aria-label="Versions" className="grid max-h-[40rem] content-start gap-0.5 overflow-y-auto">
        {isChanged && (
          <li>
            <button type="button" {...current(DRAFT)}>
              <span className="flex items-center gap-2 font-medium">
                Not published <Badge tone="warn">Draft</Badge>
              </span>
              <span className="truncate text-sm text-muted">
                {others === null ? 'Last changed by you' : `Last changed by ${others.name}`}
              </span>
            </button>
          </li>
        )}
        {data.data.map(({ id, actor_name, created_at }) => (
          <li key={id}>
            <button type="button" {...current(id)}>
              <span className="flex items-center gap-2 font-medium">
                <Time value={created_at} />
                {id === newest?.id && <Badge tone="good">Published</Badge>}
              </span>
              <span className="truncate text-sm text-muted">{actor_name}</span>
            </button>
          </li>
        ))}
      </ol>
      {shown === DRAFT && <Compared of={key} template={template} shown={fields} what="draft" />}
      {shown !== undefined && shown !== DRAFT && (
        <Version
          key={shown}
          of={key}
          template={template}
          writing={writing}
          id={shown}
          isNewest={shown === newest?.id}
          {...rest}
        />
      )}
    </div>
  );
}

const PARTS = [
  { value: 'html', label: 'HTML' },
  { value: 'text', label: 'Text' },
  { value: 'subject', label: 'Subject' },
] as const;

interface VersionProps extends HistoryProps {
  id: string;
  isNewest: boolean;
}

function Version({ of: key, template, id, isNewest, mayChange, ...rest }: VersionProps) {
  const { data, error } = useQuery(versionQuery(key, id));
  const [isAsking, setAsking] = useState(false);
  if (error !== null) return <Failure title="Could not load this version">{messageOf(error)}</Failure>;
  if (data === undefined) return <Skeleton className="h-80" />;
  return (
    <>
      <Compared
        of={key}
        template={template}
        shown={data}
        what="version"
        action={
          mayChange &&
          !isNewest && (
            <Button className="sm:ml-auto" onClick={() => setAsking(true)}>
              Restore this version
            </Button>
          )
        }
      />
      {isAsking && (
        <Restore of={key} template={template} version={data} {...rest} onClose={() => setAsking(false)} />
      )}
    </>
  );
}

interface ComparedProps {
  of: TemplateKey;
  template: TemplateDetail;
  shown: Pick<TemplateVersion, 'subject' | 'html' | 'text' | 'layout_id'>;
  what: 'draft' | 'version';
  action?: ReactNode;
}

/** The differences from the published version. */
function Compared({ of: { project }, template, shown, what, action }: ComparedProps) {
  const { data: pieces } = useQuery(piecesQuery(project));
  const differing = PARTS.filter(({ value }) => shown[value] !== template[value]);
  const [chosen, setPart] = useState<(typeof PARTS)[number]['value'] | null>(null);
  const part = chosen ?? differing[0]?.value ?? 'html';
  const layoutOf = (id: string | null): string =>
    id === null ? 'none' : (pieces?.data.find((piece) => piece.id === id)?.name ?? 'deleted');
  const differs = shown.layout_id !== template.layout_id;
  return (
    <div className="min-w-0">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <Segmented<(typeof PARTS)[number]['value']>
          label="Part"
          value={part}
          options={PARTS.map(({ value, label }) => ({
            value,
            label: differing.some((each) => each.value === value) ? `${label} (differs)` : label,
          }))}
          onChange={(value) => setPart(value)}
        />
        {action}
      </div>
      <p className="mb-2 text-sm text-muted">
        {differing.length === 0
          ? `The ${differs ? 'texts are' : `${what} is`} identical to the published version.`
          : `Green: only in this ${what}. Red: only in the published version.`}
        {differs && ` Layout: ${layoutOf(shown.layout_id)}; published: ${layoutOf(template.layout_id)}.`}
      </p>
      <div className="h-[32rem] overflow-hidden rounded-md border border-edge focus-within:outline-2 focus-within:outline-accent">
        <Suspense fallback={<Skeleton className="m-3 h-40" />}>
          <CodeEditor
            key={`${part} ${template.updated_at}`}
            label={`${part === 'html' ? 'HTML' : part} of this ${what}`}
            value={shown[part]}
            original={template[part]}
            isLiquid={part === 'html'}
          />
        </Suspense>
      </div>
    </div>
  );
}

interface RestoreProps {
  of: TemplateKey;
  template: TemplateDetail;
  version: TemplateVersion;
  writing: WritingState;
  onRestored(template: TemplateDetail): void;
  onRefused(error: Error): void;
  onClose(): void;
}

function Restore({ of: key, template, version, writing, onRestored, onRefused, onClose }: RestoreProps) {
  const queries = useQueryClient();
  const { subject, html, text, layout_id } = version;
  const restore = useMutation({
    mutationFn: () =>
      writing.publish((draft_revision) =>
        dataOf(
          api.PUT('/projects/{project}/templates/{id}', {
            params: { path: { ...key } },
            body: {
              name: template.name,
              subject,
              html,
              text,
              layout_id,
              based_on: template.updated_at,
              draft_revision,
            },
          }),
        ),
      ),
    async onSuccess(saved) {
      onRestored(saved);
      onClose();
      await queries.invalidateQueries({ queryKey: [...allTemplates(key.project), key.id, 'versions'] });
      toast('Restored as the newest version');
    },
    onError(error) {
      onRefused(error);
      toastFailure(Object.values(fieldErrors(error))[0] ?? messageOf(error));
    },
  });
  return (
    <AlertDialog
      isOpen
      onClose={onClose}
      title="Restore this version?"
      action="Restore"
      isBusy={restore.isPending}
      onConfirm={() => restore.mutate()}
    >
      <p>New emails will use this version. The current version stays in the history.</p>
      {writing.isChanged && <p>The draft will be deleted.</p>}
    </AlertDialog>
  );
}
