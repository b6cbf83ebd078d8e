import { useNavigate, useSearch } from '@tanstack/react-router';

/** Sets a parameter of the URL; an empty value removes the parameter. With `push`, going back restores the previous value. */
type SetSearchParam = (value: string, options?: { push?: boolean }) => void;

/** A parameter of the URL, such as `q` in `?q=`; empty if the URL does not have the parameter. */
export function useSearchParam(name: string): [value: string, set: SetSearchParam] {
  const search = useSearch({ strict: false });
  const navigate = useNavigate();
  const set: SetSearchParam = (value, { push = false } = {}) => {
    void navigate({
      to: '.',
      search: (before: Readonly<Record<string, string | undefined>>) => {
        const { [name]: _old, ...others } = before;
        return value === '' ? others : { ...others, [name]: value };
      },
      replace: !push,
    });
  };
  return [search[name] ?? '', set];
}
