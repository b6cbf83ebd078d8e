import { useNavigate, useSearch } from '@tanstack/react-router';

/** Sets a value of the address; an empty one is taken out. With `push` the way back leads to the one before. */
type SetSearchParam = (value: string, options?: { push?: boolean }) => void;

/** A value of the address, such as `q` in `?q=`; empty where it is not there. */
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
