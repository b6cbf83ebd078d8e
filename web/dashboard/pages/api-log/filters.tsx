import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { dataOf } from '../../../api/client.ts';
import { api } from '../../../api/dashboard.ts';
import { Field, Select } from '../../../ui/field.tsx';
import { useSearchParam } from '../../../ui/search-params.ts';
import { useProject } from '../../shell/session.ts';
import type { RequestFilter } from './queries.ts';

type ErrorCode = NonNullable<RequestFilter['problem']>;

/** The errors of requests with a valid key, by status. */
const CODES: readonly ErrorCode[] = [
  'validation-failed',
  'domain-not-verified',
  'idempotency-key-reused',
  'already-exists',
  'plan-limit-exceeded',
  'bad-request',
  'malformed-json',
  'unsupported-media-type',
  'hosted-domain-protected',
  'synced-member-protected',
  'domain-in-use',
  'missing-scope',
  'not-found',
  'payload-too-large',
  'rate-limited',
  'quota-exceeded',
  'internal',
  'unavailable',
];

/** The filter, as stored in the page's URL. */
export function useFilter() {
  const [key, setKey] = useSearchParam('key');
  const [problem, setProblem] = useSearchParam('error');
  const navigate = useNavigate();
  const code = CODES.find((each) => each === problem);
  const query: RequestFilter = {
    ...(key !== '' && { key }),
    ...(code !== undefined && { problem: code }),
  };
  return {
    key,
    setKey,
    problem,
    setProblem,
    query,
    isSet: Object.keys(query).length > 0,
    clear: () =>
      void navigate({
        to: '.',
        search: ({ key: _key, error: _error, ...others }: Readonly<Record<string, string | undefined>>) =>
          others,
      }),
  };
}

export function Filters({ filter }: { filter: ReturnType<typeof useFilter> }) {
  const { id: project } = useProject();
  const { data: keys } = useQuery({
    queryKey: ['api-keys', project],
    queryFn: ({ signal }) =>
      dataOf(api.GET('/projects/{project}/api-keys', { params: { path: { project } }, signal })),
  });
  const { key, setKey, problem, setProblem } = filter;
  const isListed = key === '' || keys?.data.some(({ id }) => id === key);
  return (
    <div className="mb-4 grid grid-cols-2 gap-2 sm:flex sm:flex-wrap">
      <Field label="API key" isLabelHidden className="min-w-0 sm:max-w-60">
        <Select value={key} onChange={({ target }) => setKey(target.value)}>
          <option value="">All API keys</option>
          {isListed !== true && (
            <option value={key}>{keys === undefined ? 'Loading…' : 'Revoked key'}</option>
          )}
          {keys?.data.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Select>
      </Field>
      <Field label="Error" isLabelHidden className="min-w-0">
        <Select value={problem} onChange={({ target }) => setProblem(target.value)}>
          <option value="">All errors</option>
          {CODES.map((code) => (
            <option key={code} value={code}>
              {code}
            </option>
          ))}
        </Select>
      </Field>
    </div>
  );
}
