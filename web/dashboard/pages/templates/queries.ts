import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';

/** The ids that identify a template. */
export interface TemplateKey {
  project: string;
  id: string;
}

export type PieceKind = 'layout' | 'partial';

/** The key of all cached data about a project's templates, for invalidation. */
export const allTemplates = (project: string) => ['templates', project];

export const templatesQuery = (project: string) =>
  queryOptions({
    queryKey: [...allTemplates(project), 'list'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/templates', { params: { path: { project } }, signal })),
  });

/** The template, which is loaded only once, because the page owns the text from then on. */
export const templateQuery = (key: TemplateKey) =>
  queryOptions({
    queryKey: [...allTemplates(key.project), key.id, 'detail'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/templates/{id}', { params: { path: { ...key } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });

/**
 * The draft, filled with the values of the last email. It is fetched again whenever the preview is, because there may be a newer email.
 * @param preview the query parameters of the preview
 */
export const lastEmailQuery = (key: TemplateKey, preview: string) =>
  queryOptions({
    queryKey: [...allTemplates(key.project), key.id, 'last-email', preview],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/templates/{id}/last-email', { params: { path: { ...key } }, signal }),
      ),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });

export const versionsQuery = (key: TemplateKey) =>
  queryOptions({
    queryKey: [...allTemplates(key.project), key.id, 'versions'],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/templates/{id}/versions', { params: { path: { ...key } }, signal }),
      ),
  });

export const versionQuery = (key: TemplateKey, part: string) =>
  queryOptions({
    queryKey: [...allTemplates(key.project), key.id, 'version', part],
    queryFn: ({ signal }) =>
      dataOf(
        api.GET('/projects/{project}/templates/{id}/versions/{part}', {
          params: { path: { ...key, part } },
          signal,
        }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const startersQuery = (project: string) =>
  queryOptions({
    queryKey: ['template-starters', project],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/template-starters', { params: { path: { project } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  });

export const allPieces = (project: string) => ['template-pieces', project];

/** The layouts and partials. */
export const piecesQuery = (project: string) =>
  queryOptions({
    queryKey: [...allPieces(project), 'list'],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/template-pieces', { params: { path: { project } }, signal })),
  });

/** A layout or partial, which is loaded only once, because the page owns the text from then on. */
export const pieceQuery = (key: TemplateKey) =>
  queryOptions({
    queryKey: [...allPieces(key.project), key.id],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/template-pieces/{id}', { params: { path: { ...key } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
