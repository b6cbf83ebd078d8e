import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { ApiProblem, dataOf, fieldErrors, messageOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import type { TemplateDetail } from '../../../../src/contract/dashboard/templates.ts';
import { Failure } from '../../../ui/empty-state.tsx';
import { PageHeader } from '../../../ui/page-header.tsx';
import { SkeletonRows } from '../../../ui/skeleton.tsx';
import { Tabs } from '../../../ui/tabs.tsx';
import { toast, toastFailure } from '../../../ui/toast.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useMay, useProject, useSession } from '../../shell/session.ts';
import { allTemplates, type TemplateKey, templateQuery } from '../templates/queries.ts';
import { BACK, Head, type PublishedFields } from './head.tsx';
import { History } from './history.tsx';
import { DraftChanged, SavedSince } from './saved-since.tsx';
import { UseIt } from './use-it.tsx';
import { useWriting } from './use-writing.ts';
import { Write } from './write.tsx';

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
  const { user } = useSession();
  const [view, setView] = useSearchParam('view');
  const queries = useQueryClient();
  const [template, setTemplate] = useState(loaded);
  const writing = useWriting(key, loaded, user.email);
  const { fields, isChanged, isOutdated } = writing;
  const load = async (): Promise<TemplateDetail> => {
    const now = await queries.fetchQuery({ ...templateQuery(key), staleTime: 0 });
    setTemplate(now);
    return now;
  };
  const reloadLists = (): void => {
    void queries.invalidateQueries({ queryKey: [...allTemplates(key.project), 'list'] });
    void queries.invalidateQueries({ queryKey: [...allTemplates(key.project), key.id, 'versions'] });
  };
  const onPublished = (published: TemplateDetail, settle: () => void): void => {
    setTemplate(published);
    settle();
    reloadLists();
  };
  /** After another user has published or changed the draft, the page shows the published version next to the draft, or their draft. */
  const onRefused = async (refusal: Error): Promise<void> => {
    const { based_on, draft_revision } = fieldErrors(refusal);
    if (draft_revision !== undefined) await writing.refresh(load).catch(() => null);
    if (based_on === undefined) return;
    await load().catch(() => null);
    reloadLists();
  };
  const publish = useMutation({
    mutationFn: (body: PublishedFields) =>
      writing.publish((draft_revision) =>
        dataOf(
          api.PUT('/projects/{project}/templates/{id}', {
            params: { path: { ...key } },
            body: { ...body, draft_revision },
          }),
        ),
      ),
    onSuccess: (published, sent) => onPublished(published, () => writing.settle(published, sent)),
    onError: onRefused,
  });
  const publishOver = (based_on: string): void =>
    publish.mutate(
      { name: template.name, ...fields, based_on },
      {
        onSuccess: () => toast('Published. New emails use this version'),
        onError: (error) =>
          toastFailure(
            Object.entries(fieldErrors(error)).map(
              ([field, each]) => `Not published. ${field}: ${each}`,
            )[0] ?? messageOf(error),
          ),
      },
    );
  const theirs = useQuery({
    queryKey: [...allTemplates(key.project), key.id, 'theirs'],
    queryFn: load,
    enabled: isOutdated,
    gcTime: 0,
  });
  useSaveKey(() => {
    if (mayChange) void writing.flush().catch(() => {});
  });
  useReturn(() => void writing.refresh(load).catch(() => {}));
  return (
    <>
      <Head
        of={key}
        template={template}
        writing={writing}
        mayChange={mayChange}
        publish={publish}
        onPublish={() => publishOver(writing.basedOn)}
        onDiscarded={async () => {
          writing.reset(await load().catch(() => ({ ...template, draft: null })));
          reloadLists();
        }}
      />
      {isOutdated && theirs.data !== undefined && (
        <DraftChanged
          now={theirs.data}
          onTheirs={() => void load().then(writing.reset, (error: Error) => toastFailure(messageOf(error)))}
          onMine={() => void load().then(writing.overwrite, (error: Error) => toastFailure(messageOf(error)))}
        />
      )}
      {isChanged && !isOutdated && writing.basedOn !== template.updated_at && (
        <SavedSince
          of={key}
          isBusy={publish.isPending}
          onLook={() => setView('history')}
          {...(mayChange && { onSaveOver: () => publishOver(template.updated_at) })}
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
                writing={writing}
                onRestored={(published) => onPublished(published, () => writing.reset(published))}
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

/** Calls `run` when the user returns to this window, because others may have changed the draft meanwhile. */
function useReturn(run: () => void): void {
  const latest = useRef(run);
  useEffect(() => {
    latest.current = run;
  });
  useEffect(() => {
    const onFocus = (): void => latest.current();
    window.addEventListener('focus', onFocus);
    return () => window.removeEventListener('focus', onFocus);
  }, []);
}

/** Stores the draft at once on Ctrl+S and ⌘S. */
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
